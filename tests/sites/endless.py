"""Sends a body without a length and without an end."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(HEAD)
    while True:
        visit.writer.write(b"and so on, " * 1000)
        await visit.writer.drain()


@contextmanager
def endless() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
