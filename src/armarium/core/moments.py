"""Moments as people type them, on the clock of some place, and as documents carry them."""

from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, AwareDatetime

from armarium.core.errors import Refused
from armarium.core.message import message

#: In a document of the API: with its zone; kept in UTC.
Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.astimezone(UTC))]


@lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo:
    return ZoneInfo(name) if name else UTC


def zone_named(name: str, field: str = "zone") -> tzinfo:
    try:
        return _zone(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        text = message("There is no time zone named %(name)s; write it as Europe/Paris.", name=name)
        raise Refused(text, field=field) from None


def moment_in(text: str | None, zone: tzinfo, field: str | None = None) -> datetime | None:
    """As browsers send it and people type it, 2026-12-31T03:00, on the clock of a zone; None for nothing."""
    text = (text or "").strip()
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        fault = message("“%(text)s” is no moment. Write it as 2026-12-31T03:00.", text=text[:60])
        raise Refused(fault, field=field) from None


def written_moment(moment: datetime | None, zone: tzinfo = UTC) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%dT%H:%M") if moment else ""
