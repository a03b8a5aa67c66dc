"""Announces two lengths, of which at most one can be right, and closes after the body."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 11\r\n\r\n"


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(HEAD + b"Hello world")


@contextmanager
def two_lengths() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
