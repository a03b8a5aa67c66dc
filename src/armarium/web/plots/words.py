"""Labels and amounts as the reader's language writes them."""

from datetime import date, datetime
from functools import lru_cache

from armarium.core.message import Message, message
from armarium.languages.speech import (
    byte_size,
    day,
    duration,
    language,
    moment,
    month,
    number,
    say,
    time_zone,
)
from armarium.web.plots.model import Label, Month, Unit, Value

PER_SECOND = message("%(amount)s/s")
PERCENT = message("%(amount)s%%")


def told(label: Label) -> str:
    match label:
        case Message():
            return say(label)
        case datetime():
            return _moment(label, language().code, time_zone())
        case Month():
            return month(label)
        case date():
            return day(label)
        case _:
            return str(label)


@lru_cache(maxsize=512)
def _moment(label: datetime, _language: str, _zone: str) -> str:
    """Dear to write, and several curves of a page have the same moments. The others are those in force."""
    return moment(label, "short")


def amount(value: Value, unit: Unit) -> str:
    if value is None:
        return "–"
    match unit:
        case Unit.BYTES:
            return byte_size(value)
        case Unit.SECONDS:
            return duration(float(value))
        case Unit.BYTE_RATE:
            return say(PER_SECOND.saying(amount=byte_size(value)))
        case Unit.RATE:
            return say(PER_SECOND.saying(amount=count(value)))
        case Unit.PERCENT:
            return say(PERCENT.saying(amount=count(value)))
        case _:
            return count(value)


def count(value: float) -> str:
    """Whole where it is whole, or so large that nobody asks for more."""
    whole = value == round(value) or abs(value) >= 100
    return number(value, 0 if whole else 1)
