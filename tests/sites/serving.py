"""What the servers in this folder have in common: a thread, an event loop, a memory of what was said.

They misbehave, each in the way after which it is named; they are real, on the loopback, and live as long as a
`with`: `with drop() as site: … site.address … site.visits[0].sent`.
"""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

T = TypeVar("T")


@dataclass
class Visit:
    """One connection as the server saw it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    requests: list[bytes] = field(default_factory=list)
    sent: bytearray = field(default_factory=bytearray)

    async def request(self) -> bytes:
        """The next request, with its body; raises IncompleteReadError when there is none."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        self.requests.append(head + await self.reader.readexactly(length))
        return self.requests[-1]

    async def send(self, data: bytes) -> None:
        self.sent += data
        self.writer.write(data)
        await self.writer.drain()

    async def wait(self, seconds: float = 60.0) -> None:
        """Say nothing, until the other side hangs up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while await self.reader.read(65536):
                    pass


@dataclass
class Site:
    host: str
    port: int
    scheme: str = "http"
    visits: list[Visit] = field(default_factory=list)

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}/"

    @property
    def requests(self) -> list[bytes]:
        return [request for visit in self.visits for request in visit.requests]


Behaviour = Callable[[Visit], Awaitable[None]]


@contextmanager
def serving(
    behaviour: Behaviour, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> Iterator[Site]:
    """A server that does this with each connection, and then closes it."""
    site = Site(host, 0, "https" if tls else "http")

    async def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = Visit(reader, writer)
        site.visits.append(visit)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await behaviour(visit)
        with contextlib.suppress(OSError):
            writer.close()

    async def start() -> asyncio.Server:
        server = await asyncio.start_server(visited, host, 0, ssl=tls)
        site.port = server.sockets[0].getsockname()[1]
        return server

    with loop_in_a_thread() as run:
        server = run(start())
        yield site
        run(stop(server))


async def stop(server: asyncio.Server) -> None:
    server.close()


class Run(Protocol):
    def __call__(self, work: Awaitable[T]) -> T: ...


@contextmanager
def loop_in_a_thread() -> Iterator[Run]:
    """An event loop beside the one of the test; gives what runs a coroutine in it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def awaited(work: Awaitable[T]) -> T:
        return await work

    def run(work: Awaitable[T]) -> T:
        return asyncio.run_coroutine_threadsafe(awaited(work), loop).result(timeout=60)

    async def end() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    try:
        yield run
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(timeout=60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=60)
        loop.close()


def page(body: bytes = b"<p>A page.</p>", *fields: str) -> bytes:
    """A well-behaved answer."""
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/html", *fields, f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body
