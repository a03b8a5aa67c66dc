"""The page on which people choose how often they get a digest."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.digests.model import USUAL, Rhythm
from armarium.selection.digests.service import Digests
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/selection/digest"
pages = Router(prefix=ADDRESS)

DigestsService = Annotated[Digests, Depends(service(Digests))]
EDIT = guarded(Permission.SELECTION_EDIT)

RHYTHMS: Mapping[Rhythm, Message] = {
    Rhythm.DAILY: message("Every morning"),
    Rhythm.WEEKLY: message("On Mondays"),
    Rhythm.NEVER: message("Never"),
}


@pages.get("", dependencies=EDIT)
def digest_page(page: Page, digests: DigestsService) -> Response:
    return show(page, digests)


@pages.post("", dependencies=EDIT)
def choose(page: Page, form: PostedForm, digests: DigestsService) -> Response:
    if form.get("rhythm") not in set(Rhythm):
        refusal = Refused(message("Choose how often."), field="rhythm")
        return show(page, digests, form.refuse(refusal))
    digests.choose(page.visitor.account.id, Rhythm(form.get("rhythm")))
    return page.done(ADDRESS, message("Your choice is saved."))


def show(page: PageRequest, digests: Digests, form: Form | None = None) -> Response:
    reader = digests.of(page.visitor.account.id)
    rhythm = reader.rhythm if reader else USUAL
    return page.show(
        "selection/digest.html",
        form=form or filled(rhythm=rhythm.value),
        rhythm_options=[(one.value, say(text)) for one, text in RHYTHMS.items()],
        mail=page.visitor.account.mail,
        news=digests.preview(page.visitor.account.id),
        are_sent=digests.are_sent,
    )
