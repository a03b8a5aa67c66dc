"""Redirects every request to one more step of a way without an end."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    while request := await visit.request():
        step = int(b"0" + bytes(digit for digit in request.split(b" ")[1] if digit in b"0123456789"))
        answer = b"HTTP/1.1 302 Found\r\nLocation: /step%d\r\nContent-Length: 0\r\n\r\n" % ((step + 1) % 100)
        await visit.send(answer)


@contextmanager
def redirect_loop() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
