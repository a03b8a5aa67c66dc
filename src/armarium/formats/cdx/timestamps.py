"""The dates of an index: 14 digits by custom, fewer or more in practice, ISO 8601 in some files."""

import re
from calendar import monthrange
from datetime import UTC, datetime
from functools import lru_cache

_DIGITS = re.compile(r"[0-9]{4,17}\Z")
_ISO = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?[Zz]?\Z"
)
_EARLIEST = "00000101000000000"  # completes a date that is not known to the millisecond
_WHOLE_PARTS = frozenset({4, 6, 8, 10, 12, 14, 17})


def is_timestamp_like(text: str) -> bool:
    """Whether this is meant as a date, be it a possible one or not (`20000012170449` is not)."""
    return _DIGITS.match(text) is not None or _ISO.match(text) is not None


def clipped(digits: str) -> str:
    """The 14 digits of a moment that there is, for whatever digits somebody wrote into an address.

    Less than a year is the end of the last one that begins so: `/2/` is how people ask for the newest. Of the
    rest, what is missing is the earliest, and what is impossible (the 31st of June) the nearest.
    """
    if len(digits) < len("2026"):
        digits += "99991231235959"[len(digits) :]
    digits = digits[:14].ljust(14, "0")
    year = max(1, int(digits[:4]))
    month = min(max(1, int(digits[4:6])), 12)
    day = min(max(1, int(digits[6:8])), monthrange(year, month)[1])
    hour, minute, second = int(digits[8:10]), int(digits[10:12]), int(digits[12:14])
    return f"{year:04}{month:02}{day:02}{min(hour, 23):02}{min(minute, 59):02}{min(second, 59):02}"


@lru_cache(maxsize=1024)  # neighbouring lines of a crawl share their seconds
def moment(text: str) -> datetime | None:
    """The time that 4 to 14 digits, 17 digits or ISO 8601 stand for; None if there is no such time."""
    iso = _ISO.match(text)
    if iso is not None:
        digits = "".join(iso.group(1, 2, 3, 4, 5, 6)) + (iso.group(7) or "").ljust(3, "0")[:3]
    elif _DIGITS.match(text) and len(text) in _WHOLE_PARTS:
        digits = text + _EARLIEST[len(text) :]
    else:
        return None
    try:
        return datetime(
            int(digits[:4]),
            int(digits[4:6]),
            int(digits[6:8]),
            int(digits[8:10]),
            int(digits[10:12]),
            int(digits[12:14]),
            int(digits[14:17]) * 1000,
            tzinfo=UTC,
        )
    except ValueError:  # the 31st of February, or the 61st second
        return None
