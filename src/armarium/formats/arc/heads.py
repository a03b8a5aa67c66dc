"""The header of an ARC record, and what the version block says of those that follow."""

import re

from armarium.formats.arc.lines import V2, parse_line
from armarium.formats.arc.records import ArcRecord, ArcVersionBlock
from armarium.formats.warc.block import Block
from armarium.formats.warc.cursor import Cursor
from armarium.formats.warc.damage import DAMAGE
from armarium.formats.warc.fields import Fields

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
