"""A connection with a client, plain or through TLS that ends here, and HTTP/1.1 on it, all of it bounded."""

import asyncio
import contextlib
import re
import ssl
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol, TypeVar

import h11

from armarium.access.requests.threads import Threads

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


LONGEST_HEAD = 65_536
LONGEST_BODY = 2 * 1024 * 1024  # of which only the first kilobytes become part of a key
BODILESS = frozenset({204, 304})
#: These belong to the connection (RFC 9110, 7.6.1), which is ours, or are made by it.
_OF_THE_CONNECTION = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)
_is_token = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")


@dataclass(frozen=True)
class Patience:
    """Seconds that a client may take."""

    idle: float = 60.0  # between two requests
    head: float = 15.0  # from the first byte to the end of the request's head
    body: float = 30.0
    handshake: float = 15.0
    sending: float = 60.0  # for one piece of an answer to be taken


@dataclass(frozen=True)
class Request:
    method: str
    target: str  # as it came
    headers: dict[str, str]  # names in lower case
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes | Iterator[bytes] = b""


class Malformed(Exception):  # noqa: N818  (reads as what happened)
    """The client does not speak HTTP as it should, or says too much."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Conversation:
    def __init__(self, line: Line, threads: Threads, patience: Patience) -> None:
        self.line = line
        self._threads = threads
        self._patience = patience
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD)
        self._method = ""

    @property
    def left_over(self) -> bytes:
        """What came behind the last request."""
        return bytes(self._http.trailing_data[0])

    async def request(self) -> Request | None:
        """The next one, with its body; None if the client has none, or takes too long."""
        try:
            async with asyncio.timeout(self._patience.idle):
                if not await self._receive():
                    return None
            async with asyncio.timeout(self._patience.head):
                head = await self._head()
            if head is None:
                return None
            headers = _first_of_each(head.headers)
            if {"content-length", "transfer-encoding"} <= headers.keys():
                # RFC 9112, 6.3: by the length, what h11 takes for the next request is a part of this one.
                raise Malformed(400)
            async with asyncio.timeout(self._patience.body):
                body = await self._body()
        except TimeoutError:
            return None
        except h11.RemoteProtocolError as error:
            raise Malformed(error.error_status_hint) from error
        self._method = head.method.decode("ascii")
        return Request(self._method, head.target.decode("latin-1"), headers, body)

    async def answer(self, answer: Answer, *, last: bool = False) -> bool:
        """Send it whole; whether the client may go on.

        A stream that ends too early ends the connection, by which the client knows that it is cut. Requests
        that were sent before this answer are not read: nobody needs that (RFC 9112, 9.3.2), and it would
        let a client pile up work.
        """
        last = last or bool(self.left_over)
        quiet = self._method == "HEAD" or answer.status in BODILESS
        headers = list(_sound(answer.headers))
        if isinstance(answer.body, bytes) and not quiet:
            headers = [pair for pair in headers if pair[0].lower() != b"content-length"]
            headers.append((b"Content-Length", str(len(answer.body)).encode()))
        if last:
            headers.append((b"Connection", b"close"))
        status = answer.status if 200 <= answer.status <= 999 else 200
        head = h11.Response(status_code=status, headers=headers, reason=_phrase(status))
        if quiet:
            await self._send(head, h11.EndOfMessage())
        elif isinstance(answer.body, bytes):
            await self._send(head, h11.Data(data=answer.body), h11.EndOfMessage())
        else:
            await self._send(head)
            await self._send_pieces(answer.body)
            await self._send(h11.EndOfMessage())
        if last or (self._http.our_state, self._http.their_state) != (h11.DONE, h11.DONE):
            return False
        self._http.start_next_cycle()
        return True

    async def accept_tunnel(self) -> None:
        await self._send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))

    async def _receive(self) -> bytes:
        data = await self.line.read()
        self._http.receive_data(data)
        return data

    async def _head(self) -> h11.Request | None:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            await self._receive()
        return event if isinstance(event, h11.Request) else None

    async def _body(self) -> bytes:
        if self._http.they_are_waiting_for_100_continue:
            await self._send(h11.InformationalResponse(status_code=100, headers=[]))
        body = bytearray()
        while not isinstance(event := self._http.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                await self._receive()
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > LONGEST_BODY:
                    raise Malformed(413)
            else:  # the client has gone in the middle
                raise Broken
        return bytes(body)

    async def _send_pieces(self, body: Iterator[bytes]) -> None:
        async for piece in self._threads.pieces(body):
            if piece:
                await self._send(h11.Data(data=piece))

    async def _send(self, *events: h11.Event) -> None:
        """At a stroke: a short answer is one packet."""
        try:
            data = b"".join(self._http.send(event) or b"" for event in events)
        except h11.LocalProtocolError as error:  # more, or less, than the archived Content-Length
            raise Broken from error
        if not data:
            return
        try:
            async with asyncio.timeout(self._patience.sending):
                await self.line.send(data)
        except TimeoutError as error:
            raise Broken from error


def _phrase(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode("ascii")
    except ValueError:
        return b""


def _first_of_each(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in headers:
        found.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
    return found


def _sound(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[bytes, bytes]]:
    """What can be said in HTTP/1.1: archived headers hold whatever servers have written in thirty years."""
    for name, value in headers:
        if _is_token(name) and name.lower() not in _OF_THE_CONNECTION:
            text = _CONTROLS.sub(" ", value).strip(" \t")
            yield name.encode("ascii"), text.encode("latin-1", "replace")
