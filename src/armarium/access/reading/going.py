"""`/access/go`: from the staff site to the readers' site, signed in."""

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from armarium.access.reading.entrance import staff_address
from armarium.access.reading.seals import Seals
from armarium.access.settings import AccessSettings
from armarium.core.services import Services
from armarium.settings import Settings
from armarium.web.guard import Visitor, in_person
from armarium.web.sign_in import inside

pages = APIRouter(prefix="/access")


@pages.get("/go", dependencies=[Depends(in_person)])
def go(request: Request, visitor: Visitor, to: str = "/") -> Response:
    services: Services = request.app.state.services
    assert visitor.session is not None, "asked by the guard"
    settings = services.get(Settings)[AccessSettings]
    address = staff_address(settings, services.get(Seals), visitor.session.id, inside(to))
    return RedirectResponse(address, status_code=303, headers={"Referrer-Policy": "no-referrer"})
