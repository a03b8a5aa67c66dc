"""Answers with something that is not HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    await visit.request()
    await visit.send(b"220 mail.example ESMTP\r\n500 Syntax error\r\n\r\nand so on")


@contextmanager
def no_http() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
