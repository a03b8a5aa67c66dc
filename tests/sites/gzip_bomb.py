"""Sends a few kilobytes that unpack to a hundred million."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from tests.sites.serving import Site, Visit, serving

HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n"
UNPACKED = 100_000_000


@cache
def packed() -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    zeros = bytes(1_000_000)
    return b"".join(packer.compress(zeros) for _ in range(UNPACKED // len(zeros))) + packer.flush()


async def behaviour(visit: Visit) -> None:
    body = packed()
    while await visit.request():
        await visit.send(HEAD.format(len(body)).encode() + body)


@contextmanager
def gzip_bomb() -> Iterator[Site]:
    packed()  # before anybody waits for it
    with serving(behaviour) as site:
        yield site
