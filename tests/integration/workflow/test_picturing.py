"""The picture of a page: a real Chromium, which gets out only where the crawler may go."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.core.crawl_order import Fetching, Identity, Limits
from armarium.harvest.fetch import Fetcher
from armarium.planning.settings import PlanningSettings
from armarium.selection.entry.checker import Look, PictureState
from armarium.selection.settings import EntrySettings
from armarium.workflow.checking import LiveChecker
from armarium.workflow.outward_proxy import OutwardProxy, Refusal, wish_of
from armarium.workflow.picturing import LARGEST, NAMES, PREFIX, Photographer
from tests.site import wait_until
from tests.sites.name_server import NameServer, name_server
from tests.sites.paths import moved, paths
from tests.sites.serving import Visit, page, serving

WEB = "127.0.0.2"
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="There is no Chromium on this machine: apt-get install chromium"
)


@pytest.fixture(autouse=True)
def own_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where an account without a name may go too, which pytest's own folders are closed to."""
    with tempfile.TemporaryDirectory(prefix="pictures-") as name:
        Path(name).chmod(0o711)
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


def look(url: str, **values: object) -> Look:
    patient = {"pause": 0.0, "seconds": 120.0, "picture_seconds": 100.0}
    chosen = EntrySettings.model_validate({"allowed_ranges": (f"{WEB}/32",), **patient, **values})
    found: list[Look] = []
    LiveChecker(chosen, PlanningSettings()).check(
        [(1, url)], begun=lambda _: None, done=lambda _, one: found.append(one), stopping=lambda: False
    )
    return found[0]


