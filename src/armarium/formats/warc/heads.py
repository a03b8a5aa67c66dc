"""The header of a WARC record: from its version line to its empty line."""

import re

from armarium.formats.gzip.members import Stroke
from armarium.formats.warc.block import Block, WholeBlock
from armarium.formats.warc.cursor import Cursor
from armarium.formats.warc.damage import DAMAGE
from armarium.formats.warc.fields import Fields
from armarium.formats.warc.records import RECORD_TYPES, Record, Unknown, number

MAX_HEAD = 1024 * 1024

VERSIONS = ("WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1")
_VERSIONS = {version.encode(): version for version in VERSIONS}
_TYPES = {name.encode(): kind for name, kind in RECORD_TYPES.items()}
# Nearly every header: a known version, no folded lines, the type before the length. What this tells in one
# step takes four times as long to find out line by line.
_USUAL = re.compile(
    rb"(WARC/1\.[01])\r\n(?:(?!Content-L|WARC-Ty)\S.*\n)*+WARC-Type: ([a-z]+)\r\n"
    rb"(?:(?!Content-L)\S.*\n)*+Content-Length: (\d{1,18})\r\n(?:\S.*\n)*+\r\n"
)
# What a file must still hold of a cut header for it to count as a record: a version line that could be
# known, or another one with a field.
_BEGUN = re.compile(
    rb"WARC/[01]\.\d{1,2}\r*+\n|WARC/[^\r\n]{0,30}\r*+\n[!-9;-~]{1,100}[ \t]*:", re.IGNORECASE
)
# LF alone is the work of a text tool, CR CR LF of one that made CRLF of the LF in a CRLF: both are read.
_DOUBLE_CR = b"\r\r\n"
_EMPTY_LINE = re.compile(rb"\n\r*+\n")


def read_warc(cursor: Cursor) -> Record | None:
    """The record that begins where the cursor stands, which then stands at its block; None where it is
    none.
    """
    segment = cursor.segment
    assert segment is not None, "the cursor stands at a record"
    buffer, begin = cursor.buffer, cursor.position
    usual = _USUAL.match(buffer, begin)
    if usual is None:
        return _read_unusual(cursor)
    version, kind, length = usual.groups()
    cursor.position = end = usual.end()
    fields = Fields(buffer[begin + 10 : end - 2])
    block = Block(cursor, int(length))
    if segment.plain or begin or cursor.base:
        cursor.position = begin
        offset, inner = cursor.place
        cursor.position = end
        record = (_TYPES.get(kind) or Unknown)(_VERSIONS[version], fields, block, offset, segment)
        record.inner_offset = inner
        return record
    return (_TYPES.get(kind) or Unknown)(_VERSIONS[version], fields, block, segment.offset, segment)


def read_whole(content: bytes, stroke: Stroke) -> Record | None:
    """The record that fills a member exactly, as nearly all do; None where this is no such record."""
    usual = _USUAL.match(content)
    if usual is None:
        return None
    version, kind, digits = usual.groups()
    end, length = usual.end(), int(digits)
    if end + length + 4 != len(content) or not content.endswith(b"\r\n\r\n"):
        return None
    fields, block = Fields(content[10 : end - 2]), WholeBlock(content, end, length)
    record = (_TYPES.get(kind) or Unknown)(_VERSIONS[version], fields, block, stroke[1])
    record.stroke = stroke
    record._length = stroke[4] - stroke[1]
    return record


def _read_unusual(cursor: Cursor) -> Record | None:
    offset, inner = cursor.place
    segment = cursor.segment
    found = _find_end(cursor)
    if found is None:
        return None
    begin, end, cursor.position, whole = found
    buffer = cursor.buffer
    line = buffer.find(b"\n", begin, end) + 1 or end
    record = _unusual(cursor, buffer[begin:line], Fields(buffer[line:end]), offset, whole)
    record.inner_offset, record.member = inner, segment
    record.unusual_head = cursor.position - begin
    if _DOUBLE_CR in buffer[begin : cursor.position]:
        record.problems.append(DAMAGE.problem("record-header-double-cr", offset))
    return record


def _unusual(cursor: Cursor, line: bytes, fields: Fields, offset: int, whole: bool) -> Record:
    kind = RECORD_TYPES.get((fields.get("WARC-Type") or "").lower(), Unknown)
    length = number(fields.get("Content-Length"))
    version = line.strip().decode("latin-1").upper()
    record = kind(version, fields, Block(cursor, length or 0), offset)
    _note_oddities(record, line, length, whole)
    return record


def _find_end(cursor: Cursor) -> tuple[int, int, int, bool] | None:
    """Begin and end of the header in the buffer, begin of the block, and whether the empty line was there."""
    begin = cursor.position
    while True:
        buffer = cursor.buffer
        empty = _EMPTY_LINE.search(buffer, begin)
        if empty is not None:
            return begin, empty.start() + 1, empty.end(), True
        if len(buffer) - begin > MAX_HEAD:
            return None
        more = cursor.extend()
        begin = cursor.position
        if not more:
            size = len(cursor.buffer)
            return (begin, size, size, False) if _BEGUN.match(cursor.buffer, begin) else None


def _note_oddities(record: Record, line: bytes, length: int | None, whole: bool) -> None:
    def note(code: str, **facts: object) -> None:
        record.problems.append(DAMAGE.problem(code, record.offset, **facts))

    if not line.endswith(b"\r\n") and line.endswith(b"\n"):
        note("record-header-line-feed")
    if record.version not in VERSIONS:
        note("record-version-unknown", version=record.version)
    if not whole:
        note("record-header-truncated")
        record.complete = False
    elif length is None:
        value = record.fields.get("Content-Length")
        note("record-length-invalid", value=value) if value else note("record-length-missing")
