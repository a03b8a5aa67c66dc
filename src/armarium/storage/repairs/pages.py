"""The pages of repairs: the votes, what will be done, who approved, and what was done."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.storage.history import EVENTS, SHORT_OUTCOMES, Event
from armarium.storage.model import CheckOutcome, RepairState
from armarium.storage.repairs.bulk import Deed, Done, Order, do_all
from armarium.storage.repairs.model import Ballot, Repair, RepairFilter, choices, likely
from armarium.storage.repairs.rules import Content
from armarium.storage.repairs.service import Repairs
from armarium.storage.repairs.transitions import CONTENTS, STATES, VERDICTS
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.service import Replicas
from armarium.web.forms import Form
from armarium.web.numbers import number_in
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/storage/repairs"
pages = Router(prefix=ADDRESS)

RepairsService = Annotated[Repairs, Depends(service(Repairs))]
ReplicasService = Annotated[Replicas, Depends(service(Replicas))]

VIEW = guarded(Permission.STORAGE_VIEW)
APPROVE = guarded(Permission.REPAIRS_APPROVE)
MAJORITY = "*"  # no replica has such a name
WAITING = "waiting"  # the filter: what waits for a person
S = RepairState
CHOOSABLE = frozenset({WAITING, S.PROPOSED, S.UNDECIDED})  # the lists in which all wait for a person


@pages.get("", dependencies=VIEW)
def repairs_page(
    page: Page, repairs: RepairsService, replicas: ReplicasService, state: str = "", number: PageNumber = 1
) -> Response:
    return show_list(page, repairs, replicas, state, number)


def show_list(
    page: PageRequest,
    repairs: Repairs,
    replicas: Replicas,
    state: str,
    number: int,
    *,
    form: Form | None = None,
) -> Response:
    found, total = repairs.page(filter_by(state), limit=PAGE_SIZE, offset=offset_of(number))
    return page.live(
        "storage/repairs_list.html",
        "storage/repairs_table.html",
        form=form or Form(),
        may_choose=page.may(Permission.REPAIRS_APPROVE) and state in CHOOSABLE,
        seen_at=clock.now().isoformat(),
        newest=next((one.id for one in repairs.page(filter_by(state), limit=1)[0]), 0),
        like_options=[
            ("", message("what is most likely right")),
            (MAJORITY, message("the majority of copies")),
            *((one.name, one.name) for one in replicas.in_use() if holds_bytes(one)),
        ],
        filter={"state": state},
        state_options=[
            (WAITING, message("needs a person")),
            *((one.value, title) for one, (_, title) in STATES.items()),
        ],
        repairs=[shown(one) for one in found],
        total=total,
        page=page.paging(number, total),
    )


def filter_by(state: str) -> RepairFilter:
    return RepairFilter(state=S(state) if state in set(S) else None, waiting=state == WAITING)


@pages.post("/chosen", dependencies=APPROVE)
def do_chosen(
    page: Page, form: PostedForm, repairs: RepairsService, replicas: ReplicasService, state: str = WAITING
) -> Response:
    """`do` says what."""
    deed = Deed(form.get("do")) if form.get("do") in set(Deed) else Deed.APPROVE
    like = form.get("like")
    majority = like == MAJORITY
    order = Order(deed, form.get("why"), seen_at(form), "" if majority else like, majority)
    try:
        ended = do_all(repairs, page.actor, chosen_in(form, state), order)
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_list(page, repairs, replicas, state, 1, form=refused)
    if not ended.left:
        return page.done(f"{ADDRESS}?state={state}", message("Done: %(count)s.", count=ended.count))
    left = form.refuse(left_over(ended))
    return show_list(page, repairs, replicas, state, 1, form=left)


def chosen_in(form: Form, state: str) -> RepairFilter:
    """`all`: every repair that fits the filter, and that was there when the page was."""
    if form.ticked("all"):
        return replace(filter_by(state), until=number_in(form.get("newest")))
    numbers = tuple(number for text in form.chosen("repair") if (number := number_in(text)))
    if not numbers:
        raise Refused(message("Select at least one repair."), field="all")
    return RepairFilter(numbers=numbers)


def seen_at(form: Form) -> datetime | None:
    """When the votes were told that are on the page."""
    try:
        seen = datetime.fromisoformat(form.get("seen_at"))
    except ValueError:
        return None
    return seen if seen.tzinfo else None


def left_over(ended: Done) -> Refused:
    repair, why = ended.left[0]
    return Refused(
        message(
            "Done: %(count)s. Not done: %(left)s. The first of these is repair %(number)s: %(why)s",
            count=ended.count,
            left=len(ended.left),
            number=repair.id,
            why=why,
        )
    )


def shown(repair: Repair) -> dict[str, Any]:
    """A repair as the templates read it."""
    tone, state = STATES[repair.state]
    _, reason = SHORT_OUTCOMES[repair.reason]
    looked_into = repair.ballot is not None or repair.state is not S.PROPOSED
    return {
        "repair": repair,
        "id": repair.id,
        "tone": tone if looked_into else "busy",
        "state": state if looked_into else message("being examined"),
        "reason": reason,
        "votes": shown_votes(repair.ballot, repair) if repair.ballot else [],
    }


@pages.get("/{number}", dependencies=VIEW)
def repair_page(page: Page, number: Number, repairs: RepairsService) -> Response:
    return show_repair(page, repairs, repairs.get(number))


@pages.post("/{number}/approve", dependencies=APPROVE)
def approve_repair(page: Page, number: Number, form: PostedForm, repairs: RepairsService) -> Response:
    try:
        approved = repairs.approve(page.actor, number, seen_at(form))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_repair(page, repairs, repairs.get(number), form=refused)
    text = (
        message("Approved. The replicas are asked once more, then the copy is replaced.")
        if approved.state is S.APPROVED
        else message("Approved. One more person must approve it.")
    )
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/decide", dependencies=APPROVE)
def decide_repair(page: Page, number: Number, form: PostedForm, repairs: RepairsService) -> Response:
    try:
        decided = repairs.decide(page.actor, number, form.get("sha256"), form.get("why"), seen_at(form))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_repair(page, repairs, repairs.get(number), form=refused)
    text = (
        message("Decided. Copies that differ are moved aside and replaced.")
        if decided.state is S.APPROVED
        else message("Decided. Another person must approve it.")
    )
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/refuse", dependencies=APPROVE)
def refuse_repair(page: Page, number: Number, form: PostedForm, repairs: RepairsService) -> Response:
    try:
        repairs.refuse(page.actor, number, form.get("why"))
    except Refused as refusal:
        refused = form.refuse(refusal)
        refused.id = "refuse"
        return show_repair(page, repairs, repairs.get(number), refusal=refused)
    return page.done(f"{ADDRESS}/{number}", message("Rejected. The copy stays as it is."))


def show_repair(
    page: PageRequest,
    repairs: Repairs,
    repair: Repair,
    *,
    form: Form | None = None,
    refusal: Form | None = None,
) -> Response:
    may = page.may(Permission.REPAIRS_APPROVE)
    ballot = repair.ballot
    verdict = VERDICTS[ballot.verdict.outcome] if ballot else None
    return page.live(
        "storage/repairs_show.html",
        "storage/repairs_parts.html",
        one=shown(repair),
        repair=repair,
        trouble="" if repair.error == str(verdict) else repair.error,
        needed=repairs.settings.repair_approvals,
        automatic=repairs.settings.automatic_repairs,
        verdict=verdict,
        votes=shown_votes(ballot, repair) if ballot else [],
        history=[shown_event(event) for event in repairs.history(repair)],
        may_approve=may and repair.state is S.PROPOSED and ballot is not None,
        may_decide=may and repair.state is S.UNDECIDED,
        may_refuse=may and repair.open and repair.state is not S.RUNNING,
        choices=choices(repair),
        likely=likely(repair),
        retired=repairs.retired_holders(repair) if repair.state is S.UNDECIDED else [],
        form=form or Form(),
        refusal=refusal or Form(id="refuse"),
    )


def shown_votes(ballot: Ballot, repair: Repair) -> list[dict[str, Any]]:
    """The register first, if it has a vote, then the replicas. Each agrees with what is held to be right, or
    does not."""
    right = repair.right
    register = {"voter": "", "sha256": ballot.register, "at": None, "size": None, "content": None}
    rows = [{**register, **_agrees(ballot.register, right)}] if ballot.register else []
    for vote in ballot.votes:
        facts = {"voter": vote.replica, "sha256": vote.sha256, "at": vote.at, "size": vote.size}
        facts["content"] = shown_content(vote.content) if vote.content else None
        if vote.outcome in {CheckOutcome.OK, CheckOutcome.CORRUPT}:
            rows.append({**facts, **_agrees(vote.sha256, right)})
        else:
            tone, title = SHORT_OUTCOMES[vote.outcome]
            rows.append({**facts, "tone": tone, "verdict": title})
    return rows


def shown_content(content: Content) -> dict[str, Any]:
    tone, title = CONTENTS[content.worth]
    return {"tone": tone, "title": title, "records": content.records, "problem": content.problem}


def _agrees(sha256: str, right: str) -> dict[str, Any]:
    if not right:
        return {"tone": "neutral", "verdict": message("undecided")}
    if sha256 == right:
        return {"tone": "good", "verdict": message("agrees")}
    return {"tone": "bad", "verdict": message("differs")}


def shown_event(event: Event) -> dict[str, Any]:
    facts = event.details
    told = [facts[name] for name in ("reason", "error", "key", "sha256") if facts.get(name)]
    return {
        "at": event.at,
        "actor": event.actor,
        "title": EVENTS.get(event.kind, event.kind),
        "told": [str(one) for one in told],
    }
