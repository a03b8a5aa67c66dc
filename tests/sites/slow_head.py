"""Sends its head a byte at a time, then the page."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    for byte in page(b"done", f"X-Filler: {'x' * 400}"):
        await visit.send(bytes([byte]))
        await asyncio.sleep(0.0005)
    await visit.wait()


@contextmanager
def slow_head() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
