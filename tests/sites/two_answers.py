"""Answers one request with two answers at once."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(page(b"the one") + page(b"the other"))


@contextmanager
def two_answers() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
