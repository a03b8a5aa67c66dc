"""The secondary index of a ZipNum cluster: where the block of lines that starts with a key lies.

Two spellings: `key timestamp<TAB>part<TAB>offset<TAB>length[<TAB>number]` (`.idx`, `.summary`), and in WACZ
files `key timestamp {"offset": 0, "length": 641, "digest": "sha256:…"}` after a line `!meta 0 {…}` that
names the file of blocks.
"""

import json
from dataclasses import dataclass

from armarium.formats.cdx.line import ENCODING, ERRORS, BadLine, CdxLine, Directive, Fault
from armarium.formats.cdx.parsing import LONGEST_LINE, parse_line


@dataclass(frozen=True)
class BlockLine:
    """One block of compressed lines, found by the first of them."""

    start: str  # key and timestamp of its first line, with the space between
    offset: int
    length: int
    part: str = ""  # the name of the part, to be looked up in the `.loc` file; none in a WACZ
    number: int | None = None
    digest: str = ""

    def to_zipnum(self) -> bytes:
        number = [] if self.number is None else [str(self.number)]
        columns = (self.start, self.part, str(self.offset), str(self.length), *number)
        return "\t".join(columns).encode(ENCODING, ERRORS)

    def to_wacz(self) -> bytes:
        place: dict[str, int | str] = {"offset": self.offset, "length": self.length}
        if self.digest:
            place["digest"] = self.digest
        return f"{self.start} {json.dumps(place)}".encode(ENCODING, ERRORS)


def parse_block_line(raw: bytes) -> BlockLine | Directive | BadLine:
    if len(raw) > LONGEST_LINE:
        return BadLine(raw, Fault.TOO_LONG, f"The line has {len(raw)} bytes; no index line is that long.")
    line = raw.rstrip(b"\r\n").decode(ENCODING, ERRORS)
    if "\t" not in line:
        return _wacz(raw)
    start, *columns = line.split("\t")
    if len(columns) not in (3, 4):
        return BadLine(raw, Fault.COLUMNS, f"A ZipNum line has 4 or 5 columns, not {1 + len(columns)}.")
    part, *numbers = columns
    if not all(number.isascii() and number.isdigit() and len(number) < 20 for number in numbers):
        return BadLine(raw, Fault.NUMBER, "Offset, length and number of a ZipNum line must be numbers.")
    offset, length, *number = map(int, numbers)
    return BlockLine(start, offset, length, part, number[0] if number else None)


def _wacz(raw: bytes) -> BlockLine | Directive | BadLine:
    parsed = parse_line(raw)
    if isinstance(parsed, BadLine | Directive):
        return parsed
    if not isinstance(parsed, CdxLine):
        return BadLine(raw, Fault.COLUMNS, "A legend has no place in a secondary index.")
    if parsed.offset is None or parsed.length is None:
        return BadLine(raw, Fault.NUMBER, "The line does not say where its block lies.", parsed)
    start = f"{parsed.key} {parsed.timestamp}" if parsed.key else parsed.timestamp
    return BlockLine(start, parsed.offset, parsed.length, digest=parsed.text("digest") or "")
