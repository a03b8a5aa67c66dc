"""A capture as a line of an answer."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from json.encoder import encode_basestring_ascii as quoted

from armarium.access.cdxserver.lines import Told
from armarium.access.cdxserver.parameters import OUR_NAMES
from armarium.formats.cdx import CDX11
from armarium.formats.cdx.line import ABSENT, ENCODING, ERRORS
from armarium.formats.cdx.query import value_of

Line = Callable[[Told], bytes]
_NUMBERS = frozenset({"timestamp", "status", "length", "offset", "orig.length", "orig.offset"})
_STARTS = ("urlkey", "timestamp")


def cdxj(told: Told) -> bytes:
    return told.raw + b"\n"


def cdxj_of(fields: Sequence[str]) -> Line:
    """Only these fields; key and time always lead a line."""
    wanted = [name for name in fields if name not in _STARTS]

    def write(told: Told) -> bytes:
        start = f"{told.key} {told.timestamp} ".encode(ENCODING, ERRORS)
        return start + _object(told, wanted) + b"\n"

    return write


def ndjson(told: Told) -> bytes:
    """One object on each line. What the index has as JSON already is taken as it stands."""
    start = f'{{"urlkey": {quoted(told.key)}, "timestamp": {quoted(told.timestamp)}'.encode()
    body = told.raw[told.raw.index(b" {") + 1 :]  # key and time have no space in them
    return start + (b"}\n" if body == b"{}" else b", " + body[1:] + b"\n")


def ndjson_of(fields: Sequence[str]) -> Line:
    return lambda told: _object(told, fields) + b"\n"


def _object(told: Told, fields: Iterable[str]) -> bytes:
    known = ((name, value_of(told.line, OUR_NAMES.get(name, name))) for name in fields)
    return json.dumps({name: value for name, value in known if value != ABSENT}).encode()


def columns(fields: Sequence[str]) -> Line:
    """With spaces between; what a line does not tell is `-`."""
    names = [OUR_NAMES.get(name, name) for name in fields]

    def write(told: Told) -> bytes:
        cells = (value_of(told.line, name).replace(" ", "%20").replace("\n", "%0A") for name in names)
        return " ".join(cells).encode(ENCODING, ERRORS) + b"\n"

    return write


def cdx11(told: Told) -> bytes:
    return told.line.to_cdx(CDX11) + b"\n"


def cells(told: Told, fields: Sequence[str]) -> list[str]:
    return [readable(value_of(told.line, OUR_NAMES.get(name, name))) for name in fields]


def numbered_cells(told: Told, fields: Sequence[str]) -> list[str | int | None]:
    """As OutbackCDX writes them: numbers as numbers, and null for one that is not known."""
    return [_number(told, OUR_NAMES.get(name, name)) for name in fields]


def _number(told: Told, name: str) -> str | int | None:
    value = value_of(told.line, name)
    if name not in _NUMBERS:
        return readable(value)
    return int(value) if value.isascii() and value.isdigit() else None


def json_rows(rows: Iterable[object], header: list[str] | None = None) -> Iterator[bytes]:
    """One array of all rows, a row on each line. Where there is no row, there is no header either."""
    start = b"[" if header is None else b"[" + json.dumps(header).encode() + b",\n"
    empty = True
    for row in rows:
        yield (start if empty else b",\n") + json.dumps(row).encode()
        empty = False
    yield b"[]\n" if empty else b"]\n"


def readable(text: str) -> str:
    """Old files have bytes in addresses that are no text; JSON is."""
    return text.encode("utf-8", "replace").decode()
