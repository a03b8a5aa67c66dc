"""Sends its answer a byte at a time, never silent for long and never done."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n"


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(HEAD)
    while True:
        await visit.send(b".")
        await asyncio.sleep(0.02)


@contextmanager
def slow_drip() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
