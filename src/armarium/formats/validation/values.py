"""The syntax of the values in WARC and ARC headers, as pure functions.

Each returns the code of the rule that is broken, or "" where the value is as it should be. Nearly every value
of a real file recurs (types, profiles, addresses) or has one plain shape (record ids, dates), so the costly
checks are behind a quick pattern or a cache.
"""

import calendar
import ipaddress
import re
from functools import lru_cache

# RFC 3986, appendix A: what a URI may be made of. Brackets only around an IP literal, one "#" at most.
PCHARS = r"A-Za-z0-9._~!$&'()*+,;=:@%-"
URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*+:"
    r"(?://[A-Za-z0-9._~!$&'()*+,;=:@%-]*+(?:\[[0-9A-Fa-fv:.%_~!$&'()*+,;=-]*+\](?::[0-9]*+)?)?(?=[/?#]|\Z))?"
    rf"[{PCHARS}/]*+(?:\?[{PCHARS}/?]*+)?(?:\#[{PCHARS}/?]*+)?"
)  # possessive throughout: no value can make it go back and try again
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.", re.DOTALL)
STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
SPACE = re.compile(r"\s")
UUID_ID = re.compile(r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}>")

# The W3C profile of ISO 8601, any granularity, fractions of 1 to 9 digits (ISO 28500:2017, 5.4).
DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?)?)?",
    re.ASCII | re.IGNORECASE,
)
WHOLE_SECONDS = 20  # characters of YYYY-MM-DDThh:mm:ssZ, the only form of WARC 1.0 (5.4)

WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
TOKEN = re.compile(WORD)
MEDIA_TYPE = re.compile(
    rf'{WORD}/{WORD}(?:[ \t]*;[ \t]*(?:{WORD}[ \t]*=[ \t]*(?:{WORD}|"(?:[^"\\]|\\.)*+"))?)*+[ \t]*'
)
LONGEST = 65_536  # characters: a longer value is not looked at closely (nothing legitimate comes near)
EARLIEST_YEAR = "1990"  # before the first web page, so an older capture date is a clock that was not set


def uri_fault(value: str) -> str:
    """Why a value is not an absolute URI per RFC 3986: a word for the rule, or ""."""
    if len(value) > LONGEST:
        return "syntax"
    if URI.fullmatch(value):
        return "percent" if "%" in value and STRAY_PERCENT.search(value) else ""
    if SPACE.search(value):
        return "space"
    return "syntax" if SCHEME.match(value) else "not-absolute"


def first_stranger(value: str) -> str:
    """The first character that keeps a value from being a URI, for the message."""
    for character in value:
        if not re.match(rf"[{PCHARS}/?#]", character):
            return character
    return next((character for character in value if character in "[]#"), "")


@lru_cache(maxsize=256)
def date_fault(value: str, version: str) -> str:
    """Why a WARC-Date is not one: "invalid", "precision" (not allowed in this version), "zone", or ""."""
    match = DATE.fullmatch(value)
    if match is None or not real_moment(*match.group(1, 2, 3, 4, 5, 6)):
        return "invalid"
    zone = match.group(8)
    if match.group(4) is not None and (zone is None or zone.upper() != "Z"):
        return "zone"
    if version != "1.1" and len(value) != WHOLE_SECONDS:
        return "precision"
    return ""


@lru_cache(maxsize=1024)
def is_day(value: str) -> bool:
    """Whether the calendar has a day that is written YYYY-MM-DD."""
    return real_moment(*value.split("-"), None, None, None)


def real_moment(year: str, *rest: str | None) -> bool:
    """Whether the calendar has this moment. A leap second (:60) is one."""
    month, day, hour, minute, second = (int(part) if part else None for part in rest)
    if month is not None and not 1 <= month <= 12:
        return False
    if day is not None and month is not None and not 1 <= day <= _days(int(year), month):
        return False
    return (hour or 0) <= 23 and (minute or 0) <= 59 and (second or 0) <= 60


def _days(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1] if year else 0


def arc_date_fault(value: str) -> str:
    """Why an ARC date is not yyyyMMddHHmmss: "invalid", "short", "long", or ""."""
    if not (value.isascii() and value.isdigit()):
        return "invalid"
    if len(value) != 14:
        return "short" if len(value) < 14 else "long"
    parts = value[:4], value[4:6], value[6:8], value[8:10], value[10:12], value[12:]
    return "" if real_moment(*parts) else "invalid"


@lru_cache(maxsize=1024)
def address_fault(value: str) -> str:
    """Why a value is not a good IP address: "invalid", "form" (not the RFC 5952 form), "private", or ""."""
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return "invalid"
    if "%" in value:
        return "invalid"  # a zone index means nothing outside the machine that wrote it
    if address.version == 6 and str(address) != value:
        return "form"
    return "private" if address.is_private or address.is_loopback or address.is_link_local else ""


def recommended_address(value: str) -> str:
    """The one way to write an IPv6 address (RFC 5952)."""
    return str(ipaddress.ip_address(value))


@lru_cache(maxsize=1024)
def is_media_type(value: str) -> bool:
    return len(value) <= LONGEST and MEDIA_TYPE.fullmatch(value) is not None


@lru_cache(maxsize=1024)
def essence(media_type: str) -> str:
    """type/subtype in lower case, without parameters."""
    return media_type.partition(";")[0].strip().lower()


def is_number(value: str) -> bool:
    """1*DIGIT (RFC 2616, 2.1); int() would also take signs, spaces, underscores and other scripts' digits."""
    return value.isascii() and value.isdigit()
