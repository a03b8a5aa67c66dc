"""Addresses, links and headers of Memento: when a page was captured, and its neighbours (RFC 7089 2)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from armarium.access.captures.lines import ListedCapture, Patience, Span, TooMuch, captures
from armarium.access.model import Collection, Seen
from armarium.access.settings import AccessSettings
from armarium.access.view import View, describes
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.line import ENCODING, ERRORS
from armarium.formats.cdx.timestamps import moment

LINK_FORMAT = "application/link-format"
PAGE = "mp_"  # the modifier of a page as a reader sees it
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-9]{1,2}) "
    r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ([0-9]{4}) "
    r"([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT\Z"
)
# What would end the address, or is no text of a header.
_UNSAFE = re.compile(rb'[\x00-\x20\x7f-\xff<>"\\^`{|}]')


def link_address(url: str) -> str:
    """An address that can stand in a header, between angle brackets."""
    raw = url.encode(ENCODING, ERRORS)
    return _UNSAFE.sub(lambda found: b"%%%02X" % found.group()[0], raw).decode("ascii")


def memento_address(
    settings: AccessSettings, collection: Collection, line: CdxLine, mod: str = PAGE, url: str = ""
) -> str:
    """URI-M: where the content of a capture is, under the address that was asked for: captures with and
    without TLS or `www` are mementos of one original, and each has to name the same."""
    address = link_address(url or line.url or "")
    return f"{settings.content}/{collection.name}/{line.timestamp}{mod}/{address}"


def frame_address(settings: AccessSettings, collection: Collection, line: CdxLine, url: str = "") -> str:
    """The same for people, with a banner around it."""
    address = link_address(url or line.url or "")
    return f"{settings.reading}/{collection.name}/{line.timestamp}/{address}"


def timegate_address(settings: AccessSettings, collection: Collection, url: str) -> str:
    return f"{settings.reading}/{collection.name}/{link_address(url)}"


def timemap_address(
    settings: AccessSettings, collection: Collection, url: str, form: str = "link", page: int = 0
) -> str:
    part = f"{form}/{page}" if page else form
    return f"{settings.reading}/{collection.name}/timemap/{part}/{link_address(url)}"


def http_date(date: datetime) -> str:
    """RFC 9110 5.6.7; `strftime` would write names in the language of the machine."""
    return (
        f"{_DAYS[date.weekday()]}, {date.day:02} {_MONTHS[date.month - 1]} {date.year:04} "
        f"{date.hour:02}:{date.minute:02}:{date.second:02} GMT"
    )


def date_of(text: str) -> datetime | None:
    """RFC 7089 2.1.1: only the form of RFC 1123, in GMT; None for anything else."""
    parts = _DATE.match(text.strip())
    if parts is None:
        return None
    day, month, year, hour, minute, second = parts.groups()
    try:
        return datetime(
            int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute), int(second), tzinfo=UTC
        )
    except ValueError:  # the 31st of February
        return None


def digits_of(date: datetime) -> str:
    return f"{date.year:04}{date:%m%d%H%M%S}"


def link(address: str, rel: str, **attributes: str) -> str:
    more = "".join(f'; {name}="{value}"' for name, value in attributes.items() if value)
    return f'<{address}>; rel="{rel}"{more}'


def timemap_entry(
    settings: AccessSettings, collection: Collection, line: CdxLine, rel: str = "memento", url: str = ""
) -> bytes:
    date = moment(line.timestamp)
    told = http_date(date) if date is not None else ""
    return link(memento_address(settings, collection, line, url=url), rel, datetime=told).encode()


MOST_EXAMINED = 2000  # lines to find one: a page is not kept waiting for its links


@dataclass(frozen=True)
class Neighbours:
    """None where there is none, or it would take too long to find."""

    first: CdxLine | None
    previous: CdxLine | None
    next: CdxLine | None
    last: CdxLine | None


def neighbours(view: View, line: CdxLine) -> Neighbours:
    """Only captures that the reader may see: a link that leads nowhere helps nobody."""
    whole = Span.of_key(line.key)
    here = f"{line.key} {line.timestamp}"
    earlier = Span(whole.start, here)
    later = Span(f"{here}!", whole.end)  # "!" comes behind the space that ends the timestamp
    previous = _first(view, earlier, reverse=True)
    following = _first(view, later)
    return Neighbours(
        first=_first(view, earlier) if previous is not None else None,
        previous=previous,
        next=following,
        last=_first(view, later, reverse=True) if following is not None else None,
    )


def _first(view: View, span: Span, *, reverse: bool = False) -> CdxLine | None:
    try:
        found = next(shown(captures(view, span, Patience(MOST_EXAMINED), reverse=reverse)), None)
    except TooMuch:
        return None
    return found.line if found is not None else None


def shown(found: Iterator[ListedCapture]) -> Iterator[ListedCapture]:
    """Those that may be seen, and have a date that is one."""
    return (told for told in mementos(found) if not told.restricted and told.line.date is not None)


Headers = list[tuple[str, str]]


def memento_headers(
    view: View,
    seen: Seen,
    settings: AccessSettings,
    *,
    url: str = "",
    mod: str = PAGE,
    with_neighbours: bool = True,
) -> Headers:
    """For a capture that is shown; `url` as it was asked for, which is the original that a TimeMap names.

    First, last, earlier and later captures have to be looked up: parts of a page do without them.
    """
    date = seen.line.date
    if not seen.allowed or date is None:
        return []
    around = neighbours(view, seen.line) if with_neighbours else None
    links = original_links(settings, view.collection, url or seen.line.url or "")
    links += memento_links(settings, view.collection, seen.line, around, mod, url)
    return [("Memento-Datetime", http_date(date)), ("Link", ", ".join(links))]


def original_links(settings: AccessSettings, collection: Collection, url: str) -> list[str]:
    return [
        link(link_address(url), "original"),
        link(timegate_address(settings, collection, url), "timegate"),
        link(timemap_address(settings, collection, url), "timemap", type=LINK_FORMAT),
    ]


def memento_links(
    settings: AccessSettings,
    collection: Collection,
    line: CdxLine,
    around: Neighbours | None,
    mod: str = PAGE,
    url: str = "",
) -> list[str]:
    """A capture may be several things at once: RFC 7089 2.2.4 writes `rel="prev first memento"`."""
    found: dict[str, tuple[CdxLine, list[str]]] = {line.timestamp: (line, [])}
    if around is not None:
        named = (
            ("first", around.first or line),
            ("prev", around.previous),
            ("next", around.next),
            ("last", around.last or line),
        )
        for rel, neighbour in named:
            if neighbour is not None:
                found.setdefault(neighbour.timestamp, (neighbour, []))[1].append(rel)
    return [
        link(
            memento_address(settings, collection, one, mod, url),
            " ".join([*rels, "memento"]),
            datetime=http_date(one.date) if one.date is not None else "",
        )
        for _, (one, rels) in sorted(found.items())
    ]


# The captures that are mementos of a page: not the notes that crawlers left about them.


# Nearly no line has one of these, and to take a line apart takes longer than to look for them.
_MARKS = (b"text/anvl", b"application/warc-fields")


def mementos(found: Iterator[ListedCapture]) -> Iterator[ListedCapture]:
    return (told for told in found if not _is_note(told))


def _is_note(told: ListedCapture) -> bool:
    raw = told.raw
    return any(mark in raw for mark in _MARKS) and describes(told.line)
