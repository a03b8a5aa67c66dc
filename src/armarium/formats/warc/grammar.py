"""How the beginning of a record is told from other bytes, in WARC and in ARC files."""

import re
from dataclasses import dataclass

# Where a record should begin, its first bytes are taken at their word; in a search after damage, more
# must fit.
# WARC 1.1 clause 4: version = "WARC/1.1" CRLF. Names are case-insensitive in the wild, and the letters alone
# would also begin a WAVE file or a word: a number must follow the slash, or a named field the line.
_WARC_START = re.compile(rb"WARC/(?:\d|[^\r\n]{0,30}\r?\n[!-9;-~]{1,100}[ \t]*:)", re.IGNORECASE)
_WARC_SEARCH = re.compile(
    rb"(?<=\n)WARC/\d{1,3}\.\d{1,3}[ \t]*\r?\n[!-9;-~]{1,100}[ \t]*:"
    rb"|WARC/\d\.\d{1,2}\r?\n(?:WARC|Content)-[A-Za-z\-]{1,100}:",
    re.IGNORECASE,
)

# ARC: URL IP-address Archive-date Content-type [Result-code Checksum Location Offset Filename]
# Archive-length.
# The URL may hold spaces, so the fields behind it decide; dates have 14 digits, in the wild 12 to 18.
_SCHEME = rb"[A-Za-z][A-Za-z0-9+.\-]{0,30}:"
_ADDRESS_AND_DATE = rb" (?:[0-9A-Fa-f.:]{1,45}|-) \d{12,18} "
_ARC_SEARCH = re.compile(
    rb"(?<=\n)" + _SCHEME + rb"[^\r\n]{0,60000}" + _ADDRESS_AND_DATE + rb"[^\r\n]{1,1000} -?\d{1,15}\r?\n"
)
_FIELD = rb"[^ \r\n]{1,2000}"
_ARC_START = re.compile(
    b"|".join(
        (
            _SCHEME + rb"[^\r\n]{0,60000}" + _ADDRESS_AND_DATE + rb"[^\r\n]{1,1000} " + _FIELD + rb"\r?\n",
            # Five or ten fields of which some say nothing, or stand in the wrong place.
            rb"(?:" + _SCHEME + rb"[^ \r\n]{0,60000}|-)(?: " + _FIELD + rb"){4}(?:(?: " + _FIELD + rb"){5})?\r?\n",  # noqa: E501
            rb"(?=[^\r\n]{1,8000}" + _ADDRESS_AND_DATE + rb")" + _FIELD + rb"(?: " + _FIELD + rb"){4}(?:(?: " + _FIELD  # noqa: E501
            + rb"){5})?\r?\n",
        )
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the reader must know of a format to find the records in it."""

    name: str
    start: re.Pattern[bytes]  # at a place where a record should begin
    search: re.Pattern[bytes]  # anywhere behind a line end
    longest_start: int  # bytes that one match of `search` may have
    separator: bytes  # behind a block


WARC = Grammar("WARC", _WARC_START, _WARC_SEARCH, 256, b"\r\n\r\n")
ARC = Grammar("ARC", _ARC_START, _ARC_SEARCH, 64 * 1024, b"\n")


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
