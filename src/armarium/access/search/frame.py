"""The page around an archived page: a banner, and below it a frame with content of the other origin.

The frame itself has no sandbox: each answer of the content's origin brings its own in its headers. PDF files,
which no browser shows in a sandbox, and the notices of the archive are without.
"""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from armarium.access.memento.links import (
    Neighbours,
    memento_address,
    memento_links,
    neighbours,
    original_links,
)
from armarium.access.memento.timegate import APPLIED, asked_address, preference, preferred
from armarium.access.memento.timegate import timegate as gate
from armarium.access.model import Provenance, Seen
from armarium.access.requests.site import OWN, ContentAddresses, Visit
from armarium.access.rewrite.archival_addresses import Archival, parse_archival
from armarium.access.search import addresses, answers, calendar, dates, links, shell
from armarium.access.search.day_table import YearStrip
from armarium.access.search.listing import closest
from armarium.access.search.question import LONGEST, Question
from armarium.access.view import Restricted
from armarium.core import clock
from armarium.core.errors import ArmariumError, NotFound
from armarium.core.message import message
from armarium.formats.cdx.timestamps import moment

WHOLE = 14  # digits of a moment in an address; indexes of others have more
LIMITS = (0, 1, 7, 30, 90, 365)  # days that the banner offers


class Frames:
    """`entering` leads the reader, as who they are, to the origin of the content."""

    def __init__(self, entering: ContentAddresses) -> None:
        self._entering = entering

    def page(self, visit: Visit) -> Response:
        """`/<collection>/<timestamp>/<url>`"""
        asked = parse_archival(visit.rest)
        if not isinstance(asked, Archival):
            raise NotFound(message("There is nothing at this address. It may have been mistyped."))
        seen = self._capture(visit, asked.timestamp, asked.url)
        if seen is None:
            visit.note_missing(asked.url)
            return answers.nothing(visit, Question(asked.url))
        if mod := preferred(visit.request.headers.get("prefer", "")):
            return _as_preferred(visit, seen, mod, asked.url)
        stamp = seen.line.timestamp[:WHOLE]
        if stamp != asked.timestamp:
            response = RedirectResponse(links.frame(visit.collection.name, stamp, asked.url), 302)
            remember(visit, response, asked.timestamp, stamp)
            return response
        if not seen.allowed:
            return restricted(visit, seen, asked.url)
        return self._framed(visit, seen, asked.url)

    def banner(self, visit: Visit) -> Response:
        """`/-/part/banner?collection=…&timestamp=…&url=…`: what the frame fetches when its reader went on
        inside it. `from` is the moment from which they came; `notice` says that no archived page is shown."""
        asked = visit.request.query_params
        url, timestamp = asked.get("url", "")[:LONGEST], asked.get("timestamp", "")[:WHOLE]
        view = visit.site.view(asked.get("collection", ""), visit.reader)
        there = Visit(visit.site, visit.guest, view, "", visit.request)
        seen = self._capture(there, timestamp, url) if url else None
        if url and "notice" in asked and (seen is None or not seen.allowed):
            return unseen(there, seen, timestamp, url)
        if seen is None or seen.line.timestamp[:WHOLE] != timestamp or not seen.allowed:
            raise NotFound(message("There is no such capture."))
        came_from = asked.get("from", "")[:WHOLE]
        known = about(there, seen, url)
        known["asked"] = came_from if is_far(came_from, timestamp) else ""
        return shell.page(there, "reading/banner.html", **known)

    def _framed(self, visit: Visit, seen: Seen, url: str) -> Response:
        around = neighbours(visit.view, seen.line)
        path = links.content(visit.collection.name, seen.line.timestamp, url)
        src = self._entering.src(visit, path, one_reader=seen.decision.one_reader)
        src, aside = by_way_of_spread(visit, src)
        response = shell.page(
            visit,
            "reading/frame.html",
            src=src,
            aside=aside,
            content=visit.site.settings.content,
            **about(visit, seen, url, around),
        )
        response.headers["Link"] = linked(visit, seen, url, around)
        forget(visit, response)
        self._entering.dress(visit, response)
        return response

    def _capture(self, visit: Visit, timestamp: str, url: str) -> Seen | None:
        return closest(visit.view, url, timestamp)


def _as_preferred(visit: Visit, seen: Seen, mod: str, url: str) -> Response:
    """A program that wants the capture itself, and not the page around it."""
    address = memento_address(visit.site.settings, visit.collection, seen.line, mod, url)
    return RedirectResponse(address, 302, headers={"Vary": "Prefer", APPLIED: preference(mod)})


def restricted(visit: Visit, seen: Seen, url: str) -> Response:
    return shell.page(
        visit,
        "reading/restricted.html",
        status=451,
        url=links.readable(url),
        timestamp=seen.line.timestamp,
        reason=Restricted(seen.decision).message,
        until=seen.decision.until,
        neighbours=timestamps(neighbours(visit.view, seen.line)),
        calendar=links.calendar(visit.collection.name, url),
    )


def unseen(visit: Visit, seen: Seen | None, timestamp: str, url: str) -> Response:
    """The banner above a notice: of an address that was not captured, or may not be seen."""
    return shell.page(
        visit,
        "reading/banner_missing.html",
        status=451 if seen else 404,
        url=links.readable(url),
        raw_url=url,
        timestamp=timestamp,
        reason=Restricted(seen.decision).message if seen else None,
        around=addresses.look_around(visit.view, url) if not seen else addresses.Nearby(),
    )


