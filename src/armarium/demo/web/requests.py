"""HTTP/1.1 as far as the small web speaks it: requests read, responses written."""

import asyncio
import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus

MOST_HEAD = 32 * 1024
MOST_BODY = 64 * 1024
SECONDS = 20.0  # for a whole request; a client that was killed or froze holds nothing for longer

_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


class MalformedError(Exception):
    """The request is none; whoever sent it gets 400 and the connection is closed."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def host(self) -> str:
        """Without the port, in small letters."""
        return self.headers.get("host", "").rpartition("]")[2].partition(":")[0].lower().rstrip(".")

    @property
    def keeps(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


@dataclass(frozen=True)
class Response:
    status: int
    kind: str = "text/html; charset=utf-8"
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    zipped: bool = False

    def wire(self, request: Request) -> bytes:
        """As bytes, for this request: shortened to a range, zipped, or only the head, as it was asked for."""
        status, body, extra = self.status, self.body, list(self.headers)
        if status == HTTPStatus.OK:
            tag = f'"{sha256(body).hexdigest()[:20]}"'
            extra += [("ETag", tag), ("Accept-Ranges", "bytes")]
            if request.headers.get("if-none-match") == tag:
                status, body = HTTPStatus.NOT_MODIFIED, b""
            elif part := _part(request, body):
                status = HTTPStatus.PARTIAL_CONTENT
                extra.append(("Content-Range", f"bytes {part.start}-{part.stop - 1}/{len(body)}"))
                body = body[part.start : part.stop]
        if self.zipped:
            extra.append(("Vary", "Accept-Encoding"))
            if status == HTTPStatus.OK and "gzip" in request.headers.get("accept-encoding", ""):
                body = gzip.compress(body, 6, mtime=0)
                extra.append(("Content-Encoding", "gzip"))
        return _head(status, self.kind, len(body), extra) + (b"" if request.method == "HEAD" else body)


def _part(request: Request, body: bytes) -> range | None:
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if found is None or int(found[1]) >= len(body):
        return None
    last = min(int(found[2]), len(body) - 1) if found[2] else len(body) - 1
    return range(int(found[1]), last + 1) if last >= int(found[1]) else None


def _head(status: int, kind: str, length: int, headers: list[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {int(status)} {HTTPStatus(status).phrase}", "Server: smallweb/1.0"]
    if status != HTTPStatus.NOT_MODIFIED:
        lines += [f"Content-Type: {kind}", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request; None: the client has hung up. Raises MalformedError, TimeoutError, OSError."""
    async with asyncio.timeout(SECONDS):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise MalformedError from error
            return None
        except asyncio.LimitOverrunError as error:
            raise MalformedError from error
        request = _parsed(head)
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > MOST_BODY:
            raise MalformedError
        if "transfer-encoding" in request.headers:
            raise MalformedError
        try:
            body = await reader.readexactly(int(length))
        except asyncio.IncompleteReadError as error:
            raise MalformedError from error
    return Request(request.method, request.path, request.query, request.headers, body)


def _parsed(head: bytes) -> Request:
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or not words[1].startswith("/"):
        raise MalformedError
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise MalformedError
        headers[name.lower()] = value.strip()
    path, _, query = words[1].partition("?")
    return Request(words[0], path, query, headers)
