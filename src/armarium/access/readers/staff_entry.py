"""`/access/go`: from the staff site to the readers' site, signed in."""

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from armarium.access.readers.seals import Seals
from armarium.access.readers.tickets import staff_address
from armarium.access.settings import AccessSettings
from armarium.core.services import Services
from armarium.settings import Settings
from armarium.web.guard import Visitor, in_person
from armarium.web.shell import PageShell
from armarium.web.sign_in import inside

GO = "/access/go"
WELCOME = "/access/welcome"
pages = APIRouter()


@pages.get(GO, dependencies=[Depends(in_person)])
def go(request: Request, visitor: Visitor, to: str = "/") -> Response:
    services: Services = request.app.state.services
    assert visitor.session is not None, "asked by the guard"
    settings = services.get(Settings)[AccessSettings]
    address = staff_address(settings, services.get(Seals), visitor.session, inside(to))
    return RedirectResponse(address, status_code=303, headers={"Referrer-Policy": "no-referrer"})


@pages.get(WELCOME, dependencies=[Depends(in_person)])
def welcome(request: Request, page: PageShell) -> Response:
    """A page on the way, as browsers let no form lead to another site, not even by a redirect."""
    response = page.page(request, "access/reading_welcome.html", address=GO)
    response.headers["Refresh"] = f"0; url={GO}"
    return response
