"""Reading lines of an index: any of the forms, told apart by their own marks, and never an exception."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from armarium.formats.cdx.columns import Layout, layout_by_shape, parse_legend
from armarium.formats.cdx.line import ABSENT, ENCODING, ERRORS, BadLine, CdxLine, Directive, Fault
from armarium.formats.cdx.timestamps import is_timestamp_like, moment

LONGEST_LINE = 1 << 20  # a POST key is cut at 4 KB and a URL rarely longer: beyond this it is no index line

# A key has no space by custom, but some indexers forgot to escape it: date and brace are the anchor.
_DATE_AND_BRACE = re.compile(r"(?:\A| )([0-9]{4,17}) +(?=\{)")
_DIRECTIVE = re.compile(r"[!@#](?P<name>[\w-]*)")
_NUMBERS = ("offset", "length", "orig.offset", "orig.length", "offset.uncompressed", "document.length")
# These are text in CDXJ by custom; the webrecorder specification shows them as numbers.
_WRITTEN_AS_TEXT = frozenset({"status", *_NUMBERS})

_scan = json.JSONDecoder().raw_decode

Parsed = CdxLine | Directive | Layout | BadLine


def parse_lines(lines: Iterable[bytes]) -> Iterator[Parsed]:
    """The lines of one file in turn; a legend holds for the lines after it."""
    layout: Layout | None = None
    for raw in lines:
        parsed = parse_line(raw, layout)
        if isinstance(parsed, Layout):
            layout = parsed
        yield parsed


def parse_line(raw: bytes, layout: Layout | None = None) -> Parsed:
    """One line, with or without its end. Without a layout, columns are recognised by their shape."""
    if len(raw) > LONGEST_LINE:
        return BadLine(raw, Fault.TOO_LONG, f"The line has {len(raw)} bytes; no index line is that long.")
    line = raw.rstrip(b"\r\n").decode(ENCODING, ERRORS)
    if not line.strip():
        return BadLine(raw, Fault.EMPTY, "The line is empty.")
    if line[0] in "!@#":
        return _directive(line)
    anchor = _DATE_AND_BRACE.search(line)
    if anchor is not None:
        return _cdxj(raw, line[: anchor.start()], anchor[1], line[anchor.end() :])
    announced = parse_legend(line)
    return announced if announced is not None else _columns(raw, line, layout)


def parse_sound_line(raw: bytes) -> CdxLine | None:
    """A line of CDXJ that was checked when it was written; None for one that is not as we write them.

    Five times as fast as `parse_line`: an answer of an index has hundreds of them.
    """
    key, _, rest = raw.decode(ENCODING, ERRORS).partition(" ")
    timestamp, _, text = rest.partition(" ")
    try:
        fields, end = _scan(text)
    except (ValueError, RecursionError):
        return None
    if end != len(text) or type(fields) is not dict or not (key and timestamp.isdigit()):
        return None
    return CdxLine(key, timestamp, fields)


def _directive(line: str) -> Directive:
    named = _DIRECTIVE.match(line)
    name = named["name"] if named else ""
    brackets = [place for place in (line.find("{"), line.find("[")) if place > 0]
    value = _json(line[min(brackets) :]) if line[0] == "!" and brackets else None
    return Directive(name, line, value)


def _cdxj(raw: bytes, key: str, timestamp: str, text: str) -> CdxLine | BadLine:
    fields = _json(text)
    if not isinstance(fields, dict):
        return BadLine(raw, Fault.JSON, f"What follows {timestamp} is not a JSON object.")
    for name in _WRITTEN_AS_TEXT & fields.keys():
        value = fields[name]
        if isinstance(value, int | float) and not isinstance(value, bool):
            fields[name] = str(value)
    return _checked(raw, CdxLine(key, timestamp, fields))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # a hostile line may be nested a thousand deep
        return None


def _columns(raw: bytes, line: str, layout: Layout | None) -> CdxLine | BadLine:
    delimiter = layout.delimiter if layout else " "
    columns = line.split(delimiter)
    if layout is None:
        columns = columns if len(columns) > 1 else line.split("\t")
        layout = layout_by_shape(columns) or layout_by_shape(columns := line.split())
        if layout is None:
            count = len(columns)
            return BadLine(raw, Fault.COLUMNS, f"No known form of CDX has {count} columns with such a date.")
    if len(columns) != len(layout):
        columns = [column for column in columns if column]  # a file aligned by hand
    if len(columns) != len(layout):
        message = f"The line has {len(columns)} columns where its file has {len(layout)}."
        return BadLine(raw, Fault.COLUMNS, message)
    fields = {
        name: value for name, value in zip(layout.names, columns, strict=True) if value not in (ABSENT, "")
    }
    return _checked(
        raw,
        CdxLine(fields.pop("urlkey", ""), fields.pop("timestamp", ""), fields),
        dated="timestamp" in layout.names,
    )


def _checked(raw: bytes, line: CdxLine, *, dated: bool = True) -> CdxLine | BadLine:
    if dated and moment(line.timestamp) is None:
        kind = "is no date" if is_timestamp_like(line.timestamp) else "is not a timestamp"
        return BadLine(raw, Fault.TIMESTAMP, f"“{line.timestamp}” {kind}.", line)
    for name in _NUMBERS:
        written = line.text(name)
        if written is not None and line.number(name) is None:
            return BadLine(raw, Fault.NUMBER, f"The {name} “{written[:40]}” is not a number.", line)
    return line


def capture_in(raw: bytes) -> CdxLine | None:
    """The capture of a line; what can be read of it, if something is wrong with it."""
    sound = parse_sound_line(raw)
    if sound is not None:
        return sound
    line = parse_line(raw)
    if isinstance(line, BadLine):
        return line.salvaged
    return line if isinstance(line, CdxLine) else None


# --- PATH lines: under which paths or addresses a W/ARC file can be found.
#
# `name<TAB>place[<TAB>place…]`, sorted by bytes (OpenWayback, pywb); the BnF wrote `name place` with a space.
# ZipNum's `.loc` files are the same, with the name of a part in place of a file's.


@dataclass(frozen=True)
class PathLine:
    name: str
    places: tuple[str, ...]
    delimiter: str = "\t"

    def to_bytes(self) -> bytes:
        """The line without its end."""
        return self.delimiter.join((self.name, *self.places)).encode(ENCODING, ERRORS)


def parse_path_line(raw: bytes) -> PathLine | BadLine:
    """A line with a tab is split at tabs; one without, at its first space: the place may hold more."""
    if len(raw) > LONGEST_LINE:
        return BadLine(raw, Fault.TOO_LONG, f"The line has {len(raw)} bytes; no path is that long.")
    line = raw.rstrip(b"\r\n\t ").decode(ENCODING, ERRORS)
    if not line.strip():
        return BadLine(raw, Fault.EMPTY, "The line is empty.")
    if "\t" in line:
        name, *places = line.split("\t")
        places = [place for place in places if place]
        delimiter = "\t"
    else:
        name, _, place = line.partition(" ")
        places, delimiter = [place.lstrip(" ")] if place else [], " "
    if not name or not places:
        return BadLine(raw, Fault.COLUMNS, "A PATH line names a file and at least one place where it is.")
    return PathLine(name, tuple(places), delimiter)


# --- The secondary index of a ZipNum cluster: where the block of lines that starts with a key lies.
#
# Two spellings: `key timestamp<TAB>part<TAB>offset<TAB>length[<TAB>number]` (`.idx`, `.summary`), and in WACZ
# files `key timestamp {"offset": 0, "length": 641, "digest": "sha256:…"}` after a line `!meta 0 {…}` that
# names the file of blocks.


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
