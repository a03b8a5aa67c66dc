"""The pages on which librarians decide about nominations."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.forms import usual_values
from armarium.selection.collections.service import Collections
from armarium.selection.entry.pages import ChecksService
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.nominations.api import NominationsService
from armarium.selection.nominations.model import STATES, TONES, Nomination, NominationState
from armarium.selection.nominations.service import Nominations
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Draft
from armarium.web.form_values import FormReader
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/selection/nominations"
pages = Router(prefix=ADDRESS)

EDIT = guarded(Permission.SELECTION_EDIT)


def waiting(services: Services, identity: Identity) -> int:
    """For the navigation."""
    return services.get(Nominations).waiting(editor_of(identity))


@pages.get("", dependencies=EDIT)
def nominations_page(
    page: Page,
    nominations: NominationsService,
    state: Annotated[NominationState, Query()] = NominationState.WAITING,
    number: PageNumber = 1,
) -> Response:
    editor = editor_of(page.visitor)
    found, total = nominations.page(editor, state, limit=PAGE_SIZE, offset=offset_of(number))
    counts = nominations.counts(editor)
    tabs = [
        {
            "label": say(STATES[one]),
            "href": f"{ADDRESS}?state={one}",
            "current": one is state,
            "count": counts[one],
        }
        for one in NominationState
    ]
    return page.show(
        "selection/nominations_list.html",
        nominations=found,
        total=total,
        page=page.paging(number, total),
        tabs=tabs,
        is_open=bool(nominations.open_collections()),
    )


@pages.get("/{number}", dependencies=EDIT)
def nomination_page(
    page: Page, number: Number, nominations: NominationsService, collections: CollectionsService
) -> Response:
    nomination = nominations.get(editor_of(page.visitor), number)
    return show(page, nomination, nominations, collections)


@pages.post("/{number}/accept", dependencies=EDIT)
def accept(
    page: Page,
    number: Number,
    form: PostedForm,
    nominations: NominationsService,
    collections: CollectionsService,
    checks: ChecksService,
) -> Response:
    editor = editor_of(page.visitor)
    nomination = nominations.get(editor, number)
    try:
        draft = draft_of(form, nomination, page.visitor.account.id)
        made = nominations.accept(editor, number, draft, answer=form.get("answer"))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show(page, nomination, nominations, collections, accepting=refused)
    checks.see(editor, made)
    return page.done(f"/selection/records/{made.id}", message("The nomination is a record now."))


@pages.post("/{number}/decline", dependencies=EDIT)
def decline(
    page: Page,
    number: Number,
    form: PostedForm,
    nominations: NominationsService,
    collections: CollectionsService,
) -> Response:
    editor = editor_of(page.visitor)
    nomination = nominations.get(editor, number)
    try:
        nominations.decline(editor, number, form.get("answer"))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show(page, nomination, nominations, collections, declining=refused)
    return page.done(
        ADDRESS, message("The nomination of %(address)s is declined.", address=nomination.address)
    )


def show(
    page: PageRequest,
    nomination: Nomination,
    nominations: Nominations,
    collections: Collections,
    *,
    accepting: Form | None = None,
    declining: Form | None = None,
) -> Response:
    known, others = nominations.around(nomination)
    editable = collections.editable(editor_of(page.visitor))
    if declining:
        declining.id = "decline"
    return page.show(
        "selection/nominations_show.html",
        nomination=nomination,
        state=say(STATES[nomination.state]),
        tone=TONES[nomination.state],
        known=known,
        others=others,
        collections=editable,
        matrix=collections.matrix(),
        accepting=accepting or filled(**_typed(nomination, editable)),
        declining=declining or Form(id="decline"),
        is_waiting=nomination.state is NominationState.WAITING,
    )


def _typed(nomination: Nomination, editable: list[Any]) -> dict[str, object]:
    """Values for the form: what was nominated, and what is usual in the collection."""
    chosen = next((one for one in editable if one.id == nomination.collection), None)
    chosen = chosen or (editable[0] if editable else None)
    typed: dict[str, object] = {"address": nomination.address, "title": nomination.title}
    if chosen:
        typed |= {"collection": chosen.id, **usual_values(chosen)}
    return typed


# The record of a nomination, as a librarian fills it in


def draft_of(form: Form, nomination: Nomination, responsible: int) -> Draft:
    """Its address may be corrected; what the nominator wrote goes into the notes on the content."""
    choose = message("Choose budget, frequency and depth.")
    with FormReader(form) as read:
        return Draft(
            read.thing("collection", message("Choose a collection.")) or 0,
            form.get("address"),
            read.thing("theme", message("Choose a theme.")) or 0,
            read.choice("budget", Budget, choose),
            read.choice("frequency", Frequency, choose),
            read.choice("depth", Depth, choose),
            title=form.get("title"),
            content_notes=nomination.reason,
            responsible=responsible,
        )
