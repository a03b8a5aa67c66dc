"""ARC files (versions 1.0, 1.1 and 2.0), the format of web archives before WARC: reading only.

Comes in: the stream of a file that `formats.warc.reader` found to be ARC.
Goes out: records with the same accessors as WARC records, as far as ARC knows the values.
It must never take a part of a URL for another field.
"""

import re
from datetime import UTC, datetime

from armarium.formats.warc.block import Block
from armarium.formats.warc.cursor import Cursor
from armarium.formats.warc.damage import DAMAGE
from armarium.formats.warc.fields import Fields
from armarium.formats.warc.records import Record, number

# --- The line that begins an ARC record.


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


# --- ARC records, with the accessors of WARC records where ARC knows the value.


_HTTP = ("http:", "https:")
# Alexa's own data about its crawl stand under http: addresses but are no HTTP messages.
_NOT_HTTP = ("alexa/dat", "text/dns")

_status_line = re.compile(rb"HTTP/1\.[01] [1-5][0-9]{2}").match


class ArcRecord(Record):
    """A capture in an ARC file."""

    @property
    def record_type(self) -> str:
        return "response"

    @property
    def record_id(self) -> str | None:
        return None

    @property
    def target_uri(self) -> str | None:
        return self._value("URL")

    @property
    def date(self) -> datetime | None:
        return parse_arc_date(self.fields.get("Archive-date") or "")

    @property
    def ip_address(self) -> str | None:
        return self._value("IP-address")

    @property
    def content_type(self) -> str | None:
        """The type that the crawler noted: that of the payload, not of the block."""
        return self._value("Content-type")

    @property
    def content_length(self) -> int | None:
        return number(self.fields.get("Archive-length"))

    @property
    def result_code(self) -> int | None:
        return number(self.fields.get("Result-code"))

    @property
    def checksum(self) -> str | None:
        return self._value("Checksum")

    @property
    def location(self) -> str | None:
        return self._value("Location")

    @property
    def stated_offset(self) -> int | None:
        """The offset that the record itself gives, in the file before compression."""
        return number(self.fields.get("Offset"))

    @property
    def filename(self) -> str | None:
        return self._value("Filename")

    @property
    def is_http(self) -> bool:
        """Whether the block begins with an HTTP head: the URL alone does not tell."""
        if self._http is not None:
            return True
        if (self.content_type or "").lower().startswith(_NOT_HTTP):
            return False
        if self.block.position:
            return False
        if not (self.target_uri or "").lower().startswith(_HTTP):
            return _status_line(self.block.peek(12)) is not None  # an HTTP proxy fetched ftp:
        return self.block.peek(5).upper() in (b"HTTP/", b"HTTP ", b"ICY 2")

    @property
    def is_request(self) -> bool:
        return False

    def _value(self, name: str) -> str | None:
        value = self.fields.get(name)
        return None if value in ("", "-") else value


class ArcVersionBlock(ArcRecord):
    """The first record of an ARC file: which version it has, and who wrote it."""

    @property
    def record_type(self) -> str:
        return "filedesc"

    @property
    def is_http(self) -> bool:
        return False


# --- The header of an ARC record, and what the version block says of those that follow.


MAX_LINE = 64 * 1024
# Version block: version-number SP reserved SP origin-code LF, then the definition of the fields, then
# (1.1) XML.
_VERSION_LINE = re.compile(rb"(\d{1,3}) (\d{1,3})(?: |\r*+\n)")


def read_arc(cursor: Cursor, version: str) -> ArcRecord | None:
    """The record whose line begins where the cursor stands, which then stands at its block."""
    offset, inner = cursor.place
    segment = cursor.segment
    line = cursor.look(MAX_LINE)
    end = line.find(b"\n") + 1
    if not end:
        return None
    line = line[:end]
    cursor.position += end
    pairs = parse_line(line)
    fields = Fields.of(pairs, line)
    length = fields.get("Archive-length") or ""
    block = Block(cursor, int(length) if _is_length(length) else 0)
    kind = ArcVersionBlock if line[:9].lower() == b"filedesc:" else ArcRecord
    version = _own_version(block) if kind is ArcVersionBlock else version
    record = kind(
        version or ("ARC/2.0" if len(pairs) == len(V2) else "ARC/1.0"), fields, block, offset, segment
    )
    record.inner_offset = inner
    if not _is_length(length):
        record.problems.append(DAMAGE.problem("record-length-invalid", offset, value=length))
    if line.endswith(b"\r\r\n"):
        record.problems.append(DAMAGE.problem("record-header-double-cr", offset))
    if " " in (record.target_uri or ""):
        record.problems.append(DAMAGE.problem("arc-url-with-space", offset))
    return record


def _is_length(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def _own_version(block: Block) -> str:
    match = _VERSION_LINE.match(block.peek(64))
    return f"ARC/{int(match[1])}.{int(match[2])}" if match else ""
