"""Sends interim answers (1xx) before the answer, at once and apart."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, page, serving

INTERIM = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        visit.writer.write(INTERIM)  # no part of what was sent: the answer is
        await visit.writer.drain()
        await asyncio.sleep(0.02)
        visit.writer.write(b"HTTP/1.1 102 Processing\r\n\r\n")
        await visit.send(page())


@contextmanager
def interim() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
