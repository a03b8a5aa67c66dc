"""Films and their like, over HTTP: who takes them slowly, seeks in them or hangs up is in nobody's way."""

import asyncio
import re
import socket
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.types import Message

from armarium.access.origins.content import Content
from armarium.access.replay import ranges
from armarium.access.replay.engine import Replay
from armarium.access.requests import threads
from armarium.access.requests.threads import Threads
from armarium.access.rewrite.links import Links
from armarium.access.settings import AccessSettings
from tests.integration.access.replay.serving import Served, serving
from tests.integration.access.world import Page, world_of

FILM = "http://example.com/film"
PAGE = "http://example.com/page"
SIZE = 48 << 20
END = b"the end"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    pages = [Page(FILM, bytes(SIZE) + END, type="video/mp4"), Page(PAGE, "hello")]
    world = world_of(tmp_path, pages, settings=AccessSettings(threads=1))
    with serving(world.site) as running:
        yield running


def begun(served: Served, *fields: str, mod: str = "oe_") -> socket.socket:
    """A client that asks and takes nothing yet."""
    address = urlsplit(served.archived(FILM, mod=mod))
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
    client.connect((address.hostname, address.port))
    head = [f"GET {address.path} HTTP/1.1", f"Host: {address.netloc}", *fields]
    client.sendall("\r\n".join([*head, "", ""]).encode())
    return client


def answered(served: Served) -> bool:
    return "hello" in httpx.get(served.archived(PAGE), timeout=60).text


def test_whoever_takes_a_film_slowly_holds_no_thread(served: Served) -> None:
    with begun(served) as slow, begun(served, mod="dl_") as saving:
        assert slow.recv(5) == saving.recv(5) == b"HTTP/"
        assert answered(served)


def test_a_film_is_sent_and_not_gathered(served: Served) -> None:
    answered(served)
    tracemalloc.start()
    try:
        with begun(served, "Connection: close", mod="dl_") as client:
            size = 0
            while piece := client.recv(1 << 20):
                size += len(piece)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > SIZE
    assert most < 8 << 20


def test_the_end_of_a_film_is_sent_when_it_was_reached(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "OFTEN", 0.001)
    answer = httpx.get(served.archived(FILM, mod="oe_"), headers={"Range": f"bytes={SIZE}-"}, timeout=60)
    assert (answer.status_code, answer.content) == (206, END)
    assert answer.headers["content-range"] == f"bytes {SIZE}-{SIZE + len(END) - 1}/{SIZE + len(END)}"


def test_others_are_answered_while_somebody_seeks(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "OFTEN", 0.005)
    seekers = [begun(served, f"Range: bytes={SIZE}-", "Connection: close") for _ in range(6)]
    for hung_up in seekers[:3]:
        hung_up.close()
    assert answered(served)
    for seeker in seekers[3:]:
        with seeker:
            taken = b""
            while piece := seeker.recv(65536):
                taken += piece
        assert re.match(rb"HTTP/1.1 206 ", taken)
        assert taken.endswith(END)


@pytest.mark.parametrize("size", [900_000, 3_000_000], ids=["at once", "as a stream"])
def test_nothing_is_rewritten_for_a_client_that_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A client that leaves as soon as there is something to rewrite; the work is not done to its end."""
    monkeypatch.setattr(threads, "SOON", 0.0)
    sheet = "http://example.com/s.css"
    rule = "a{b:url(http://example.com/c)}"
    site = world_of(tmp_path, [Page(sheet, rule * (size // len(rule)), type="text/css")]).site
    content = Content(site, Replay(site), Threads(1))
    sent: list[Message] = []
    begun = asyncio.Event()

    async def receive() -> Message:
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    rewritten = 0
    archived = Links.archived
    loop = asyncio.new_event_loop()

    def counted(links: Links, address: str, mod: str | None = None) -> str:
        nonlocal rewritten
        rewritten += 1
        loop.call_soon_threadsafe(begun.set)
        return archived(links, address, mod)

    monkeypatch.setattr(Links, "archived", counted)
    path = f"/all/20200101000000cs_/{sheet}".encode()
    scope = {"type": "http", "method": "GET", "raw_path": path, "query_string": b"", "headers": []}

    loop.run_until_complete(asyncio.wait_for(content(scope, receive, send), 60))
    loop.close()
    assert 0 < rewritten < size // len(rule)
    assert sum(len(message.get("body", b"")) for message in sent) < size
