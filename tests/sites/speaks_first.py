"""Greets before it is asked, as mail servers do."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving


async def behaviour(visit: Visit) -> None:
    await visit.send(b"220 mail.example ESMTP\r\n")
    await visit.wait()


@contextmanager
def speaks_first() -> Iterator[Site]:
    with serving(behaviour) as site:
        yield site
