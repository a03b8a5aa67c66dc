"""Takes the request and never says anything."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.wait()


@contextmanager
def silence() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
