"""Sends whatever it is told to, and closes: for answers that nobody has thought of."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


@contextmanager
def anything(*answers: bytes) -> Iterator[Site]:
    """The first request gets the first of these answers, and so on; after the last, the last again."""
    left = list(answers)

    async def behaviour(visit: Visit) -> None:
        await visit.request()
        await visit.send(left.pop(0) if len(left) > 1 else left[0])

    with serving(behaviour) as site:
        yield site
