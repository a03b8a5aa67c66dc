"""The in-tray: curators decide here, librarians find what came back to them."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.selection.entry.service import Checks
from armarium.selection.findings.pages import tray_context
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, ORIGINS, RecordState
from armarium.selection.permissions import editor_of
from armarium.selection.record_views.page_parts import RecordsService, TrayService
from armarium.selection.records.tray import Tray
from armarium.web.forms import Form
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/selection/tray"
pages = Router(prefix=ADDRESS)

EDIT = guarded(Permission.SELECTION_EDIT)
VALIDATE = guarded(Permission.SELECTION_VALIDATE)

DECISIONS = {"validate": RecordState.VALIDATED, "refuse": RecordState.REFUSED}


def in_tray(services: Services, identity: Identity) -> int:
    """For the navigation."""
    return services.get(Tray).count(editor_of(identity))


def collection_of(collection: str = "") -> int | None:
    """“All collections” of the filter sends an empty value."""
    return number_in(collection)


Chosen = Annotated[int | None, Depends(collection_of)]


@pages.get("", dependencies=EDIT)
def tray_page(page: Page, tray: TrayService, collection: Chosen, number: PageNumber = 1) -> Response:
    return show_tray(page, tray, collection, number)


@pages.post("/decide", dependencies=VALIDATE)
def decide(
    page: Page,
    form: PostedForm,
    records: RecordsService,
    tray: TrayService,
    collection: Chosen,
    number: PageNumber = 1,
) -> Response:
    """About one row, or about all that are selected: all of them or none."""
    try:
        state, numbers = _decision(form)
        seen = {one: edition for one in numbers if (edition := number_in(form.get(f"edition-{one}")))}
        decided = records.decide(editor_of(page.visitor), numbers, state, _reason(form, state), seen=seen)
    except Refused as refusal:
        form.refuse(refusal, several=["record"])
        return show_tray(page, tray, collection, number, form=form)
    # Never beyond the last page, which may be gone now.
    query = f"?collection={collection}" if collection else ""
    return page.done(f"{ADDRESS}{query}#waiting", _sentence(state, len(decided)))


@pages.post("/read", dependencies=EDIT)
def mark_as_read(page: Page, tray: TrayService) -> Response:
    tray.looked_at_all(editor_of(page.visitor))
    return page.done(ADDRESS, message("The comments are marked as read; they stay on their records."))


def show_tray(
    page: PageRequest, tray: Tray, collection: int | None, number: int, *, form: Form | None = None
) -> Response:
    editor = editor_of(page.visitor)
    found = tray.proposals(editor, collection=collection, limit=PAGE_SIZE, offset=offset_of(number))
    refused, findings = tray.refused(editor), tray_context(page, editor)
    here = page.request.url.path.removesuffix("/decide")
    services: Services = page.request.app.state.services
    rows = [one.record.id for one in found.items] + [one.id for one in refused]
    rows += [one["finding"].record for one in findings["findings"]]
    return page.live(
        "selection/tray.html",
        "selection/tray_lists.html",
        form=form or Form(),
        decides=editor.validates,
        proposals=found,
        chosen=collection,
        page=TrayPaging(page.request, number, found.total),
        query=f"?{page.request.url.query}" if page.request.url.query else "",
        tray_address=f"{here}?{page.request.url.query}" if page.request.url.query else here,
        pictures=services.get(Checks).pictures(rows),
        refused=refused,
        news=tray.news(editor),
        budgets=BUDGETS,
        frequencies=FREQUENCIES,
        depths=DEPTHS,
        origins=ORIGINS,
        **findings,
    )


class TrayPaging(Paging):
    """Pages of the tray, also where a decision was refused and the address is that of the decision."""

    def href(self, number: int) -> str:
        return super().href(number).replace(f"{ADDRESS}/decide", ADDRESS, 1)


def _decision(form: Form) -> tuple[RecordState, list[int]]:
    state = DECISIONS.get(form.get("do"))
    if state is None:
        raise Refused(message("Proposals are validated or rejected."))
    numbers = [number for text in form.chosen("record") if (number := number_in(text))]
    if not numbers:
        raise Refused(message("Select the proposals to decide on."))
    return state, numbers


def _reason(form: Form, state: RecordState) -> str:
    """A reason that somebody typed and then validated is none."""
    return form.get("reason") if state is RecordState.REFUSED else ""


def _sentence(state: RecordState, many: int) -> Message:
    if state is RecordState.VALIDATED:
        return message("Validated records: %(many)s. The next transfer hands them to planning.", many=many)
    return message("Rejected records: %(many)s. Their librarians see the reason.", many=many)
