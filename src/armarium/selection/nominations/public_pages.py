"""The form by which everybody may nominate a site. No account is needed, and nothing is fetched."""

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.core.actor import Actor, Via
from armarium.core.errors import Refused
from armarium.languages import speech
from armarium.selection.nominations.api import NominationsService
from armarium.selection.nominations.model import Proposal
from armarium.selection.nominations.service import Nominations, TooMany, closed
from armarium.web.forms import Form, filled
from armarium.web.guard import client_address, public
from armarium.web.paging import number_in
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.shell import PageShell, Shell

ADDRESS = "/nominate"
public_pages = Router(prefix=ADDRESS)

EVERYBODY = [Depends(public)]

#: A field that people do not see: whoever fills it in is a program.
TRAP = "homepage"


@public_pages.get("", dependencies=EVERYBODY)
def nominate_page(
    request: Request, page: PageShell, nominations: NominationsService, address: str = ""
) -> Response:
    return show(request, page, nominations, filled(address=address[:2000]))


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
        return show(request, page, nominations, form.refuse(refusal), status)
    return thanks(request, page, proposal)


def show(request: Request, page: Shell, nominations: Nominations, form: Form, status: int = 200) -> Response:
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
