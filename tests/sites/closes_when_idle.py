"""Promises to keep the connection and closes it after each answer."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(page(b"<p>Come again.</p>", "Connection: keep-alive", "Keep-Alive: timeout=60"))


@contextmanager
def closes_when_idle() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
