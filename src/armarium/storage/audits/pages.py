"""The pages of audits: is everything well, what is being checked, and what was found."""

from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.storage.audits import model
from armarium.storage.audits.model import KINDS, STATES, Health, Run
from armarium.storage.audits.service import Audits
from armarium.storage.history import SHORT_OUTCOMES, Check
from armarium.storage.model import AuditKind, CheckOutcome, RunState
from armarium.storage.repairs.model import RepairFilter
from armarium.storage.repairs.pages import RepairsService
from armarium.storage.repairs.pages import shown as shown_repair
from armarium.storage.repairs.service import Repairs
from armarium.web.forms import Form
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.plots.model import Plot, Series, Shape, Unit
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/storage/audits"
pages = Router(prefix=ADDRESS)

AuditsService = Annotated[Audits, Depends(service(Audits))]

VIEW = guarded(Permission.STORAGE_VIEW)
MANAGE = guarded(Permission.STORAGE_MANAGE)
MOST_WAITING = 10  # repairs that are shown beside the audits; the page of repairs has them all
MOST_STRANGE = 100


@pages.get("", dependencies=VIEW)
def audits_page(
    page: Page, audits: AuditsService, repairs: RepairsService, number: PageNumber = 1
) -> Response:
    return show_audits(page, audits, repairs, number=number)


@pages.post("", dependencies=MANAGE)
def start_audit(page: Page, form: PostedForm, audits: AuditsService, repairs: RepairsService) -> Response:
    try:
        replica, kind = chosen(form)
        started = audits.start(page.actor, replica, kind)
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_audits(page, audits, repairs, form=refused)
    text = message("The audit will start as soon as a worker is free.")
    return page.done(f"{ADDRESS}/{started}", text)


def chosen(form: Form) -> tuple[int, AuditKind]:
    kind, replica = form.get("kind"), number_in(form.get("replica"))
    if kind not in set(AuditKind) or replica is None:
        raise Refused(message("Choose a replica and what to check."), field="replica")
    return replica, AuditKind(kind)


def show_audits(
    page: PageRequest, audits: Audits, repairs: Repairs, *, number: int = 1, form: Form | None = None
) -> Response:
    given = {name: page.request.query_params.get(name, "") for name in ("state", "replica")}
    state = RunState(given["state"]) if given["state"] in set(RunState) else None
    chosen = number_in(given["replica"])
    runs, total = audits.page(state=state, replica=chosen, limit=PAGE_SIZE, offset=offset_of(number))
    health = audits.health()
    waiting, waiting_total = repairs.page(RepairFilter(waiting=True), limit=MOST_WAITING)
    context: dict[str, Any] = {
        "replicas": [shown_health(one) for one in health],
        "filter": given,
        "state_options": [(one.value, title) for one, (_, title) in STATES.items()],
        "replica_options": [(one.replica, one.name) for one in health],
        "legend": list(zip(model.SHADES, model.LABELS, strict=True)),
        "well": all(one.well for one in health) and not waiting_total,
        "damaged": sum(one.damaged for one in health),
        "away": [one.name for one in health if one.away_since],
        "share": share_of(health),
        "at_work": [shown(run) for run in audits.at_work()],
        "waiting": [shown_repair(one) for one in waiting],
        "waiting_total": waiting_total,
        "runs": [shown(run) for run in runs],
        "total": total,
        "page": page.paging(number, total),
        "picture": model,
        "may_change": page.may(Permission.STORAGE_MANAGE),
    }
    if page.is_part:
        return page.part("storage/audits_state.html", **context)
    context |= {
        "form": form or Form(),
        "kind_options": [
            (AuditKind.CHECKSUM, message("Checksums: read every byte")),
            (AuditKind.PRESENCE, message("Presence: check names and sizes")),
        ],
    }
    return page.show("storage/audits_list.html", **context)


def share_of(health: list[Health]) -> float:
    """Percent of all bytes, in all replicas, that were read within ninety days."""
    total = sum(one.bytes for one in health)
    return 100 * sum(one.checked_recently for one in health) / total if total else 100.0


def shown_health(health: Health) -> dict[str, Any]:
    return {
        "id": health.replica,
        "name": health.name,
        "health": health,
        "share": 100 * health.share_recent,
        "bar": model.bar(health.ages),
        "tone": "bad" if health.damaged else "warning" if health.away_since else "good",
    }


def shown(run: Run) -> dict[str, Any]:
    """A run as the templates read it."""
    tone, state = STATES[run.state]
    if run.state is RunState.FINISHED and run.damages:
        tone, state = "bad", message("damage found")
    if run.state is RunState.WAITING and run.error:  # it had begun, and the replica did not answer
        tone, state = SHORT_OUTCOMES[CheckOutcome.AWAY]
    return {
        "run": run,
        "id": run.id,
        "replica": run.replica_name,
        "kind": KINDS[run.kind],
        "by_bytes": run.kind is AuditKind.CHECKSUM,
        "tone": tone,
        "state": state,
        "share": 100 * run.share(),
        "expected_end": run.expected_end(clock.now()),
        "left": max(run.bytes_total - run.bytes, 0),
        "files_left": max(run.files_total - run.files, 0),
    }


@pages.get("/{number}", dependencies=VIEW)
def audit_page(page: Page, number: Number, audits: AuditsService, at: PageNumber = 1) -> Response:
    run = audits.get(number)
    found, total = audits.damages(run, limit=PAGE_SIZE, offset=offset_of(at))
    return page.live(
        "storage/audits_show.html",
        "storage/audits_run.html",
        audit=shown(run),
        found=[shown_check(check) for check in found],
        total=total,
        speed=speed_of(audits, run),
        page=page.paging(at, total),
        strangers=audits.strangers(run, limit=MOST_STRANGE) if run.strange else [],
        may_change=page.may(Permission.STORAGE_MANAGE),
    )


def speed_of(audits: Audits, run: Run) -> Plot | None:
    if run.kind is not AuditKind.CHECKSUM or not (pace := audits.speed(run)):
        return None
    moments, amounts = zip(*pace, strict=True)
    series = (Series(message("Bytes read per second"), amounts),)
    return Plot("speed", message("Speed"), moments, series, Shape.LINES, Unit.BYTE_RATE)


def shown_check(check: Check) -> dict[str, Any]:
    tone, outcome = SHORT_OUTCOMES[check.outcome]
    return {"check": check, "tone": tone, "outcome": outcome, "kind": KINDS[check.kind]}


@pages.post("/{number}/cancel", dependencies=MANAGE)
def cancel_audit(page: Page, number: Number, audits: AuditsService) -> Response:
    audits.cancel(page.actor, number)
    text = message("The audit was cancelled. Its findings so far are kept.")
    return page.done(f"{ADDRESS}/{number}", text)
