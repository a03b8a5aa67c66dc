"""A web site of a few pages that remembers when it was asked for what, and over which connection."""

import asyncio
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from tests.sites.serving import Site, Visit, serving
from tests.sites.serving import page as page

Answer = bytes | Callable[[bytes], bytes]
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nnone"


class Asked(NamedTuple):
    """One request as the server saw it."""

    moment: float
    host: str
    path: str
    connection: int
    request: bytes


@dataclass
class Website:
    site: Site
    asked: list[Asked] = field(default_factory=list)
    open: int = 0  # connections at the moment
    most_open: int = 0
    busy: int = 0
    most_busy: int = 0  # requests at the same time

    @property
    def address(self) -> str:
        return self.site.address

    @property
    def port(self) -> int:
        return self.site.port

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    @property
    def gaps(self) -> list[float]:
        """Seconds between a request and the next one."""
        return [later.moment - earlier.moment for earlier, later in pairwise(self.asked)]

    @property
    def sent(self) -> bytes:
        return b"".join(bytes(visit.sent) for visit in self.site.visits)


@contextmanager
def website(
    pages: Mapping[str, Answer],
    *,
    host: str = "127.0.0.1",
    tls: ssl.SSLContext | None = None,
    seconds: float = 0.0,
) -> Iterator[Website]:
    """`pages`: answers by path, or functions of the request; anything else is 404. Each takes `seconds`."""

    async def behaviour(visit: Visit) -> None:
        number = len(site.visits)
        web.open += 1
        web.most_open = max(web.most_open, web.open)
        try:
            while request := await visit.request():
                web.busy += 1
                web.most_busy = max(web.most_busy, web.busy)
                path = path_of(request)
                web.asked.append(Asked(time.monotonic(), host_header(request), path, number, request))
                answer = pages.get(path, NOT_FOUND)
                await asyncio.sleep(seconds)
                web.busy -= 1
                await visit.send(answer(request) if callable(answer) else answer)
        finally:
            web.open -= 1

    with serving(behaviour, host=host, tls=tls) as site:
        web = Website(site)
        yield web


def path_of(request: bytes) -> str:
    """Of a plain request, or one that a proxy was sent."""
    target = request.split(b" ")[1].decode()
    return "/" + target.split("/", 3)[3] if target.startswith("http") else target


def host_header(request: bytes) -> str:
    line = next(line for line in request.split(b"\r\n") if line.lower().startswith(b"host:"))
    return line[5:].strip().decode()


def links(*references: str) -> bytes:
    return page("".join(f'<a href="{reference}">x</a>' for reference in references).encode())


def images(*references: str) -> bytes:
    return page("".join(f'<img src="{reference}">' for reference in references).encode())


def text(body: str, status: str = "200 OK", *fields: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/plain", *fields, f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def redirect(target: str, status: str = "302 Found") -> bytes:
    return f"HTTP/1.1 {status}\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()
