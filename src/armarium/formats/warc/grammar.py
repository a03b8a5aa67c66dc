"""How the beginning of a record is told from other bytes, in WARC and in ARC files."""

import re
from dataclasses import dataclass
from typing import Protocol

# Where a record should begin, its first bytes are taken at their word; in a search after damage, more
# must fit.
# WARC 1.1 clause 4: version = "WARC/1.1" CRLF. Names are case-insensitive in the wild, and the letters alone
# would also begin a WAVE file or a word: a number must follow the slash, or a named field the line.
_WARC_START = re.compile(rb"WARC/(?:\d|[^\r\n]{0,30}\r*+\n[!-9;-~]{1,100}[ \t]*:)", re.IGNORECASE)
_WARC_SEARCH = re.compile(
    rb"(?<=\n)WARC/\d{1,3}\.\d{1,3}[ \t]*\r*+\n[!-9;-~]{1,100}[ \t]*:"
    rb"|WARC/\d\.\d{1,2}\r*+\n(?:WARC|Content)-[A-Za-z\-]{1,100}:",
    re.IGNORECASE,
)

# ARC: URL IP-address Archive-date Content-type [Result-code Checksum Location Offset Filename]
# Archive-length.
# The URL may hold spaces, so the fields behind it decide; dates have 14 digits, in the wild 12 to 18.
# Nothing is matched in two ways here (possessive quantifiers): a hostile line must not cost the square of its
# length.
_SCHEME = rb"[A-Za-z][A-Za-z0-9+.\-]{0,30}+:"
_ADDRESS_AND_DATE = rb"(?:[0-9A-Fa-f.:]{1,45}+|-) \d{12,18}+ "
# Word by word up to the first address and date, then to the end of the line.
_LINE = _SCHEME + rb"(?>[^ \r\n]*+ (?:[^ \r\n]*+ )*?" + _ADDRESS_AND_DATE + rb")[^\r\n]++\r*+\n"
_LINE_HERE, _LINE_ANYWHERE = re.compile(_LINE), re.compile(rb"(?<=\n)" + _LINE)
_DATE_BEFORE = re.compile(rb" (?=(" + _ADDRESS_AND_DATE + rb"))")
_LONGEST_LINE = 64 * 1024
_LONGEST_TYPE = 1000  # and what else stands between date and length
_LONGEST_BEFORE = 1 + 45 + 1 + 18 + 1  # the address and the date with their spaces
_FIELD = rb"[^ \r\n]{1,2000}+"
_FIELDS = rb"(?: " + _FIELD + rb"){4}(?:(?: " + _FIELD + rb"){5})?\r*+\n"
# Five or ten fields of which some say nothing, or stand in the wrong place.
_FIVE_OR_TEN = re.compile(
    rb"(?:" + _SCHEME + rb"[^ \r\n]{0,60000}+|-)" + _FIELDS
    + rb"|(?=[^ \r\n]++ (?:[^ \r\n]*+ ){0,8}?" + _ADDRESS_AND_DATE + rb")" + _FIELD + _FIELDS
)  # fmt: skip
_LAST_FIELD, _LENGTH = re.compile(_FIELD), re.compile(rb"-?\d{1,15}")


class Start(Protocol):
    """Tells whether a record begins at a place."""

    def match(self, data: bytes, position: int = 0, /) -> re.Match[bytes] | None: ...


class Search(Protocol):
    """Finds the next place at which a record begins."""

    def search(self, data: bytes, position: int = 0, /) -> re.Match[bytes] | None: ...


class _ArcStart:
    def match(self, data: bytes, position: int = 0, /) -> re.Match[bytes] | None:
        line = _LINE_HERE.match(data, position)
        return line if line and _is_record(line, _LAST_FIELD) else _FIVE_OR_TEN.match(data, position)


class _ArcSearch:
    def search(self, data: bytes, position: int = 0, /) -> re.Match[bytes] | None:
        lines = _LINE_ANYWHERE.finditer(data, position)
        return next((line for line in lines if _is_record(line, _LENGTH)), None)


def _is_record(match: re.Match[bytes], last: re.Pattern[bytes]) -> bool:
    """Whether a line with address and date has them where they should be, and the right last field."""
    line = match[0].rstrip(b"\r\n")
    space = line.rfind(b" ")
    if len(line) > _LONGEST_LINE - 2 or not last.fullmatch(line, space + 1):
        return False
    dates = _DATE_BEFORE.finditer(line, max(0, space - _LONGEST_TYPE - _LONGEST_BEFORE))
    return any(1 <= space - date.end(1) <= _LONGEST_TYPE for date in dates)


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the reader must know of a format to find the records in it."""

    name: str
    start: Start  # at a place where a record should begin
    search: Search  # anywhere behind a line end
    longest_start: int  # bytes that one match of `search` may have
    separator: bytes  # behind a block


BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # editors put it before the first record
WARC = Grammar("WARC", _WARC_START, _WARC_SEARCH, 256, b"\r\n\r\n")
ARC = Grammar("ARC", _ArcStart(), _ArcSearch(), _LONGEST_LINE, b"\n")


def grammar_of(beginning: bytes, position: int = 0) -> Grammar | None:
    """The format of the record that begins there; None where none does."""
    if WARC.start.match(beginning, position):
        return WARC
    if ARC.start.match(beginning, position):
        return ARC
    return None


def starts_record(beginning: bytes) -> bool:
    """Whether these first bytes of a member begin a record."""
    return grammar_of(beginning) is not None
