"""Pictures on the staff site: one by its capture, and the strip of a page that other rooms' pages show."""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.access.model import EVERYTHING, Reader
from armarium.access.pictures.model import Place, State, Thumbnail
from armarium.access.pictures.service import LONGEST_URL, Pictures
from armarium.accounts.model import Permission
from armarium.formats.cdx.timestamps import moment
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/access/pictures"
KEPT = ":/?[]@!$&'()*+,;=%~"  # of an archived address in one of ours
VIEW = guarded(Permission.INDEX_VIEW)
#: What was drawn from a foreign page is a picture, and nothing else. Rules change: nobody keeps it for long.
HEADERS = {
    "Cache-Control": "private, max-age=600",
    "Vary": "Cookie",  # nor for anybody else at the same browser
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}

pages = Router()
PicturesService = Annotated[Pictures, Depends(service(Pictures))]
Url = Annotated[str, Query(max_length=LONGEST_URL)]


@pages.get(f"{ADDRESS}/strip", dependencies=VIEW)
def strip(
    page: Page, pictures: PicturesService, url: Url, most: Annotated[int, Query(ge=1, le=24)] = 12
) -> Response:
    """Nothing at all where there is no page of this address."""
    found = pictures.strip(pictures.view(reader_of(page)), url, most)
    shown = strip_shown(found, f"{ADDRESS}/one", pictures.settings.reading)
    return page.part("access/pictures_strip.html", thumbnails=shown)


@pages.get(f"{ADDRESS}/one", dependencies=VIEW)
def one(
    page: Page,
    pictures: PicturesService,
    key: Url,
    at: Annotated[str, Query(pattern=r"^[0-9]{14,17}$")],
) -> Response:
    return Response(
        pictures.image(pictures.view(reader_of(page)), Place(key, at)),
        media_type="image/jpeg",
        headers=HEADERS,
    )


def strip_shown(found: Sequence[Thumbnail], address: str, reading: str = "") -> list[dict[str, Any]]:
    """Of captures that have a picture. `address`: of one; `reading`: of the readers’ site, if another."""
    return [
        {
            "picture": f"{address}?{urlencode({'key': one.place.key, 'at': one.place.timestamp})}",
            "href": f"{reading}/{EVERYTHING}/{one.place.timestamp}/{quote(one.url, safe=KEPT)}",
            "at": moment(one.place.timestamp),
        }
        for one in found
        if one.state is State.TAKEN
    ]


def reader_of(page: PageRequest) -> Reader:
    """This person on the readers' site."""
    account = page.visitor.account
    return Reader(account.id, account.roles, sees_everything=page.may(Permission.ACCESS_EVERYTHING))
