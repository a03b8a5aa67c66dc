"""Says nothing of a length: the end of the connection is the end of the body."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + b"old times " * 1000)


@contextmanager
def close_without_length() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
