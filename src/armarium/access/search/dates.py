"""Dates of captures in the reader's language. They are always told in UTC, and so said."""

from datetime import UTC, date, datetime
from functools import lru_cache
from urllib.parse import urlsplit

from babel import Locale
from babel.dates import format_date, format_datetime, format_skeleton, format_timedelta

from armarium.access.search import links
from armarium.access.settings import AccessSettings
from armarium.core.message import Message, message
from armarium.formats.cdx.timestamps import moment
from armarium.languages.catalogues import SOURCE, locale_of
from armarium.languages.speech import language


def locale() -> Locale:
    code = language().code
    # Our English is British, as everywhere in the house.
    return locale_of("en-GB" if code == SOURCE else code)


def told(timestamp: str) -> str:
    """A timestamp with date and time; one that is no possible date as it stands."""
    at = moment(timestamp)
    if at is None:
        return timestamp
    # All of our languages write times as digits with colons; only days are worth asking Babel for, once each.
    before, between, behind = _around_time(language().code)
    day = _medium(at.date(), language().code)
    return f"{before}{day}{between}{at:%H:%M:%S}{behind} UTC"


@lru_cache(maxsize=8192)
def _medium(day: date, code: str) -> str:  # noqa: ARG001  (the locale is that of the language)
    return format_date(day, "medium", locale=locale())


@lru_cache(maxsize=64)
def _around_time(code: str) -> tuple[str, str, str]:  # noqa: ARG001
    """What a language writes before, between and behind a day and a time."""
    at = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
    whole = format_datetime(at, "medium", tzinfo=UTC, locale=locale())
    before, _, rest = whole.partition(format_date(at.date(), "medium", locale=locale()))
    between, _, behind = rest.partition(f"{at:%H:%M:%S}")
    return before, between, behind


def told_long(timestamp: str) -> str:
    at = moment(timestamp)
    if at is None:
        return timestamp
    return f"{_long(at.date(), language().code)}, {clock_time(at)}"


def clock_time(at: datetime) -> str:
    return f"{at:%H:%M:%S} UTC"


def day_of(timestamp: str) -> str:
    at = moment(timestamp)
    return _long(at.date(), language().code) if at else timestamp


@lru_cache(maxsize=8192)
def _long(day: date, code: str) -> str:  # noqa: ARG001
    return format_date(day, "long", locale=locale())


def period(digits: str) -> str:
    """A year, a month, a day, or a moment, as people say it."""
    at = moment(digits)
    if at is None or len(digits) == 4:
        return digits
    if len(digits) == 6:
        return format_skeleton("yMMMM", at, tzinfo=UTC, locale=locale())
    return _long(at.date(), language().code) if len(digits) == 8 else told(digits)


@lru_cache(maxsize=8192)
def _full(day: date, code: str) -> str:  # noqa: ARG001
    return format_date(day, "full", locale=locale())


def whole_day(day: date) -> str:
    return _full(day, language().code)


def month_name(month: int) -> str:
    return _month_names(language().code)[month]


@lru_cache(maxsize=64)
def _month_names(code: str) -> dict[int, str]:  # noqa: ARG001
    return dict(locale().months["stand-alone"]["wide"])


def weekdays() -> list[tuple[str, str]]:
    """Short and whole names, from the first day of the week on."""
    return _weekdays(language().code)


@lru_cache(maxsize=64)
def _weekdays(code: str) -> list[tuple[str, str]]:  # noqa: ARG001
    days, first = locale().days["stand-alone"], locale().first_week_day
    return [(days["narrow"][n % 7], days["wide"][n % 7]) for n in range(first, first + 7)]


def distance(one: str, other: str) -> str:
    """How far two captures are from each other, in words; empty for what is no date."""
    here, there = moment(one), moment(other)
    if here is None or there is None:
        return ""
    return format_timedelta(abs(here - there), threshold=1.2, locale=locale())


def persistent_identifier(settings: AccessSettings, timestamp: str, url: str) -> str:
    """The page as a PWID (urn:pwid:<archive>:<UTC time>:<part or page>:<address>); empty without a date."""
    at = moment(timestamp)
    if at is None:
        return ""
    archive = urlsplit(settings.reading).hostname or ""
    return f"urn:pwid:{archive}:{at:%Y-%m-%dT%H:%M:%SZ}:page:{links.readable(url)}"


def citation(settings: AccessSettings, library: str, collection: str, timestamp: str, url: str) -> Message:
    """For a footnote."""
    return message(
        "%(url)s, captured %(date)s, %(archive)s, %(address)s",
        url=links.readable(url),
        date=told(timestamp),
        archive=library or urlsplit(settings.reading).hostname or "",
        address=settings.reading + links.frame(collection, timestamp, url),
    )
