"""Announces chunks, sends one, and then something that is none."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(HEAD + b"5\r\nfirst\r\nzzz this is no size\r\nsecond")


@contextmanager
def broken_chunks() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
