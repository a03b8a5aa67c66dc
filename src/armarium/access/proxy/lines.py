"""A connection with a client, plain or through TLS that ends here."""

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")

PIECE = 65_536
LINGER = 1.0  # seconds
MOST_PIECES = 100


class Broken(Exception):  # noqa: N818  (reads as what happened)
    """The client has gone, or speaks no TLS: nobody is left to whom something could be said."""


class Line(Protocol):
    async def read(self) -> bytes:
        """What has come; nothing when the client will say no more."""

    async def send(self, data: bytes) -> None: ...


class Plain:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        try:
            return await self._reader.read(PIECE)
        except OSError as error:
            raise Broken from error

    async def send(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise Broken from error

    async def hang_up(self) -> None:
        """Say that nothing more will come, and take for a moment what the client still sends.

        Closed on unread bytes, a connection is reset, and the last answer lost with it (RFC 9112, 9.6).
        """
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(LINGER):
                if self._writer.can_write_eof():
                    self._writer.write_eof()
                for _ in range(MOST_PIECES):
                    if not await self._reader.read(PIECE):
                        break


class Secured:
    """TLS over another line, by hand: what came along with the request for the tunnel is not lost."""

    def __init__(self, under: Line, context: ssl.SSLContext) -> None:
        self._under = under
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    async def shake_hands(self, first: bytes = b"") -> None:
        """`first`: what was read already."""
        if first:
            self._incoming.write(first)
        await self._done(self._tls.do_handshake)

    async def read(self) -> bytes:
        try:
            return await self._done(lambda: self._tls.read(PIECE))
        except ssl.SSLZeroReturnError:
            return b""

    async def send(self, data: bytes) -> None:
        await self._done(lambda: self._tls.write(data))

    async def _done(self, work: Callable[[], T]) -> T:
        while True:
            try:
                result = work()
            except ssl.SSLWantReadError:
                await self._flush()
                await self._fill()
            except ssl.SSLZeroReturnError:
                raise
            except ssl.SSLError as error:
                raise Broken from error
            else:
                await self._flush()
                return result

    async def _flush(self) -> None:
        if data := self._outgoing.read():
            await self._under.send(data)

    async def _fill(self) -> None:
        data = await self._under.read()
        if not data:
            # Many clients hang up without TLS's own goodbye; requests say themselves where they end.
            raise Broken
        self._incoming.write(data)
