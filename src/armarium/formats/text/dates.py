"""Dates in sitemaps and feeds: the forms of the standards, and those that stand there instead."""

import re
from datetime import UTC, datetime, timedelta, timezone

# W3C date and time format (sitemaps.org, RFC 3339), with missing parts, other separators, and no separators
# at all
_W3C = re.compile(
    r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?|-?(\d{2})(\d{2}))?"
    r"(?:[Tt\s_]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,:](\d{1,9}))?)?)?\s*"
    r"(Z|z|UTC|GMT|[+−-]\s?\d{2}(?::?\d{2})?)?(?:\s*\[[^\]]{1,40}\])?"
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january janvier januar enero gennaio janeiro",
            "feb february février fevrier februar febrero febbraio",
            "mar march mars märz marz marzo",
            "apr april avril abril aprile",
            "may mai mayo maggio",
            "jun june juin juni junio giugno",
            "jul july juillet juli julio luglio",
            "aug august août aout agosto",
            "sep sept september septembre septiembre settembre",
            "oct october octobre oktober okt octubre ottobre",
            "nov november novembre noviembre",
            "dec december décembre decembre dezember dez diciembre dicembre",
        ),
        1,
    )
    for name in names.split()
}
_ZONES = {
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "bst": 60, "west": 60, "cet": 60, "mez": 60, "cest": 120,
    "mesz": 120, "eet": 120, "eest": 180, "msk": 180, "ist": 330, "jst": 540, "kst": 540, "est": -300,
    "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip
# RFC 822 and 2822, asctime, and their relatives: words and numbers in some order
_WORD = re.compile(r"[^\W\d_]+")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?")
_OFFSET = re.compile(r"(?:GMT|UTC)?\s*([+-])(\d{2}):?(\d{2})?(?!\d)")
_NUMBER = re.compile(r"\d{1,4}")
_LONGEST = 100


def parse_date(text: str) -> datetime | None:
    """A moment in UTC, or None. A date without a time is its beginning; without a zone, UTC."""
    text = text[:_LONGEST].strip()
    found = _W3C.fullmatch(text)
    if found is not None:
        return _w3c(found)
    return _by_words(text)


def _w3c(found: re.Match[str]) -> datetime | None:
    year, month, day, tight_month, tight_day, hour, minute, second, fraction, zone = found.groups()
    offset = _offset(zone)
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    return _moment(
        int(year), int(month or tight_month or 1), int(day or tight_day or 1),
        int(hour or 0), int(minute or 0), int(second or 0), micro, offset,
    )  # fmt: skip


def _offset(zone: str | None) -> int:
    """Minutes east of Greenwich."""
    if not zone or zone.lower() in _ZONES:
        return 0
    digits = re.sub(r"\D", "", zone)
    minutes = int(digits[:2]) * 60 + int(digits[2:4] or 0)
    return -minutes if zone[0] in "-−" else minutes


def _by_words(text: str) -> datetime | None:
    clock = _CLOCK.search(text)
    rest = text[: clock.start()] + " " + text[clock.end() :] if clock else text
    words = [word.lower() for word in _WORD.findall(rest)]
    month = next((_MONTHS[word] for word in words if word in _MONTHS), None)
    if month is None:
        return None
    after = text[clock.end() :] if clock else ""
    shift = _OFFSET.search(after)
    if shift:
        rest = rest.replace(shift[0], " ")
        minutes = int(shift[2]) * 60 + int(shift[3] or 0)
        offset = -minutes if shift[1] == "-" else minutes
    else:
        offset = next((_ZONES[word] for word in reversed(words) if word in _ZONES), 0)
    numbers = _NUMBER.findall(rest)
    if len(numbers) < 2:
        return None
    day, year = _day_and_year(numbers)
    hour, minute, second = (int(part or 0) for part in clock.groups()) if clock else (0, 0, 0)
    return _moment(year, month, day, hour, minute, second, 0, offset)


def _day_and_year(numbers: list[str]) -> tuple[int, int]:
    first, second = numbers[0], numbers[1]
    if len(first) == 4:
        return int(second), int(first)
    year = int(second)
    # RFC 2822, 4.3: two digits, 00 to 49: from 2000 on; three digits: since 1900.
    if len(second) == 2:
        year += 2000 if year < 50 else 1900
    elif len(second) == 3:
        year += 1900
    return int(first), year


def _moment(
    year: int, month: int, day: int, hour: int, minute: int, second: int, micro: int, offset: int
) -> datetime | None:
    # 24:00 and the 60th second are written in earnest.
    extra = timedelta(days=1) if hour == 24 else timedelta()
    try:
        zone = timezone(timedelta(minutes=offset))
        moment = datetime(year, month, day, hour % 24, minute, min(second, 59), micro, tzinfo=zone)
        return (moment + extra).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
