"""The only way out for the browser that takes pictures: a proxy of ours, with the crawler's address rules.

It listens on the loopback for as long as a check lasts. Each connection is made by the address that the rules
were asked about, so neither a redirect nor a script, nor a name that is answered differently the second time,
leads into the library's network.
"""

import asyncio
import contextlib
import re
from types import TracebackType
from typing import NamedTuple, Self

from armarium.formats.url import InvalidUrl, parse
from armarium.harvest.fetch import Fetcher

MOST_AT_ONCE = 64  # connections
MOST_HEAD = 64 * 1024
MOST_BYTES = 30_000_000  # through one connection
MOST_INTERIM = 20  # answers that say: wait for the answer (RFC 9110, 15.2)
HEAD_SECONDS = 20.0
CONNECT_SECONDS = 10.0
IDLE_SECONDS = 30.0
PIECE = 65_536
DEFAULT_PORTS = {"http": 80, "https": 443}
REQUEST = re.compile(r"([A-Z]{1,20}) (\S{1,16384}) HTTP/1\.[01]")
AUTHORITY = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:/@\s]{1,253}):([0-9]{1,5})")
LENGTH = re.compile(r"content-length:\s*([0-9]{1,9})\s*", re.IGNORECASE)
# Fields that speak of this one connection (RFC 9110, 7.6.1), and what only a proxy is told.
OWN = ("connection:", "proxy-", "keep-alive:", "te:", "upgrade:", "trailer:")


class Refusal(Exception):  # noqa: N818  (reads as what happened)
    """What was asked of the proxy cannot be had; the text is a status line."""


class Wish(NamedTuple):
    """Where a client wants to go, and what goes there first."""

    host: str
    port: int
    tunnel: bool
    opening: bytes
    body: int  # bytes that still come from the client


class OutwardProxy:
    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.refused: list[str] = []  # hosts, for the log and for tests

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._visited, "127.0.0.1", 0, limit=MOST_HEAD)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def _visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._open) < MOST_AT_ONCE:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
            # Cancelled at the end of the check, which asyncio would otherwise write into the log.
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._serve(reader, writer)
        with contextlib.suppress(OSError):
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            wish = wish_of(head)
            there, back = await self._connect(wish)
        except asyncio.LimitOverrunError:
            await _refuse(writer, "431 Request Header Fields Too Large")
            return
        except Refusal as refusal:
            await _refuse(writer, str(refusal))
            return
        try:
            if wish.tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back.write(wish.opening)
            onward = asyncio.create_task(_pour(reader, back, None if wish.tunnel else wish.body))
            try:
                if not wish.tunnel:
                    await _last_answer(there, writer)
                await _pour(there, writer, None)
            finally:
                onward.cancel()
                await asyncio.gather(onward, return_exceptions=True)
        finally:
            with contextlib.suppress(OSError):
                back.close()

    async def _connect(self, wish: Wish) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Raises `Refusal`."""
        resolution = await self._fetcher.resolve(wish.host)
        allowed = [each for each in resolution.addresses if self._fetcher.permitted(each)]
        if resolution.addresses and not allowed:
            self.refused.append(wish.host)
            raise Refusal("403 Forbidden")
        for address in allowed:
            with contextlib.suppress(OSError):  # TimeoutError is one of them
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await asyncio.open_connection(address, wish.port, limit=PIECE)
        raise Refusal("502 Bad Gateway")


def wish_of(head: bytes) -> Wish:
    """What the head of a request asks a proxy for; raises `Refusal`."""
    first, *lines = head.decode("latin-1").split("\r\n")
    found = REQUEST.fullmatch(first)
    if found is None:
        raise Refusal("400 Bad Request")
    method, target = found[1], found[2]
    if method == "CONNECT":
        place = AUTHORITY.fullmatch(target)
        if place is None or not 0 < int(place[2]) < 65_536:
            raise Refusal("400 Bad Request")
        return Wish(place[1].strip("[]"), int(place[2]), True, b"", 0)
    try:
        url = parse(target)
    except InvalidUrl:
        raise Refusal("400 Bad Request") from None
    if url.scheme != "http" or not url.host:
        raise Refusal("400 Bad Request")
    path = url.path + (f"?{url.query}" if url.query is not None else "")
    kept = [line for line in lines if line and not line.lower().startswith(OWN)]
    if any(line.lower().startswith("transfer-encoding:") for line in kept):
        raise Refusal("411 Length Required")
    body = next((int(length[1]) for line in kept if (length := LENGTH.fullmatch(line))), 0)
    # One request, one connection: the next one on the same may be for another host.
    opening = "\r\n".join((f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", ""))
    port = url.port or DEFAULT_PORTS["http"]
    return Wish(url.host.strip("[]"), port, False, opening.encode("latin-1"), body)


async def _refuse(writer: asyncio.StreamWriter, status: str) -> None:
    writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
    await writer.drain()


async def _last_answer(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """The head of an answer, with word that nothing follows it: not every server heeds it by itself."""
    for _ in range(MOST_INTERIM):
        async with asyncio.timeout(IDLE_SECONDS):
            try:
                head = await source.readuntil(b"\r\n\r\n")
            except asyncio.LimitOverrunError:
                return  # whatever it is, it passes as it comes
        first, *lines = head.decode("latin-1").split("\r\n")
        interim = first[9:10] == "1"
        kept = [line for line in lines if line and not line.lower().startswith(OWN)]
        closing = () if interim else ("Connection: close",)
        sink.write("\r\n".join((first, *kept, *closing, "", "")).encode("latin-1"))
        await sink.drain()
        if not interim:
            return
    raise ConnectionError("Nothing but announcements of an answer.")


async def _pour(source: asyncio.StreamReader, sink: asyncio.StreamWriter, length: int | None) -> None:
    """Until the source ends, `length` bytes have passed, or it is enough."""
    left = MOST_BYTES if length is None else min(length, MOST_BYTES)
    with contextlib.suppress(OSError, TimeoutError):
        while left > 0:
            async with asyncio.timeout(IDLE_SECONDS):
                piece = await source.read(min(PIECE, left))
            if not piece:
                break
            left -= len(piece)
            sink.write(piece)
            await sink.drain()
