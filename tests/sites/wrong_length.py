"""Sends more than it announces."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(page(b"exactly so much") + b" and then some more")


@contextmanager
def wrong_length() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
