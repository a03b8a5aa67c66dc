"""A web of small domains on the loopback, with a name server that knows all of them."""

import asyncio
import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from zlib import crc32

import dns.name
import dns.rrset

from tests.sites.name_server import NameServer, name_server
from tests.sites.serving import loop_in_a_thread, page

ADDRESSES = [f"127.0.1.{number}" for number in range(1, 17)]
LATENCY = 0.3  # seconds: a kill should hit downloads as well as the work between them


@dataclass
class Small(NameServer):
    """Every name below `example.` has an address; one domain has always the same."""

    zone: list[str] = field(default_factory=list)

    def _sets(self, name: dns.name.Name) -> list[dns.rrset.RRset]:
        domain = ".".join(label.decode() for label in name.labels[-3:-1])
        address = ADDRESSES[crc32(domain.encode()) % len(ADDRESSES)]
        return [dns.rrset.from_text(name, 300, "IN", "A", address)]


@dataclass(frozen=True)
class SmallWeb:
    port: int
    name_server: str

    def seed(self, domain: str) -> str:
        return f"http://{domain}:{self.port}/"

    def addresses(self, domain: str) -> set[str]:
        """All that a crawl of the domain must bring home, its robots.txt aside."""
        return {self.seed(domain) + path.lstrip("/") for path in paths(domain)}

    def served(self, domain: str, path: str) -> Collection[bytes]:
        """What may have been answered there."""
        return (body(domain, path),)


def paths(domain: str) -> list[str]:
    """Between two and six."""
    return ["/", *(f"/{number}" for number in range(1 + crc32(domain.encode()) % 5))]


def body(domain: str, path: str) -> bytes:
    """What the domain serves; the same at all times, and nowhere else."""
    links = "".join(f'<a href="{other}">{other}</a>' for other in paths(domain)) if path == "/" else ""
    noise = hashlib.shake_256(f"{domain}{path}".encode()).hexdigest(1500)
    return f"<title>{domain}{path}</title>{links}<p>{noise}</p>".encode()


def host_of(request: bytes) -> str:
    """The name that was asked for, without the port."""
    line = next(line for line in request.split(b"\r\n") if line.lower().startswith(b"host:"))
    return line[5:].strip().decode().partition(":")[0]


def answer(request: bytes) -> bytes:
    path, domain = request.split(b" ")[1].decode(), host_of(request)
    if path in paths(domain):
        return page(body(domain, path))
    return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def small_web(answers: Callable[[bytes], bytes] = answer) -> Iterator[SmallWeb]:
    """Every request to any of its names is answered by the function."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(LATENCY)
                writer.write(answers(request))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # collectors are killed
        finally:
            writer.close()

    async def start() -> int:
        first = await asyncio.start_server(serve, ADDRESSES[0], 0)
        port = int(first.sockets[0].getsockname()[1])
        servers.extend([first, await asyncio.start_server(serve, ADDRESSES[1:], port)])
        return port

    async def end() -> None:
        for server in servers:
            server.close()

    servers: list[asyncio.Server] = []
    with name_server(Small([])) as names, loop_in_a_thread() as run:
        yield SmallWeb(run(start()), names.address)
        run(end())
