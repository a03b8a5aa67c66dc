"""Accepts a connection and closes it before anything is said."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    visit.writer.transport.abort()


@contextmanager
def hang_up() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
