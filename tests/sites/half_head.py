"""Closes the connection inside the head."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/ht")


@contextmanager
def half_head() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
