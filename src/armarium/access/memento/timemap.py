"""TimeMaps: all captures of an address (RFC 7089 5), in pages if there are very many."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from starlette.responses import Response

from armarium.access.captures import responses
from armarium.access.captures.lines import ListedCapture, Patience, Span, captures
from armarium.access.captures.responses import answer
from armarium.access.memento.links import (
    LINK_FORMAT,
    http_date,
    link,
    link_address,
    mementos,
    timegate_address,
    timemap_address,
    timemap_entry,
)
from armarium.access.memento.timegate import asked_address
from armarium.access.requests.site import Visit
from armarium.access.view import Restricted
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.timestamps import moment
from armarium.formats.url import surt

MOST_IN_PAGE = 5000
_FORMS = {"link": LINK_FORMAT, "cdxj": "text/x-cdxj", "json": "text/x-ndjson"}
_ASKED = re.compile(r"timemap/(?P<form>[^/]+)/(?:(?P<page>[0-9]{1,6})/)?(?P<url>.+)\Z", re.DOTALL)


def timemap(visit: Visit) -> Response:
    parts = _ASKED.match(visit.rest)
    form = parts["form"] if parts else ""
    if parts is None or form not in (*_FORMS, "*"):
        raise NotFound(
            message(
                "There is no such TimeMap: write timemap/link/, timemap/cdxj/ or timemap/json/, then a URL."
            )
        )
    url = asked_address(parts["url"])
    visit.site.uses.note("list", "shown", collection=visit.collection.name, reader=visit.reader)
    if form in ("cdxj", "json"):
        return _lines(visit, url, form)
    return _links(visit, url, int(parts["page"] or 0))


def _lines(visit: Visit, url: str, form: str) -> Response:
    found = mementos(captures(visit.view, Span.of_key(surt(url)), Patience()))
    first = next(found, None)
    if first is None:
        raise _nothing(url)
    write = responses.cdxj if form == "cdxj" else responses.ndjson
    return answer(_chained(write, first, found), _FORMS[form])


def _chained(write: responses.Line, first: ListedCapture, rest: Iterator[ListedCapture]) -> Iterator[bytes]:
    yield write(first)
    for told in rest:
        yield write(told)


@dataclass
class Pages:
    """All captures, of which only those of one page are kept."""

    wanted: int  # from 0 on
    number: int = 0
    ends: list[tuple[datetime, datetime]] = field(default_factory=list)  # first and last date of each page
    kept: list[CdxLine] = field(default_factory=list)
    restricted: ListedCapture | None = None

    def dates(self, page: int) -> dict[str, str]:
        """The attributes of a link to a TimeMap (RFC 7089 5)."""
        first, last = self.ends[page]
        return {"from": http_date(first), "until": http_date(last)}

    def take(self, told: ListedCapture) -> None:
        if told.restricted:
            self.restricted = self.restricted or told
            return
        date = moment(told.timestamp)
        if date is None:
            return
        page = self.number // MOST_IN_PAGE
        if page == len(self.ends):
            self.ends.append((date, date))
        self.ends[page] = (self.ends[page][0], date)
        if page == self.wanted:
            self.kept.append(told.line)
        self.number += 1


def _links(visit: Visit, url: str, page: int) -> Response:
    pages = Pages(max(page - 1, 0))
    for told in mementos(captures(visit.view, Span.of_key(surt(url)), Patience())):
        pages.take(told)
    if not pages.kept:
        if pages.restricted is not None and not pages.number:
            raise Restricted(visit.view.decide(pages.restricted.line))
        raise _nothing(url)
    return answer((entry + b"\n" for entry in _entries(visit, url, page, pages)), LINK_FORMAT)


def _entries(visit: Visit, url: str, page: int, pages: Pages) -> Iterator[bytes]:
    settings, collection = visit.site.settings, visit.collection
    own = timemap_address(settings, collection, url, page=page)
    yield (link(link_address(url), "original") + ",").encode()
    yield (link(timegate_address(settings, collection, url), "timegate") + ",").encode()
    yield (link(own, "self", type=LINK_FORMAT, **pages.dates(pages.wanted)) + ",").encode()
    for number in range(len(pages.ends)):
        if number != pages.wanted:
            other = timemap_address(settings, collection, url, page=number + 1)
            yield (link(other, "timemap", type=LINK_FORMAT, **pages.dates(number)) + ",").encode()
    first = pages.wanted * MOST_IN_PAGE
    for place, line in enumerate(pages.kept, first):
        rels = ["first"] * (place == 0) + ["last"] * (place == pages.number - 1) + ["memento"]
        comma = b"," if place < first + len(pages.kept) - 1 else b""
        yield timemap_entry(settings, collection, line, " ".join(rels), url) + comma


def _nothing(url: str) -> NotFound:
    return NotFound(message("The archive has no capture of %(url)s.", url=url[:200]))
