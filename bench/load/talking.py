"""A browser's connections without the browser: HTTP/1.1 on asyncio, with little work for each answer.

The generator of a load must not be what limits it: httpx costs ten times as much for each request.
"""

import asyncio
import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

PATIENCE = 120.0  # seconds for one answer; who waits longer counts as an error
LARGEST_HEAD = 1 << 17


class NoAnswer(Exception):  # noqa: N818
    """The connection was refused, cut, or silent for too long."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # names in lower case; the last of several of a name
    cookies: Mapping[str, str]  # that it sets
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


class Line:
    """One connection to one origin, opened again where the server has closed it meanwhile, as browsers do."""

    def __init__(self, port: int, host: str, source: str) -> None:
        self._port = port
        self._head = f" HTTP/1.1\r\nHost: {host}\r\nUser-Agent: bench\r\nAccept-Encoding: gzip\r\n"
        self._source = source
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        form: list[tuple[str, str]] | None = None,
    ) -> Answer:
        sent = urlencode(form).encode() if form is not None else b""
        told = dict(headers or {})
        if form is not None:
            told |= {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(sent))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        request = f"{method} {path}{self._head}{lines}\r\n".encode("latin-1") + sent
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._exchange(request)
        except TimeoutError:
            self.close()
            raise NoAnswer("no answer within two minutes") from None
        except (OSError, EOFError, ValueError) as error:
            self.close()
            raise NoAnswer(f"{type(error).__name__}: {error}") from error

    async def _exchange(self, request: bytes) -> Answer:
        if self._reader is not None and not self._reader.at_eof():
            try:
                return await self._said(request)
            except (ConnectionError, EOFError) as error:
                if isinstance(error, asyncio.IncompleteReadError) and error.partial:
                    raise
                # It was closed while the request was on its way.
        self.close()
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self._port, local_addr=(self._source, 0), limit=LARGEST_HEAD
        )
        return await self._said(request)

    async def _said(self, request: bytes) -> Answer:
        assert self._reader is not None
        assert self._writer is not None
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status, headers, cookies = parse_head(head)
        body = b"" if status in (204, 304) else await _body(self._reader, headers)
        if headers.get("connection", "").lower() == "close":
            self.close()
        if headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        return Answer(status, headers, cookies, body)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


def parse_head(head: bytes) -> tuple[int, dict[str, str], dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
        if name.lower() == "set-cookie":
            key, _, content = value.strip().partition(";")[0].partition("=")
            cookies[key] = content
    return int(first.split(" ", 2)[1]), headers, cookies


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        if "content-length" not in headers:
            return await reader.read()
        return await reader.readexactly(int(headers["content-length"]))
    pieces = []
    while piece := await next_chunk(reader):
        pieces.append(piece)
    return b"".join(pieces)


async def next_chunk(reader: asyncio.StreamReader) -> bytes:
    """Empty: it was the last."""
    size = int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16)
    piece = await reader.readexactly(size)
    await reader.readexactly(2)
    return piece
