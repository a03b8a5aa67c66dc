"""Sends chunks as the standard allows and nobody expects: extensions, padding, a trailer, single bytes."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
BODY = b'0005;name="value"\r\nfirst\r\n6 \r\nsecond\r\n' + b"1\r\nx\r\n" * 50 + b"0\r\nX-Trailer: yes\r\n\r\n"


async def behaviour(visit: Visit) -> None:
    while await visit.request():
        await visit.send(HEAD)
        for byte in BODY:
            await visit.send(bytes([byte]))


@contextmanager
def odd_chunks() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
