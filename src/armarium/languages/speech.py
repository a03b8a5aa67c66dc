"""Say things in the language of the moment: the one bound to this request or mail."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache

from babel import Locale
from babel.dates import format_datetime, format_skeleton, format_timedelta, get_timezone
from babel.numbers import format_decimal

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.languages.catalogues import SOURCE, Language, languages, locale_of

_current: ContextVar[str] = ContextVar("armarium_language", default=SOURCE)
_zone: ContextVar[str] = ContextVar("armarium_time_zone", default="UTC")

#: Words of the catalogues and not of Babel's data: French counts in octets, and Babel mixes kB with kbyte.
BYTE_UNITS = (message("B"), message("kB"), message("MB"), message("GB"), message("TB"), message("PB"))
JUST_NOW = timedelta(seconds=1)


def bind(code: str, zone: str | None = None) -> None:
    """From here on, in this context, speak this language."""
    _current.set(code)
    if zone:
        _zone.set(zone)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    token = _current.set(code)
    try:
        yield
    finally:
        _current.reset(token)


def language() -> Language:
    known = languages()
    return known.get(_current.get(), known[SOURCE])


def time_zone() -> str:
    return _zone.get()


def gettext(sentence: str) -> str:
    return language().translations.ugettext(sentence) if sentence else ""


def ngettext(singular: str, plural: str, number: int) -> str:
    return language().translations.ungettext(singular, plural, number)


def say(message: Message | str) -> str:
    """A message, and messages in its places, in the language of the moment; a plain string is looked up."""
    if isinstance(message, str):
        return gettext(message)
    said = {name: say(one) if isinstance(one, Message) else one for name, one in message.values.items()}
    return Message(message.template, said).filled(gettext(message.template))


def translate(message: Message, code: str) -> str:
    with speaking(code):
        return say(message)


def number(value: float, digits: int = 0) -> str:
    """A number with the separators and the grouping of the language, rounded to so many decimal places."""
    return _number(value, digits, language().code)


@lru_cache(maxsize=4096)
def _number(value: float, digits: int, code: str) -> str:
    locale = _locale(code)
    grouping = locale.decimal_formats[None].pattern.partition(".")[0]
    return format_decimal(value, format=grouping + ("." + "0" * digits if digits else ""), locale=locale)


def byte_size(value: float | None) -> str:
    """Decimal units, as disks are sold and as the sources count."""
    if value is None:
        return "–"
    amount, power = float(value), 0
    while abs(amount) >= 999.5 and power < len(BYTE_UNITS) - 1:
        amount, power = amount / 1000, power + 1
    digits = 1 if power and abs(amount) < 99.95 else 0
    return f"{number(amount, digits)}\N{NO-BREAK SPACE}{say(BYTE_UNITS[power])}"


def moment(value: datetime | None, form: str = "medium") -> str:
    """With seconds only if they have happened: what is to come is planned to the minute.

    `form`: of Babel, or "minutes".
    """
    if value is None:
        return "–"
    code = language().code
    if form == "minutes" or (form == "medium" and value > clock.now()):
        form = _to_the_minute(code)
    return format_datetime(value, form, tzinfo=_time_zone(_zone.get()), locale=_locale(code))


@lru_cache(maxsize=64)
def _to_the_minute(code: str) -> str:
    """The pattern of Babel's medium form, without seconds."""
    locale = _locale(code)
    both = str(locale.datetime_formats["medium"])
    return both.replace("{0}", locale.time_formats["short"].pattern).replace(
        "{1}", locale.date_formats["medium"].pattern
    )


def day(value: date) -> str:
    """A day of the calendar, without its year: 3 May."""
    return format_skeleton("MMMd", value, locale=_locale(language().code))


def month(value: date) -> str:
    """The month in which a day lies, in short."""
    return format_skeleton("yMMM", value, locale=_locale(language().code))


def ago(value: datetime | None) -> str:
    """How long since (or until) a moment, in words."""
    if value is None:
        return "–"
    distance = value - clock.now()
    if abs(distance) < JUST_NOW:
        return gettext("just now")  # not “in 0 seconds”
    locale = _locale(language().code)
    return format_timedelta(distance, granularity="second", add_direction=True, locale=locale)


def duration(value: timedelta | float) -> str:
    span = value if isinstance(value, timedelta) else timedelta(seconds=value)
    return format_timedelta(span, threshold=1.2, locale=_locale(language().code))


@lru_cache(maxsize=64)
def _locale(code: str) -> Locale:
    # Our English is British: days before months, hours to 24.
    return locale_of("en-GB" if code == SOURCE else code)


@lru_cache(maxsize=64)
def _time_zone(name: str) -> tzinfo:
    return get_timezone(name)
