"""Answers each path with what the test wrote down for it, and anything else with 404."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.sites.serving import Site, Visit, serving

ABSENT = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def moved(location: str, status: int = 301) -> bytes:
    return f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


@contextmanager
def paths(answers: Mapping[str, bytes], *, host: str = "127.0.0.1") -> Iterator[Site]:
    """Later changes of `answers` count."""

    async def behaviour(visit: Visit) -> None:
        while request := await visit.request():
            path = request.split(b" ")[1].decode("latin-1").partition("?")[0]
            await visit.send(answers.get(path, ABSENT))
            if b"connection: close" in request.lower():
                return

    with serving(behaviour, host=host) as site:
        yield site
