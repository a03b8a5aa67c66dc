"""The pages of the transfer: what it would do, what it did."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.selection.collections.api import CollectionsService
from armarium.selection.records.model import Record
from armarium.selection.transfer.api import ConflictsService, TransfersService
from armarium.selection.transfer.labels import KINDS, STATES, entries_shown, tabs
from armarium.selection.transfer.model import Transfer, TransferKind
from armarium.selection.transfer.service import Side, Transfers
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/selection/transfer"
pages = Router(prefix=ADDRESS)


VIEW = guarded(Permission.SELECTION_VIEW)
TRANSFER = guarded(Permission.SELECTION_TRANSFER)
LATEST = 5


def kind_of(text: str) -> TransferKind | None:
    return TransferKind(text) if text in set(TransferKind) else None


@pages.get("", dependencies=VIEW)
def transfer_page(
    page: Page,
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
    return page.show(
        "selection/transfer.html",
        collections=collections.all(),
        chosen=chosen,
        looked_at=preview.looked_at,
        counts=preview.counts,
        tabs=tabs(preview.counts, group, here),
        entries=entries_shown(entries[offset : offset + PAGE_SIZE]),
        page=page.paging(number, len(entries)),
        transfers=[shown(one) for one in latest],
        more=total > LATEST,
        may_transfer=page.may(Permission.SELECTION_TRANSFER),
    )


@pages.post("", dependencies=TRANSFER)
def start(page: Page, form: PostedForm, transfers: TransfersService) -> Response:
    try:
        begun = transfers.start(page.actor, number_in(form.get("collection")))
    except Refused as refusal:
        return page.done(ADDRESS, refusal.message, "bad")
    return page.done(f"{ADDRESS}/runs/{begun.id}", message("The transfer has started."))


@pages.get("/runs", dependencies=VIEW)
def runs_page(page: Page, transfers: TransfersService, number: PageNumber = 1) -> Response:
    found, total = transfers.page(limit=PAGE_SIZE, offset=offset_of(number))
    return page.show(
        "selection/transfer_runs.html",
        transfers=[shown(one) for one in found],
        total=total,
        page=page.paging(number, total),
    )


@pages.get("/runs/{number}", dependencies=VIEW)
def run_page(
    page: Page, number: Number, transfers: TransfersService, kind: str = "", stretch: PageNumber = 1
) -> Response:
    transfer, group = transfers.get(number), kind_of(kind)
    total = transfer.counts[group] if group else sum(transfer.counts.values())
    lines = transfers.lines(number, group, limit=PAGE_SIZE, offset=offset_of(stretch))
    return page.live(
        "selection/transfer_run.html",
        "selection/transfer_run_part.html",
        run=shown(transfer),
        tabs=tabs(transfer.counts, group, f"{ADDRESS}/runs/{number}"),
        entries=entries_shown(lines),
        page=page.paging(stretch, total),
        may_transfer=page.may(Permission.SELECTION_TRANSFER),
    )


@pages.post("/records/{number}/settle", dependencies=TRANSFER)
def settle(page: Page, number: Number, form: PostedForm, conflicts: ConflictsService) -> Response:
    side = form.get("side")
    if side not in set(Side):
        raise Refused(message("Choose whose values to keep."), field="side")
    conflicts.settle(page.actor, number, Side(side))
    text = message("Planning’s values of record %(number)s are kept.", number=number)
    if side == Side.SELECTION:
        text = message("The next transfer writes selection’s values of record %(number)s.", number=number)
    return page.done(f"{ADDRESS}?kind={TransferKind.CONFLICT.value}", text)


def shown(transfer: Transfer) -> dict[str, Any]:
    tone, state = STATES[transfer.state]
    counts = [(say(KINDS[kind]), count) for kind, count in transfer.counts.items() if count]
    return {"transfer": transfer, "tone": tone, "state": say(state), "counts": counts}


def panel_context(page: PageRequest, record: Record) -> Mapping[str, Any]:
    """For the record's page: where it is in planning, and what came of it."""
    services: Services = page.request.app.state.services
    trace = services.get(Transfers).trace(record.id)
    return {
        "links": trace.links,
        "entries": entries_shown(trace.lines),
        "lines": trace.lines,
    }
