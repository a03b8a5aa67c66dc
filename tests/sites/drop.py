"""Announces a body and closes the connection in the middle of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10000\r\n\r\n"


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(HEAD + b"x" * 5000)


@contextmanager
def drop() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
