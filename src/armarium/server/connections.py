"""The connections of the site: how many connections may be open, from whom, and how long one may stay silent.

Every connection takes a file descriptor, and a process that has none left can neither answer nor reach its
database. So there is a limit, and whoever comes when it is reached takes the place of the one that has been
silent for longest: probes and people get in, however many connections somebody opens and leaves.
"""

import asyncio
import resource
from collections.abc import Iterable, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

log = structlog.get_logger(__name__)

LONGEST_HEADERS = 65_536  # bytes
BODY_SECONDS = 20.0  # in each of which a body must bring so many bytes, or its end
BODY_BYTES = 20_000
HEAD_SECONDS = 20.0  # for a request to arrive up to the end of its headers; also for the first to begin
MOST_PER_ADDRESS = 400  # a reading room behind one address, with six connections for each browser
WANTED_FILES = 65_536
KEPT_FILES = 200  # for the database, log files and whatever else a process opens


def raise_file_limit() -> None:
    """Take as many files as the system grants. The usual soft limit, 1024, is for programs with select(2)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILES if hard == resource.RLIM_INFINITY else min(WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def file_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return WANTED_FILES if soft == resource.RLIM_INFINITY else soft


class OpenConnections:
    """Who is inside, in the order of arrival."""

    def __init__(self, *, most: int, most_per_address: int, proxies: Sequence[str]) -> None:
        self._most = most
        self._most_per_address = most_per_address
        self._proxies = [ip_network(proxy) for proxy in proxies]
        self._inside: dict[Connection, str] = {}
        self._of_address: dict[str, dict[Connection, None]] = {}

    def enter(self, connection: "Connection", address: str) -> bool:
        """Let a connection in, if need be in place of a silent one; False if everybody inside is busy."""
        origin = _origin(address)
        neighbours = self._of_address.setdefault(origin, {})
        crowded = len(neighbours) >= self._most_per_address and not self._is_proxy(address)
        full = len(self._inside) >= self._most
        self._inside[connection] = origin
        neighbours[connection] = None
        if crowded:
            return _send_away_one(neighbours, connection)
        return not full or _send_away_one(self._inside, connection)

    def leave(self, connection: "Connection") -> None:
        origin = self._inside.pop(connection, None)
        if origin is not None:
            self._of_address[origin].pop(connection)
            if not self._of_address[origin]:
                del self._of_address[origin]

    def _is_proxy(self, address: str) -> bool:
        # All visitors come from its address; how many they are is its own business.
        try:
            return any(ip_address(address) in proxy for proxy in self._proxies)
        except ValueError:
            return False


REFUSAL = (
    ("Content-Type", "text/plain; charset=utf-8"),
    # A page that frames this answer must not get a window without a policy.
    ("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Connection", "close"),
)


class Connection:
    """What both kinds of uvicorn's connections have in common here: they wait for the next request only so
    long, for its body only while it comes, and whoever is silent gives way."""

    open_connections: OpenConnections
    _waiting: asyncio.TimerHandle | None = None
    _watched: asyncio.TimerHandle | None = None  # the body that is being sent
    _of_body = 0  # bytes since somebody looked

    # Of uvicorn's protocols.
    cycle: Any
    client: tuple[str, int] | None
    flow: Any
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport

    @property
    def is_sending(self) -> bool:
        """A request has come up to its body, which is not all there."""
        return not self.is_silent and bool(self.cycle.more_body)

    @property
    def is_silent(self) -> bool:
        """No request is being answered."""
        # uvicorn has no cycle before the first request
        return self.cycle is None or self.cycle.response_complete

    def arrive(self) -> None:
        self._wait()
        if not self.open_connections.enter(self, self.client[0] if self.client else ""):
            log.warning("connection refused: too many are open", client=self.client and self.client[0])
            self.hang_up()

    def heard(self, size: int) -> None:
        self._of_body += size
        if self.is_silent:
            self._wait()  # for the rest of the headers, however slowly they come
        else:
            self._wait_no_more()
        if self.is_sending and self._watched is None:
            self._watch_body()

    def leave(self) -> None:
        self.open_connections.leave(self)
        self._wait_no_more()
        if self._watched is not None:
            self._watched.cancel()

    def hang_up(self) -> None:
        self.open_connections.leave(self)
        self.transport.close()

    def _wait(self) -> None:
        if self._waiting is None and not self.transport.is_closing():
            self._waiting = self.loop.call_later(HEAD_SECONDS, self.hang_up)

    def _watch_body(self) -> None:
        self._of_body = 0
        self._watched = self.loop.call_later(BODY_SECONDS, self._look_at_body)

    def _look_at_body(self) -> None:
        self._watched = None
        if not self.is_sending:
            return
        if self._of_body < BODY_BYTES and not self.flow.read_paused:  # paused: it is we who are slow
            log.warning(
                "connection closed: its request came too slowly", client=self.client and self.client[0]
            )
            self.hang_up()
        else:
            self._watch_body()

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class OneLength(h11.Connection):
    """Refuses a request that says in two ways where it ends (RFC 9112, 6.3). h11 would go by the chunks, and
    take what is left for another request; a proxy before us may go by the length."""

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {bytes(name) for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("Both a length and chunks.")
        return event


class StrictConnection(Connection, H11Protocol):
    """For pages of people: h11 takes nothing that is not HTTP, and bounds the headers itself."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = OneLength(h11.SERVER, LONGEST_HEADERS)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.arrive()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.heard(len(data))

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        for event in (
            h11.Response(status_code=400, headers=list(REFUSAL), reason=b"Bad Request"),
            h11.Data(data=msg.encode("ascii")),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class SwiftConnection(Connection, HttpToolsProtocol):
    """For archived pages with their hundred parts: httptools takes a third of the time. It has no bound for
    the headers of a request; here is one."""

    _of_head = 0  # bytes of a request whose headers have not ended

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.arrive()

    def data_received(self, data: bytes) -> None:
        self._of_head += len(data)
        super().data_received(data)
        if self._of_head > LONGEST_HEADERS:
            if self.is_silent:
                self.send_400_response("The headers are too long.")
            else:
                self.hang_up()  # it is still being answered, and sends the next one already
        self.heard(len(data))

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._of_head = 0

    def on_body(self, body: bytes) -> None:
        self._of_head = 0
        super().on_body(body)

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        fields = "".join(f"{name}: {value}\r\n" for name, value in (*REFUSAL, ("Content-Length", len(msg))))
        self.transport.write(f"HTTP/1.1 400 Bad Request\r\n{fields}\r\n{msg}".encode("ascii"))
        self.transport.close()


def guarded(proxies: Sequence[str], *, swift: bool = False) -> type[asyncio.Protocol]:
    """The class of connections for one site."""
    most = max(1, file_limit() - KEPT_FILES)
    open_connections = OpenConnections(most=most, most_per_address=MOST_PER_ADDRESS, proxies=proxies)
    kind = SwiftConnection if swift else StrictConnection
    return type("GuardedConnection", (kind,), {"open_connections": open_connections})


def _send_away_one(inside: Iterable[Connection], newcomer: Connection) -> bool:
    others = [one for one in inside if one is not newcomer]
    longest = next((one for one in others if one.is_silent), None)
    longest = longest or next((one for one in others if one.is_sending), None)
    if longest is None:
        return False
    longest.hang_up()
    return True


def _origin(address: str) -> str:
    """Whose connection it is: an IPv6 customer has at least the last 64 bits for himself (RFC 6177)."""
    address = address.partition("%")[0].removeprefix("::ffff:")
    return str(ip_network(f"{address}/64", strict=False)) if ":" in address else address
