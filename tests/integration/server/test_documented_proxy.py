"""nginx as the documentation sets it up: what Armarium takes and gives comes through it."""

import asyncio
import hashlib
import os
import re
import ssl
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from armarium.collector.identity import Identity
from armarium.collector.job_folder import Lease, Moment, SealedFile
from armarium.collector.pauses import Trouble
from armarium.collector.server import Link, Server
from armarium.collector.uploads import LANDED, Sending
from armarium.core.collecting import CHUNK_BYTES, Held
from armarium.core.errors import Unavailable
from armarium.db.database import Database
from armarium.selection.exchange.api import import_bodies
from armarium.selection.settings import SelectionSettings
from armarium.server.assembly import SECTIONS
from armarium.server.site_sections import SITE_SECTIONS
from armarium.settings import load
from armarium.web.settings import WebSettings
from armarium.web.streams import Stream
from tests import nginx
from tests.documented import blocks
from tests.integration.planning.collectors.world import World, called
from tests.site import LOG, PATIENCE, RunningSite, running_site
from tests.sites.certificates import Authority

STAFF, READERS = blocks("nginx")
NAME = "webarchive.library.example"


def pieces() -> Iterator[bytes]:
    yield b"one"
    raise Unavailable("Run 7 is damaged.")


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    """With the settings that the documentation has for a site behind a proxy."""
    told = next(found["web"] for found in map(tomllib.loads, blocks("toml")) if "web" in found)
    assert NAME in told["public_url"]
    environ = {
        "ARMARIUM_WEB_PUBLIC_URL": "https://localhost",
        "ARMARIUM_WEB_TRUSTED_PROXIES": " ".join(told["trusted_proxies"]),
    }
    with running_site(database, tmp_path / "server", **environ) as site:
        yield site


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.create(tmp_path)


@pytest.fixture
def proxy(site: RunningSite, authority: Authority, tmp_path: Path) -> Iterator[str]:
    block = STAFF.replace(NAME, "localhost")
    with nginx.before(tmp_path / "nginx", block, authority, urlsplit(site.address).port or 0) as port:
        yield f"https://localhost:{port}"


def test_the_proxy_takes_whatever_armarium_takes(tmp_path: Path) -> None:
    found = re.search(r"client_max_body_size (\d+)m;", STAFF)
    assert found
    settings = load(SECTIONS, home=tmp_path, environ={})
    own = [most for section in SITE_SECTIONS for most in section.bodies.values()]
    files = import_bodies(settings[SelectionSettings]).values()
    assert int(found[1]) * 2**20 >= max(settings[WebSettings].max_form_bytes, CHUNK_BYTES, *own, *files)


def test_the_file_of_a_collector_comes_through(
    site: RunningSite, database: Database, proxy: str, authority: Authority, tmp_path: Path
) -> None:
    world = World(database, tmp_path / "server")
    number = world.job()
    crawler = world.crawler()
    task = crawler.take()
    content = os.urandom(2 * CHUNK_BYTES + 1)
    path = tmp_path / called(number)
    path.write_bytes(content)
    file = SealedFile(path.name, len(content), hashlib.sha256(content).hexdigest())

    async def send() -> str:
        identity = Identity(crawler.collector.name, crawler.keys, crawler.server_key)
        server = Server(Link(proxy, ca_file=authority.file), identity)
        held = Held(job=number, attempt=task.attempt)
        sending = Sending(server, held, Lease(Moment.present().later(PATIENCE)), Trouble())
        try:
            return (await sending.send(path, file, "data")).state
        finally:
            await server.close()

    assert asyncio.run(send()) == LANDED


def test_a_visitor_meets_the_site_by_its_own_address_and_name(
    site: RunningSite, proxy: str, authority: Authority
) -> None:
    site.app.add_api_route("/broken", lambda: Stream(pieces()))
    trusted = ssl.create_default_context(cafile=str(authority.file))
    forged = {"X-Forwarded-For": "192.0.2.7"}
    with httpx.Client(base_url=proxy, verify=trusted, timeout=PATIENCE, headers=forged) as client:
        answer = client.get("/sign-in")
        assert answer.status_code == 200
        assert "secure" in answer.headers["set-cookie"].lower()
        assert client.get("/metrics").status_code == 404
        with client.stream("GET", "/broken") as broken, pytest.raises(httpx.RemoteProtocolError):
            broken.read()
    assert "192.0.2.7" not in (site.house.settings.home / LOG).read_text(), "what the visitor says of himself"


def test_archived_addresses_come_through_as_they_were_sent(authority: Authority, tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(head), head)
        )
        await writer.drain()
        writer.close()

    async def story() -> str:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        backend = server.sockets[0].getsockname()[1]
        block = READERS.replace("reading.webarchive.example", "localhost")
        trusted = ssl.create_default_context(cafile=str(authority.file))
        async with server, httpx.AsyncClient(verify=trusted, timeout=PATIENCE) as client:
            with nginx.before(tmp_path / "nginx", block, authority, backend) as port:
                return (await client.get(f"https://localhost:{port}{asked}")).text

    asked = "/all/20260102030405/http://example.org//a%2Fb/c%20d?x=%C3%A9"
    said = asyncio.run(story())
    assert f"GET {asked} HTTP/1.1\r\n" in said
    assert "Host: localhost\r\n" in said
