"""The pages of collections."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.selection.collections.service import Collections
from armarium.web.guard import Visitor, needs
from armarium.web.services import service
from armarium.web.shell import PageShell

ADDRESS = "/selection/collections"
pages = APIRouter(prefix=ADDRESS)

CollectionsService = Annotated[Collections, Depends(service(Collections))]

VIEW = [Depends(needs(Permission.SELECTION_VIEW))]


@pages.get("", dependencies=VIEW)
def collections_page(
    request: Request, visitor: Visitor, page: PageShell, collections: CollectionsService
) -> Response:
    return page.page(
        request,
        "selection/collections_list.html",
        collections=collections.all(),
        may_change=visitor.may(Permission.SELECTION_RULES),
    )
