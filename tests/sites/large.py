"""Sends a body of several megabytes, of which every byte can be told apart."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from tests.sites.serving import Site, Visit, page, serving

SIZE = 5_000_000


@cache
def body() -> bytes:
    return b"".join(number.to_bytes(4, "big") for number in range(SIZE // 4))


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(page(body()))


@contextmanager
def large() -> Iterator[Site]:
    body()  # before anybody waits for it
    with serving(behaviour) as site:
        yield site
