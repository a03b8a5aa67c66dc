"""Pictures on the readers' site."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import Response

from armarium.access.pictures.model import Place
from armarium.access.pictures.pages import HEADERS, strip_shown
from armarium.access.pictures.service import LONGEST_URL, Pictures
from armarium.access.requests.site import Handler, Visit

STRIP, ONE = "/-/pictures/strip", "/-/pictures/one"


class ReaderPictures:
    def __init__(self, pictures: Pictures, page: Callable[..., Response]) -> None:
        self._pictures = pictures
        self._page = page

    @property
    def pages(self) -> dict[str, Handler]:
        return {STRIP: self.strip, ONE: self.one}

    def strip(self, visit: Visit) -> Response:
        url = _asked(visit, "url")[:LONGEST_URL]
        found = self._pictures.strip(visit.view, url) if url else []
        return self._page(visit, "access/pictures_strip.html", thumbnails=strip_shown(found, ONE))

    def one(self, visit: Visit) -> Response:
        place = Place(_asked(visit, "key"), _asked(visit, "at"))
        data = self._pictures.image(visit.view, place)
        return Response(data, media_type="image/jpeg", headers=HEADERS)


def _asked(visit: Visit, name: str) -> str:
    given: Any = parse_qs(visit.rest.partition("?")[2])
    return given.get(name, [""])[0]  # type: ignore[no-any-return]
