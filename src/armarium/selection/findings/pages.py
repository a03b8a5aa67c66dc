"""The pages of findings, and what a record's page shows of them and of its harvests."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import Forbidden, Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.selection.collections.api import CollectionsService
from armarium.selection.entry.service import Checks
from armarium.selection.findings.model import KINDS, Finding, Kind, proposal_of, stop_in_words, text_of
from armarium.selection.findings.service import Findings
from armarium.selection.findings.tables import FindingFilter
from armarium.selection.permissions import Editor, editor_of
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.selection.transfer.service import Transfers
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/selection/findings"
pages = Router(prefix="/selection")

FindingsService = Annotated[Findings, Depends(service(Findings))]
RecordsService = Annotated[Records, Depends(service(Records))]

VIEW = guarded(Permission.SELECTION_VIEW)
EDIT = guarded(Permission.SELECTION_EDIT)
SHOWN, IN_TRAY = 5, 10
OPEN, DONE = "open", "done"
MINE = "mine"  # instead of a collection


def open_findings(services: Services, identity: Identity) -> int:
    """For the navigation."""
    return services.get(Findings).count(editor_of(identity))


@pages.get("/findings", dependencies=VIEW)
def findings_page(
    page: Page,
    findings: FindingsService,
    collections: CollectionsService,
    collection: str = "",
    kind: str = "",
    state: str = OPEN,
    number: PageNumber = 1,
) -> Response:
    wanted = FindingFilter(
        collection=number_in(collection),
        kind=Kind(kind) if kind in set(Kind) else None,
        done=state == DONE,
    )
    of = editor_of(page.visitor) if collection == MINE else None
    found, total = findings.page(wanted, limit=PAGE_SIZE, offset=offset_of(number), of=of)
    services: Services = page.request.app.state.services
    return page.show(
        "selection/findings.html",
        findings=shown(found),
        pictures=services.get(Checks).pictures([one.record for one in found]),
        total=total,
        page=page.paging(number, total),
        form=filled(collection=collection, kind=kind, state=DONE if wanted.done else OPEN),
        collection_options=[
            (MINE, say(message("Your collections"))),
            *((str(one.id), one.name) for one in collections.all()),
        ],
        kind_options=[(one.value, say(text)) for one, text in KINDS.items()],
        state_options=[(OPEN, say(message("Open"))), (DONE, say(message("Closed")))],
        may_edit=page.may(Permission.SELECTION_EDIT),
    )


@pages.get("/records/{number}/findings", dependencies=VIEW)
def record_findings_page(
    page: Page, number: Number, findings: FindingsService, records: RecordsService
) -> Response:
    return show_findings(page, findings, records.get(number), filled())


@pages.post("/records/{number}/findings", dependencies=VIEW)
def add_finding(
    page: Page, number: Number, form: PostedForm, findings: FindingsService, records: RecordsService
) -> Response:
    refuse_others(page.visitor)
    try:
        findings.add(editor_of(page.visitor), number, form.get("text"), form.get("proposal"))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_findings(page, findings, records.get(number), refused)
    return page.done(f"/selection/records/{number}/findings", message("The finding is added."))


@pages.post("/findings/close", dependencies=EDIT)
def close_findings(page: Page, form: PostedForm, findings: FindingsService) -> Response:
    """All that are selected."""
    numbers = [number for text in form.chosen("finding") if (number := number_in(text))]
    for number in numbers:
        findings.close(editor_of(page.visitor), number)
    return page.done(form_address(form), message("Findings closed: %(many)s.", many=len(numbers)))


@pages.post("/findings/{number}/close", dependencies=EDIT)
def close_finding(page: Page, number: Number, findings: FindingsService) -> Response:
    closed = findings.close(editor_of(page.visitor), number)
    return page.done(back(closed), message("The finding is closed."))


@pages.post("/findings/{number}/accept", dependencies=EDIT)
def accept_finding(page: Page, number: Number, findings: FindingsService) -> Response:
    try:
        closed = findings.accept(editor_of(page.visitor), number)
    except Refused as refusal:
        return page.done(back(findings.get(number)), refusal.message, "bad")
    return page.done(back(closed), message("The record now has the proposed budget."))


def show_findings(page: PageRequest, findings: Findings, record: Record, form: Form) -> Response:
    found, _ = findings.page(FindingFilter(record=record.id, done=None), limit=PAGE_SIZE)
    return page.show(
        "selection/record_findings.html",
        record=record,
        findings=shown(found),
        form=form,
        may_edit=page.may(Permission.SELECTION_EDIT),
        may_add=may_add(page.visitor),
    )


def form_address(form: Form) -> str:
    """The same questions again."""
    asked = {name: form.get(name) for name in ("collection", "kind") if form.get(name)}
    return f"{ADDRESS}?{urlencode(asked)}" if asked else ADDRESS


def back(finding: Finding) -> str:
    return f"/selection/records/{finding.record}/findings"


def may_add(visitor: Identity) -> bool:
    """Who looks at what jobs brought observes; so do those who choose."""
    return visitor.may(Permission.SELECTION_EDIT) or visitor.may(Permission.VIEWER_USE)


def refuse_others(visitor: Identity) -> None:
    if not may_add(visitor):
        raise Forbidden(message("Only people who enter records or view captures add findings."))


def shown(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [
        {"finding": one, "kind": say(KINDS[one.kind]), "text": text_of(one), "proposal": proposal_of(one)}
        for one in findings
    ]


# Parts of other pages


def tray_context(page: PageRequest, editor: Editor) -> Mapping[str, Any]:
    """Open ones of their collections: the newest, and how many there are."""
    services: Services = page.request.app.state.services
    found, total = services.get(Findings).page(FindingFilter(), limit=IN_TRAY, of=editor)
    return {
        "findings": shown(found),
        "findings_total": total,
        "findings_address": f"{ADDRESS}?collection={MINE}",
    }


def findings_context(page: PageRequest, record: Record) -> Mapping[str, Any]:
    services: Services = page.request.app.state.services
    found, total = services.get(Findings).page(FindingFilter(record=record.id), limit=SHOWN)
    return {
        "findings": shown(found),
        "open_count": total,
        "may_edit": page.may(Permission.SELECTION_EDIT),
        "may_add": may_add(page.visitor),
    }


def harvests_context(page: PageRequest, record: Record) -> Mapping[str, Any]:
    services: Services = page.request.app.state.services
    harvested = services.get(Transfers).trace(record.id).harvested
    return {
        "stop": say(stop_in_words(record.harvested_stop)) if record.harvested_stop else "",
        "harvested": [
            {"job": one, "stop": say(stop_in_words(one.stop)) if one.stop else ""} for one in harvested
        ],
    }
