"""Sends interim answers and never the answer."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    while True:
        visit.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
        await visit.writer.drain()


@contextmanager
def interim_flood() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
