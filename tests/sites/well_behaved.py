"""Answers every request with a page, as often as it is asked: the measure of the others."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(page())


@contextmanager
def well_behaved() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
