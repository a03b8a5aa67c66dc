"""Addresses and links of Memento."""

import re
from datetime import UTC, datetime

from armarium.access.model import Collection
from armarium.access.settings import AccessSettings
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
