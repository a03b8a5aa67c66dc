"""The page on which people choose how often they get a digest."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.digests.model import USUAL, Rhythm
from armarium.selection.digests.service import Digests
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, Shell, done

ADDRESS = "/selection/digest"
pages = APIRouter(prefix=ADDRESS)

DigestsService = Annotated[Digests, Depends(service(Digests))]
EDIT = [Depends(needs(Permission.SELECTION_EDIT))]

RHYTHMS: Mapping[Rhythm, Message] = {
    Rhythm.DAILY: message("Every morning"),
    Rhythm.WEEKLY: message("On Mondays"),
    Rhythm.NEVER: message("Never"),
}


@pages.get("", dependencies=EDIT)
def digest_page(request: Request, visitor: Visitor, page: PageShell, digests: DigestsService) -> Response:
    return show(request, visitor, page, digests)


@pages.post("", dependencies=EDIT)
def choose(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, digests: DigestsService
) -> Response:
    if form.get("rhythm") not in set(Rhythm):
        refusal = Refused(message("Choose how often."), field="rhythm")
        return show(request, visitor, page, digests, form.refuse(refusal), 422)
    digests.choose(visitor.account.id, Rhythm(form.get("rhythm")))
    return done(request, ADDRESS, message("Your choice is saved."))


def show(
    request: Request,
    visitor: Visitor,
    page: Shell,
    digests: Digests,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    reader = digests.of(visitor.account.id)
    rhythm = reader.rhythm if reader else USUAL
    return page.page(
        request,
        "selection/digest.html",
        status=status,
        form=form or filled(rhythm=rhythm.value),
        rhythm_options=[(one.value, say(text)) for one, text in RHYTHMS.items()],
        mail=visitor.account.mail,
        news=digests.preview(visitor.account.id),
        are_sent=digests.are_sent,
    )
