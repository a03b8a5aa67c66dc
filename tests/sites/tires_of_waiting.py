"""Answers the first request of a connection; to the second it says that it has tired of waiting (408)."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving

FAREWELL = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbye"


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(page(b"<p>Come again.</p>", "Connection: keep-alive"))
    await visit.request()
    await visit.send(FAREWELL)


@contextmanager
def tires_of_waiting() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
