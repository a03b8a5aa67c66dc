"""Files and records as answers to downloads. What is in them comes from the web, and is hostile."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from starlette.requests import Request
from starlette.responses import Response

from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.storage.files.reading import Reader
from armarium.storage.model import File
from armarium.web.streams import Stream

ONE = re.compile(r"([0-9]{1,19})?-([0-9]{1,19})?")
UNIT = "bytes="


@dataclass(frozen=True)
class Stretch:
    """Of a file, as HTTP (RFC 9110, 14) and people on a terminal ask for it."""

    start: int
    end: int  # the byte after the last one

    @property
    def length(self) -> int:
        return self.end - self.start


class NotThere(ValueError):  # noqa: N818  (an answer about the file, not a fault)
    """None of the bytes that were asked for is in the file."""


def stretch(text: str, size: int) -> Stretch | None:
    """`0-499`, `500-` or `-500` (the last ones), both ends included; None: it is no such thing."""
    match = ONE.fullmatch(text.strip())
    if match is None or match[1] is None is match[2]:
        return None
    if match[1] is None:
        start, end = max(0, size - int(match[2])), size
    else:
        start, end = int(match[1]), size if match[2] is None else int(match[2]) + 1
        if end <= start and match[2] is not None:
            return None  # "an int-range is invalid if the last-pos value is less than first-pos" (14.1.1)
    if start >= size or start == end:
        raise NotThere(f"The file has {size} bytes; {text} is not among them.")
    return Stretch(start, min(end, size))


def in_header(value: str, size: int) -> Stretch | None:
    """What a Range header asks for; None: the whole, as for other units and for several stretches at once.

    A server may ignore the header (14.2): whoever wants several stretches asks several times.
    """
    if not value.lower().startswith(UNIT):
        return None
    return stretch(value[len(UNIT) :], size)


#: Never the type that a file claims, never shown in a page of ours, never guessed at.
HARMLESS = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}
BYTES = "application/octet-stream"


def content(request: Request, file: File, reader: Reader) -> Response:
    """The file, or the stretch that the Range header asks for."""
    etag = f'"{file.sha256}"'
    headers = {**_attached(file.name), "ETag": etag, "Accept-Ranges": "bytes"}
    if _names(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    try:
        wanted = _wanted(request, file, etag)
    except NotThere:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{file.size}"})
    if wanted is None:
        return _streamed(reader.pieces(file.name), file.size, headers)
    place = f"bytes {wanted.start}-{wanted.end - 1}/{file.size}"
    pieces = reader.pieces(file.name, wanted.start, wanted.end)
    return _streamed(pieces, wanted.length, {**headers, "Content-Range": place}, status=206)


def record(file: File, offset: int, reader: Reader) -> Response:
    """One record as it stands in the file, after it was read once and found whole."""
    found = record_stretch(file, offset, reader)
    pieces = reader.pieces(file.name, found.start, found.end)
    return _streamed(pieces, found.length, _attached(f"{offset}-{file.name}"))


def record_stretch(file: File, offset: int, reader: Reader) -> Stretch:
    if offset >= file.size:
        raise NotFound(
            message(
                "%(name)s has %(size)s bytes; no record starts at byte %(offset)s.",
                name=file.name,
                size=file.size,
                offset=offset,
            )
        )
    length = reader.record(file.name, offset).length
    if not length:
        raise Refused(
            message(
                "The record at byte %(offset)s of %(name)s shares a compressed piece with others and cannot "
                "be cut out. Download the file.",
                offset=offset,
                name=file.name,
            )
        )
    return Stretch(offset, offset + length)


def _wanted(request: Request, file: File, etag: str) -> Stretch | None:
    """The whole if the client holds a piece of another file (If-Range; RFC 9110, 13.1.5)."""
    if request.headers.get("if-range", etag) != etag:
        return None
    return in_header(request.headers.get("range", ""), file.size)


def _names(header: str, etag: str) -> bool:
    given = [one.strip().removeprefix("W/") for one in header.split(",")]
    return etag in given or given == ["*"]


def _attached(name: str) -> dict[str, str]:
    """Names of files are letters, digits, dots, hyphens and underscores: nothing has to be quoted."""
    return {**HARMLESS, "Content-Disposition": f'attachment; filename="{name}"'}


def _streamed(
    pieces: Iterator[bytes], length: int, headers: Mapping[str, str], *, status: int = 200
) -> Response:
    # The first piece is read before the answer begins: where no copy can be read, the answer is an error.
    first = next(pieces, b"")
    told = {**headers, "Content-Length": str(length)}
    return Stream(chain((first,), pieces), status, told, media_type=BYTES)