def about(visit: Visit, seen: Seen, url: str, around: Neighbours | None = None) -> dict[str, Any]:
    """What the banner tells of a capture."""
    settings, name, timestamp = visit.site.settings, visit.collection.name, seen.line.timestamp[:WHOLE]
    around = around or neighbours(visit.view, seen.line)
    counted = calendar.count(visit.view, Question(url), calendar.MOST_BESIDE_A_PAGE)
    return {
        "url": links.readable(url),
        "raw_url": url,
        "timestamp": timestamp,
        "answer": seen.line.text("status") or "",
        "unchanged": seen.line.is_revisit,
        "asked": remembered(visit, timestamp),
        "tally": counted,
        "years": YearStrip(calendar.years(counted, clock.now().year), int(timestamp[:4])).items(
            {year: links.frame(name, first, url) for year, first in counted.firsts.items()}, labelled=False
        ),
        "neighbours": timestamps(around),
        "compared": _compared(name, url, around, timestamp),
        "provenance": provenance(visit, seen),
        "pwid": dates.persistent_identifier(settings, timestamp, url),
        "citation": dates.citation(settings, visit.site.library, name, timestamp, url),
        "may_download": not seen.decision.no_downloads,
        "one_reader": seen.decision.one_reader,
        "spread": spread_of(visit),
        "limits": [
            days for days in LIMITS if not settings.most_spread_days or days < settings.most_spread_days
        ],
    }


def _compared(collection: str, url: str, around: Neighbours, timestamp: str) -> str:
    """Beside the capture before it, or the one behind it; empty: there is no other."""
    if around.previous is not None:
        return links.compare(collection, url, around.previous.timestamp, timestamp)
    return links.compare(collection, url, timestamp, around.next.timestamp) if around.next else ""


def timestamps(around: Neighbours) -> dict[str, str]:
    """Empty: there is none."""
    found = {
        "first": around.first,
        "earlier": around.previous,
        "later": around.next,
        "last": around.last,
    }
    return {name: line.timestamp if line else "" for name, line in found.items()}


def linked(visit: Visit, seen: Seen, url: str, around: Neighbours) -> str:
    """Where Memento clients go on. The frame itself is no memento (RFC 7089 4.5.1): it tells no datetime."""
    settings, collection = visit.site.settings, visit.collection
    found = original_links(settings, collection, url)
    return ", ".join([*found, *memento_links(settings, collection, seen.line, around, url=url)])


def provenance(visit: Visit, seen: Seen) -> Provenance | None:
    """Where the file came from; the page is worth showing without it."""
    if seen.line.filename is None:
        return None
    try:
        return visit.site.archive.provenance(seen.line.filename)
    except ArmariumError:
        return None


def spread_of(visit: Visit) -> int:
    """The days that the reader chose; 0: any."""
    days = visit.request.cookies.get(shell.SPREAD, "")
    return int(days) if days.isascii() and days.isdigit() and len(days) <= 5 else 0


def by_way_of_spread(visit: Visit, src: str) -> tuple[str, str]:
    """Tell the content's origin, which has cookies of its own, what the reader chose: on the way to the page,
    or, where a ticket has to be shown on that way, aside. The addresses of the frame, and of the aside."""
    if shell.SPREAD not in visit.request.cookies:
        return src, ""
    content = visit.site.settings.content
    telling, path = f"{content}{shell.SPREAD_ADDRESS}?", src.removeprefix(content)
    if path.startswith(OWN):
        return src, telling + urlencode({"days": spread_of(visit)})
    return telling + urlencode({"days": spread_of(visit), "to": path}), ""


# What a reader asked for, when something else is nearest to it.
# The frame leads to the address of the capture that it shows, which says nothing of the date that was asked
# for. A cookie that lasts for some seconds does: it holds two dates and nothing else.


ASKED_COOKIE = "armarium_asked"  # <date asked for>-<date shown>
FAR = timedelta(days=1)
_SECONDS = 30


def is_far(asked: str, shown: str) -> bool:
    """Whether it has to be said. Who asked for today wanted the newest, and got it."""
    wanted, found = moment(asked), moment(shown)
    if wanted is None or found is None or shown.startswith(asked) or wanted > clock.now() - FAR:
        return False
    return abs(found - wanted) > FAR


def remember(visit: Visit, response: Response, asked: str, shown: str) -> None:
    if is_far(asked, shown):
        secure = visit.site.settings.reading.startswith("https:")
        response.set_cookie(
            ASKED_COOKIE, f"{asked}-{shown}", max_age=_SECONDS, httponly=True, secure=secure, samesite="lax"
        )


def remembered(visit: Visit, shown: str) -> str:
    """The date that led here, if it is far away; else nothing."""
    asked, _, found = visit.request.cookies.get(ASKED_COOKIE, "").partition("-")
    return asked if found == shown and is_far(asked, shown) else ""


def forget(visit: Visit, response: Response) -> None:
    if ASKED_COOKIE in visit.request.cookies:
        response.delete_cookie(ASKED_COOKIE)


# The TimeGate as people come to it: where it leads nowhere, they get the page that helps.


def timegate(visit: Visit) -> Response:
    """`/<collection>/<url>`"""
    try:
        return gate(visit)
    except (NotFound, Restricted) as failure:
        if not _is_person(visit):
            raise
        url = asked_address(visit.rest)
        if isinstance(failure, NotFound):
            return answers.nothing(visit, Question(url), noted=True)
        now = clock.now()
        seen = closest(visit.view, url, f"{now.year:04}{now:%m%d%H%M%S}")
        if seen is None or seen.allowed:
            raise
        return restricted(visit, seen, url)


def _is_person(visit: Visit) -> bool:
    headers = visit.request.headers
    return "text/html" in headers.get("accept", "") and "accept-datetime" not in headers
