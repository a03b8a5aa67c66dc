"""Keeps the connection, and closes it when the next request arrives."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(page(b"<p>Come again.</p>", "Connection: keep-alive"))
    await visit.reader.read(1)


@contextmanager
def closes_when_asked() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
