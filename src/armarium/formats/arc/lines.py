"""The line that begins an ARC record."""

import re
from datetime import UTC, datetime

# Version 1 has five fields, version 2 ten. The names are those of the version block's definition line.
V1 = ("URL", "IP-address", "Archive-date", "Content-type", "Archive-length")
V2 = (
    "URL", "IP-address", "Archive-date", "Content-type", "Result-code", "Checksum", "Location",
    "Offset", "Filename",
    "Archive-length",
)  # fmt: skip
_V2_BEHIND_TYPE = 5  # fields between content type and length

# URLs hold spaces (Common Crawl, LiveWeb), and so do content types with parameters: IP address and
# date are found
# first, as far right as they stand, and the rest is told by them.
_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.\-]*:")
_ADDRESS = re.compile(rb"[0-9A-Fa-f.:]+|-")
_DATE = re.compile(rb"\d{12,18}")


def parse_line(line: bytes) -> list[tuple[str, str]]:
    """Names and values of the fields; all that does not fit is left to the URL."""
    bare = line.strip(b"\r\n")
    words = bare.split(b" ")
    place = _address_place(words)
    if not place or not words[-1] or not _SCHEME.match(bare):
        return _by_count(bare)
    url, middle = b" ".join(words[:place]), b" ".join(words[place + 2 : -1])
    parts = middle.rsplit(b" ", _V2_BEHIND_TYPE)
    if len(parts) > _V2_BEHIND_TYPE and _is_v2(parts):
        return _named(V2, [url, *words[place : place + 2], *parts, words[-1]])
    return _named(V1, [url, *words[place : place + 2], middle, words[-1]])


def _address_place(words: list[bytes]) -> int:
    """Which word is the last IP address with a date behind it, a type and a length behind that; 0: none."""
    # Word by word from the right: one expression for the whole line would take the square of its length.
    for place in range(len(words) - 4, 0, -1):
        if _DATE.fullmatch(words[place + 1]) and _ADDRESS.fullmatch(words[place]):
            if place == len(words) - 4 and not words[place + 2]:
                continue  # two spaces, and no type between them
            return place
    return 0


def _is_v2(parts: list[bytes]) -> bool:
    # Result code and offset are numbers, or "-" where unknown.
    return all(re.fullmatch(rb"-|-?\d+", parts[place]) for place in (1, 4))


def _by_count(line: bytes) -> list[tuple[str, str]]:
    if line.count(b" ") >= len(V2) - 1:
        return _named(V2, line.rsplit(b" ", len(V2) - 1))
    values = line.rsplit(b" ", len(V1) - 1)
    return _named(V1, values + [b""] * (len(V1) - len(values)))


def _named(names: tuple[str, ...], values: list[bytes]) -> list[tuple[str, str]]:
    return [(name, _text(value)) for name, value in zip(names, values, strict=True)]


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def parse_arc_date(text: str) -> datetime | None:
    """YYYYMMDDhhmmss; twelve digits lack the seconds, and what stands behind fourteen is a fraction."""
    if not (text.isascii() and text.isdigit() and 12 <= len(text) <= 20):
        return None
    digits = text[:14].ljust(14, "0")
    try:
        moment = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return moment.replace(microsecond=int(text[14:20].ljust(6, "0")))
