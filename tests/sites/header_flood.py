"""Sends header fields and never ends its head."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(b"HTTP/1.1 200 OK\r\n")
    number = 0
    while True:
        visit.writer.write(b"X-Flood-%d: %b\r\n" % (number, b"x" * 100))
        await visit.writer.drain()
        number += 1


@contextmanager
def header_flood() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
