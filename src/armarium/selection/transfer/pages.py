"""The pages of the transfer: what it would do, what it did."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.selection.collections.service import Collections
from armarium.selection.records.model import Record
from armarium.selection.transfer.conflicts import Conflicts, Side
from armarium.selection.transfer.labels import KINDS, STATES, entries_shown, tabs
from armarium.selection.transfer.model import Kind, Transfer
from armarium.selection.transfer.service import Transfers
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ADDRESS = "/selection/transfer"
pages = APIRouter(prefix=ADDRESS)

TransfersService = Annotated[Transfers, Depends(service(Transfers))]
CollectionsService = Annotated[Collections, Depends(service(Collections))]
ConflictsService = Annotated[Conflicts, Depends(service(Conflicts))]

VIEW = [Depends(needs(Permission.SELECTION_VIEW))]
TRANSFER = [Depends(needs(Permission.SELECTION_TRANSFER))]
LATEST = 5


def kind_of(text: str) -> Kind | None:
    return Kind(text) if text in set(Kind) else None


@pages.get("", dependencies=VIEW)
def transfer_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    transfers: TransfersService,
    collections: CollectionsService,
    collection: str = "",
    kind: str = "",
    number: PageNumber = 1,
) -> Response:
    chosen, group = number_in(collection), kind_of(kind)
    preview = transfers.preview(chosen)
    entries = [one for one in preview.entries if group is None or one.kind is group]
    offset = offset_of(number)
    latest, total = transfers.page(limit=LATEST)
    here = ADDRESS if chosen is None else f"{ADDRESS}?collection={chosen}"
    return page.page(
        request,
        "selection/transfer.html",
        collections=collections.all(),
        chosen=chosen,
        looked_at=preview.looked_at,
        counts=preview.counts,
        tabs=tabs(preview.counts, group, here),
        entries=entries_shown(entries[offset : offset + PAGE_SIZE]),
        page=Paging(request, number, len(entries)),
        transfers=[shown(one) for one in latest],
        more=total > LATEST,
        may_transfer=visitor.may(Permission.SELECTION_TRANSFER),
    )


@pages.post("", dependencies=TRANSFER)
def start(request: Request, visitor: Visitor, form: PostedForm, transfers: TransfersService) -> Response:
    try:
        begun = transfers.start(visitor.actor, number_in(form.get("collection")))
    except Refused as refusal:
        return done(request, ADDRESS, refusal.message, "bad")
    return done(request, f"{ADDRESS}/runs/{begun.id}", message("The transfer has begun."))


@pages.get("/runs", dependencies=VIEW)
def runs_page(
    request: Request, page: PageShell, transfers: TransfersService, number: PageNumber = 1
) -> Response:
    found, total = transfers.page(limit=PAGE_SIZE, offset=offset_of(number))
    return page.page(
        request,
        "selection/transfer_runs.html",
        transfers=[shown(one) for one in found],
        total=total,
        page=Paging(request, number, total),
    )


@pages.get("/runs/{number}", dependencies=VIEW)
def run_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    transfers: TransfersService,
    kind: str = "",
    stretch: PageNumber = 1,
) -> Response:
    transfer, group = transfers.get(number), kind_of(kind)
    total = transfer.counts[group] if group else sum(transfer.counts.values())
    lines = transfers.lines(number, group, limit=PAGE_SIZE, offset=offset_of(stretch))
    context: dict[str, Any] = {
        "run": shown(transfer),
        "tabs": tabs(transfer.counts, group, f"{ADDRESS}/runs/{number}"),
        "entries": entries_shown(lines),
        "page": Paging(request, stretch, total),
        "may_transfer": visitor.may(Permission.SELECTION_TRANSFER),
    }
    if request.headers.get("x-part"):
        return page.part(request, "selection/transfer_run_part.html", **context)
    return page.page(request, "selection/transfer_run.html", **context)


@pages.post("/records/{number}/settle", dependencies=TRANSFER)
def settle(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, conflicts: ConflictsService
) -> Response:
    side = form.get("side")
    if side not in set(Side):
        raise Refused(message("Say whose value stands."), field="side")
    conflicts.settle(visitor.actor, number, Side(side))
    text = message("Planning's values of record %(number)s stand.", number=number)
    if side == Side.SELECTION:
        text = message("The next transfer writes selection's values of record %(number)s.", number=number)
    return done(request, f"{ADDRESS}?kind={Kind.CONFLICT.value}", text)


def shown(transfer: Transfer) -> dict[str, Any]:
    tone, state = STATES[transfer.state]
    counts = [(say(KINDS[kind]), count) for kind, count in transfer.counts.items() if count]
    return {"transfer": transfer, "tone": tone, "state": say(state), "counts": counts}


def panel_context(request: Request, _visitor: Identity, record: Record) -> Mapping[str, Any]:
    """For the record's page: where it is in planning, and what came of it."""
    services: Services = request.app.state.services
    trace = services.get(Transfers).trace(record.id)
    return {
        "links": trace.links,
        "entries": entries_shown(trace.lines),
        "lines": trace.lines,
    }
