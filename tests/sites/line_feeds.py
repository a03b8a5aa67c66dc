"""Ends its lines with line feeds alone."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(page(b"<p>Unix.</p>").replace(b"\r\n", b"\n"))


@contextmanager
def line_feeds() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
