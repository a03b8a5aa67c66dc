"""Takes the request and resets the connection without a word."""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    connection = visit.writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    visit.writer.transport.abort()


@contextmanager
def reset() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
