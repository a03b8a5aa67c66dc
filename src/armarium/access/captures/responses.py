"""A list of captures as an answer: each as a line, all of them sent at once or piece by piece."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import chain
from json.encoder import encode_basestring_ascii as quoted

from starlette.responses import Response

from armarium.access.captures.lines import ListedCapture
from armarium.access.requests.site import Handler, Visit, problem_of
from armarium.core.errors import ArmariumError
from armarium.formats.cdx import CDX11
from armarium.formats.cdx.line import ABSENT, ENCODING, ERRORS, joined_lines
from armarium.formats.cdx.query import value_of
from armarium.languages.speech import say
from armarium.web.streams import Stream

Line = Callable[[ListedCapture], bytes]
_NUMBERS = frozenset({"timestamp", "status", "length", "offset", "orig.length", "orig.offset"})
_STARTS = ("urlkey", "timestamp")
#: How other servers call the fields of a line.
OUR_NAMES = {
    "original": "url",
    "mimetype": "mime",
    "statuscode": "status",
    "redirecturl": "redirect",
    "key": "urlkey",
    "meta": "robotflags",
    "originalLength": "orig.length",
    "originalOffset": "orig.offset",
    "originalFilename": "orig.filename",
}


def cdxj(told: ListedCapture) -> bytes:
    return told.raw + b"\n"


def cdxj_of(fields: Sequence[str]) -> Line:
    """Only these fields; key and time always lead a line."""
    wanted = [name for name in fields if name not in _STARTS]

    def write(told: ListedCapture) -> bytes:
        start = f"{told.key} {told.timestamp} ".encode(ENCODING, ERRORS)
        return start + _object(told, wanted) + b"\n"

    return write


def ndjson(told: ListedCapture) -> bytes:
    """One object on each line. What the index has as JSON already is taken as it stands."""
    start = f'{{"urlkey": {quoted(told.key)}, "timestamp": {quoted(told.timestamp)}'.encode()
    body = told.raw[told.raw.index(b" {") + 1 :]  # key and time have no space in them
    return start + (b"}\n" if body == b"{}" else b", " + body[1:] + b"\n")


def ndjson_of(fields: Sequence[str]) -> Line:
    return lambda told: _object(told, fields) + b"\n"


def _object(told: ListedCapture, fields: Iterable[str]) -> bytes:
    known = ((name, value_of(told.line, OUR_NAMES.get(name, name))) for name in fields)
    return json.dumps({name: value for name, value in known if value != ABSENT}).encode()


def columns(fields: Sequence[str]) -> Line:
    """With spaces between; what a line does not tell is `-`."""
    names = [OUR_NAMES.get(name, name) for name in fields]

    def write(told: ListedCapture) -> bytes:
        cells = (value_of(told.line, name).replace(" ", "%20").replace("\n", "%0A") for name in names)
        return " ".join(cells).encode(ENCODING, ERRORS) + b"\n"

    return write


def cdx11(told: ListedCapture) -> bytes:
    return told.line.to_cdx(CDX11) + b"\n"


def cells(told: ListedCapture, fields: Sequence[str]) -> list[str]:
    return [readable(value_of(told.line, OUR_NAMES.get(name, name))) for name in fields]


def numbered_cells(told: ListedCapture, fields: Sequence[str]) -> list[str | int | None]:
    """As OutbackCDX writes them: numbers as numbers, and null for one that is not known."""
    return [_number(told, OUR_NAMES.get(name, name)) for name in fields]


def _number(told: ListedCapture, name: str) -> str | int | None:
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


PIECE = 32 * 1024  # bytes that are sent at a time

#: Says what went wrong in the way in which a dialect does it: status, and the sentence.
Complaint = Callable[[int, str], Response]


def answer(
    lines: Iterable[bytes], media_type: str, headers: Mapping[str, str] | None = None, *, gzip: bool = False
) -> Response:
    """What goes wrong before the first piece becomes an error page. If it goes wrong later, the connection
    breaks before the end that HTTP announces: no client takes a part for the whole."""
    sent = joined_lines(lines, PIECE)
    told = dict(headers or {})
    if gzip:
        sent = joined_lines(_compressed(sent), PIECE)
        told["Content-Encoding"] = "gzip"
    first = next(sent, b"")
    second = next(sent, None)
    if second is None:
        return Response(first, media_type=media_type, headers=told)
    return Stream(chain((first, second), sent), media_type=media_type, headers=told)


def _compressed(sent: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(level=5, wbits=31)  # 31: gzip
    for piece in sent:
        if compressed := compressor.compress(piece):
            yield compressed
    yield compressor.flush()


def complaining(complaint: Complaint) -> Callable[[Handler], Handler]:
    """Programs read the errors of their own dialect, not our pages."""

    def around(handler: Handler) -> Handler:
        @wraps(handler)
        def answered(visit: Visit) -> Response:
            try:
                return handler(visit)
            except ArmariumError as error:
                problem = problem_of(error)
                return complaint(problem.status, say(problem.text))

        return answered

    return around


def json_complaint(status: int, text: str) -> Response:
    return Response(json.dumps({"message": text}) + "\n", status, media_type="application/json")


def text_complaint(status: int, text: str) -> Response:
    return Response(text + "\n", status, media_type="text/plain")
