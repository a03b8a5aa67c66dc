"""The pages on which librarians decide about nominations, and the form by which everybody may nominate a
site: no account is needed, and nothing is fetched."""

from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.actor import Actor, Via
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages import speech
from armarium.languages.speech import say
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.forms import usual_values
from armarium.selection.collections.service import Collections
from armarium.selection.entry.pages import ChecksService
from armarium.selection.entry.service import Checks
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.nominations.api import NominationsService
from armarium.selection.nominations.model import STATES, TONES, Nomination, NominationState, Proposal
from armarium.selection.nominations.service import Nominations, TooMany, closed
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Draft
from armarium.web.form_values import FormReader
from armarium.web.forms import Form, filled
from armarium.web.guard import client_address, public
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.shell import PageShell, Shell

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
    checks: ChecksService,
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
        pictures=checks.pictures_of_addresses([one.key for one in found]),
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
    return page.done(f"/selection/records/{made.id}", message("The nomination is now a record."))


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
    services: Services = page.request.app.state.services
    pictures = services.get(Checks).pictures_of_addresses([nomination.key])
    if declining:
        declining.id = "decline"
    return page.show(
        "selection/nominations_show.html",
        nomination=nomination,
        picture=pictures.get(nomination.key, ""),
        has_strip=page.may(Permission.INDEX_VIEW),
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


NOMINATE = "/nominate"
public_pages = Router(prefix=NOMINATE)

EVERYBODY = [Depends(public)]

#: A field that people do not see: whoever fills it in is a program.
TRAP = "homepage"


@public_pages.get("", dependencies=EVERYBODY)
def nominate_page(
    request: Request, page: PageShell, nominations: NominationsService, address: str = ""
) -> Response:
    return show_proposal(request, page, nominations, filled(address=address[:2000]))


@public_pages.post("", dependencies=EVERYBODY)
def nominate(
    request: Request, form: PostedForm, page: PageShell, nominations: NominationsService
) -> Response:
    proposal = Proposal(
        address=form.get("address"),
        title=form.get("title"),
        reason=form.get("reason"),
        name=form.get("name"),
        mail=form.get("mail"),
        collection=number_in(form.get("collection")),
    )
    if form.get(TRAP):
        return thanks(request, page, proposal)
    actor = Actor("a reader", Via.PAGE, address=client_address(request))
    try:
        nominations.nominate(actor, proposal, language=speech.language().code)
    except Refused as refusal:
        status = 429 if isinstance(refusal, TooMany) else 422
        return show_proposal(request, page, nominations, form.refuse(refusal), status)
    return thanks(request, page, proposal)


def show_proposal(
    request: Request, page: Shell, nominations: Nominations, form: Form, status: int = 200
) -> Response:
    collections = nominations.open_collections()
    if not collections:
        raise closed()
    options = [("", speech.gettext("I do not know")), *((str(one.id), one.name) for one in collections)]
    return page.page(
        request,
        "selection/nominate.html",
        status=status,
        form=form,
        collections=collections,
        collection_options=options,
        trap=TRAP,
    )


def thanks(request: Request, page: Shell, proposal: Proposal) -> Response:
    """The same for people and programs: the latter learn nothing."""
    return page.page(
        request, "selection/nominated.html", address=proposal.address, answered=bool(proposal.mail)
    )