def browsers() -> list[str]:
    """Processes of browsers with a profile of ours."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = place.read_bytes()
        except OSError:
            continue
        if f"{tempfile.gettempdir()}/{PREFIX}".encode() in command:
            found.append(place.parent.name)
    return found


@needs_browser
def test_a_picture_is_small_and_nothing_of_the_browser_is_left(own_temporary_folder: Path) -> None:
    with paths({"/": page(b"<body bgcolor=red><h1>Bonjour</h1>")}, host=WEB) as site:
        found = look(site.address)
    assert found.picture_state is PictureState.TAKEN
    assert found.picture.startswith(b"\xff\xd8\xff")
    assert len(found.picture) <= LARGEST
    assert not browsers()
    assert not list(own_temporary_folder.iterdir())


DRAWING = """#!/bin/sh
for one; do case $one in --screenshot=*) printf '\\377\\330\\377' > "${one#*=}";; esac; done
"""
SPINNING = """#!/bin/sh
while :; do sleep 1; done
"""
TAKING = """
import asyncio, sys
from types import SimpleNamespace
from armarium.workflow.picturing import Photographer
asyncio.run(Photographer(sys.argv[1], 100.0, SimpleNamespace(port=1)).take("http://a.test/"))
"""


def browser_that(does: str, folder: Path) -> str:
    script = folder / "browser"
    script.write_text(does)
    script.chmod(0o755)
    return str(script)


def test_only_addresses_of_the_web_reach_the_browser(own_temporary_folder: Path) -> None:
    """Whatever an index says, what a browser would open by itself is not opened."""
    browser = browser_that(DRAWING, own_temporary_folder)
    for url, taken in {
        "HTTP://a.test/": True,
        "file:///etc/passwd": False,
        "chrome://version": False,
    }.items():
        assert bool(asyncio.run(Photographer(browser, 10.0, NoProxy()).take(url))) is taken, url


class NoProxy:
    port = 1


def test_the_browser_ends_when_the_worker_is_killed(own_temporary_folder: Path) -> None:
    """Nobody else would end one whose page never comes to rest."""
    browser = browser_that(SPINNING, own_temporary_folder)
    folder = {**os.environ, "TMPDIR": str(own_temporary_folder)}
    worker = subprocess.Popen([sys.executable, "-c", TAKING, browser], env=folder)
    wait_until(browsers)
    worker.kill()
    worker.wait()
    wait_until(lambda: not browsers())


@needs_browser
def test_what_a_page_embeds_from_inside_is_not_fetched() -> None:
    with name_server(NameServer(["inner.example. 300 IN A 127.0.0.1"])) as dns, paths({}) as inner:
        places = [f"{host}:{inner.port}" for host in ("127.0.0.1", "localhost", "[::1]", "inner.example")]
        parts = "".join(f'<img src="http://{each}/"><iframe src="//{each}/x"></iframe>' for each in places)
        script = (
            f"<script>fetch('http://127.0.0.1:{inner.port}/y');new WebSocket('ws://{places[0]}/z')</script>"
        )
        body = f'<p>Here<img src="/own.png"><iframe src="/away"></iframe>{parts}{script}'
        answers = {"/": page(body.encode()), "/away": moved(f"http://{places[0]}/secret")}
        with paths(answers, host=WEB) as site:
            found = look(site.address, dns_servers=(dns.address,))
    assert found.picture_state is PictureState.TAKEN
    assert any(b"GET /own.png" in request for request in site.requests)
    assert not inner.visits


@needs_browser
def test_no_datagram_and_no_call_of_a_page_gets_inside() -> None:
    """WebRTC and WebTransport speak UDP, which no proxy of ours sees; TURN speaks TCP as well."""
    with socket.socket(type=socket.SOCK_DGRAM) as ear, socket.create_server(("127.0.0.1", 0)) as door:
        ear.bind(("127.0.0.1", 0))
        ear.setblocking(False)
        door.setblocking(False)
        udp, tcp = ear.getsockname()[1], door.getsockname()[1]
        script = f"""<p>Here<script>
            const turn = {{urls: ["turn:127.0.0.1:{tcp}?transport=tcp", "turn:127.0.0.1:{udp}?transport=udp"],
                          username: "a", credential: "b"}};
            const call = new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{udp}"}}, turn]}});
            call.createDataChannel("x");
            call.createOffer().then(offer => call.setLocalDescription(offer));
            try {{ new WebTransport("https://127.0.0.1:{udp}/").ready.catch(() => 0); }} catch {{}}
            </script><img src="/slow"><link rel=dns-prefetch href="//inner.example">
            <link rel=preconnect href="http://127.0.0.1:{tcp}">"""

        async def behaviour(visit: Visit) -> None:
            while request := await visit.request():
                if b"GET /slow" in request:
                    await asyncio.sleep(3)  # the picture waits for it, so that the script has its time
                await visit.send(page(script.encode()))

        with serving(behaviour, host=WEB) as site:
            found = look(site.address)
        assert found.picture_state is PictureState.TAKEN
        with pytest.raises(BlockingIOError):
            ear.recvfrom(2000)
        with pytest.raises(BlockingIOError):
            door.accept()


@needs_browser
def test_a_page_that_never_ends_loading_is_pictured_or_given_up(own_temporary_folder: Path) -> None:
    async def never(*_: object) -> None:
        await asyncio.sleep(600)

    async def run() -> bytes | None:
        server = await asyncio.start_server(never, WEB, 0)
        port = server.sockets[0].getsockname()[1]
        async with server, proxy() as way:
            assert BROWSER is not None
            return await Photographer(BROWSER, 1.0, way).take(f"http://{WEB}:{port}/")

    asyncio.run(run())
    assert not browsers()
    assert not list(own_temporary_folder.iterdir())


def test_without_a_browser_there_is_none_and_it_is_said() -> None:
    with paths({"/": page()}, host=WEB) as site:
        assert look(site.address, browser="/nowhere/chromium").picture_state is PictureState.NO_BROWSER
        assert look(site.address, pictures=False).picture_state is PictureState.SWITCHED_OFF


def proxy() -> OutwardProxy:
    fetching = Fetching(allowed_ranges=(f"{WEB}/32",), seeds_open_ranges=False)
    return OutwardProxy(Fetcher(fetching, Limits(), Identity(), folder=Path(os.devnull)))


def said(request: bytes) -> bytes:
    async def run() -> bytes:
        async with proxy() as way:
            reader, writer = await asyncio.open_connection("127.0.0.1", way.port)
            writer.write(request)
            answer = await reader.read()
            writer.close()
            return answer

    return asyncio.run(run())


def test_the_proxy_waits_for_no_answer_that_is_announced_for_ever() -> None:
    async def behaviour(visit: Visit) -> None:
        await visit.request()
        while True:
            await visit.send(b"HTTP/1.1 103 Early Hints\r\n\r\n")

    with serving(behaviour, host=WEB) as site:
        answer = said(f"GET {site.address} HTTP/1.1\r\n\r\n".encode())
    assert 0 < answer.count(b"103 Early Hints") < 100


def test_the_proxy_leads_out_and_not_in() -> None:
    with paths({"/a?b": page(), "/a": page(b"outside")}, host=WEB) as site, paths({}) as inner:
        outside = said(f"GET {site.address}a?b HTTP/1.1\r\nHost: {WEB}\r\nProxy-X: 1\r\n\r\n".encode())
        denied = said(f"GET {inner.address} HTTP/1.1\r\n\r\n".encode())
        tunnelled = said(f"CONNECT 127.0.0.1:{inner.port} HTTP/1.1\r\n\r\n".encode())
    assert outside.endswith(b"outside")
    assert b"proxy-x" not in site.requests[0].lower()
    assert denied.startswith(b"HTTP/1.1 403")
    assert tunnelled.startswith(b"HTTP/1.1 403")
    assert not inner.visits


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET ftp://a.example/ HTTP/1.1\r\n\r\n",
        b"CONNECT a.example HTTP/1.1\r\n\r\n",
        b"CONNECT a.example:99999 HTTP/1.1\r\n\r\n",
        b"POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"\xff\xfe HTTP/1.1\r\n\r\n",
    ],
)
def test_the_proxy_refuses_what_it_does_not_understand(head: bytes) -> None:
    with pytest.raises(Refusal):
        wish_of(head)
