"""Lists, TimeGates, TimeMaps, records and content of a world, behind a real server on the loopback."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from armarium.access.cdxserver.internet_archive import ia_cdx
from armarium.access.cdxserver.outback import outback_cdx
from armarium.access.cdxserver.pywb import collinfo, pywb_cdx
from armarium.access.downloads import download
from armarium.access.memento.timegate import timegate
from armarium.access.memento.timemap import timemap
from armarium.access.model import Policy
from armarium.access.origins.content import Content
from armarium.access.origins.readers import Door, Reading
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import Problem, Routes, Site, Visit
from armarium.access.requests.threads import Threads
from armarium.languages.speech import say
from tests.integration.access.world import Page, world_of


def _problem(_visit: Visit | None, _request: Request, problem: Problem) -> Response:
    return PlainTextResponse(say(problem.text), problem.status)


def _framed(visit: Visit) -> Response:
    return PlainTextResponse(f"The frame of {visit.rest}.")


ROUTES = Routes(
    pages={"/cdx/search/cdx": ia_cdx, "/collinfo.json": collinfo},
    below={"/-/outbackcdx/": outback_cdx},
    of_collection={"cdx": pywb_cdx, "index": pywb_cdx, "timemap": timemap, "record": download},
    asked=_framed,
    timegate=timegate,
    frame=_framed,
    content=_framed,
)


HOME = "http://news.example/"
SECURE = "http://secure.example/"  # as people ask for it
NEWS = (
    Page(HOME, "<p>the first</p>", "20010101000000"),
    Page(HOME, "<p>the second</p>", "20020101000000"),
    Page(
        HOME, revisit_of=(HOME, "20020101000000"), digest_of="<p>the second</p>", timestamp="20030101000000"
    ),
    Page(HOME, "<p>the last</p>", "20040101000000"),
    Page(HOME + "gone", "no", "20040101000000", status="404 Not Found"),
    Page(HOME + "a%20b?q=%C3%A9", "spaces", "20040101000000"),
    Page("http://archive.news.example/", "below", "20040101000000"),
    Page(SECURE.replace("http:", "https:"), "with TLS", "20040101000000"),
)


@dataclass(frozen=True)
class Served:
    reading: str
    content: str


@contextmanager
def served(
    folder: Path, pages: Iterable[Page] = NEWS, policy: Policy | None = None, files: Iterable[Path] = ()
) -> Iterator[Served]:
    with served_site(
        lambda port: world_of(folder, pages, files=files, port=port, policy=policy).site
    ) as running:
        yield running


@contextmanager
def served_site(make: Callable[[int], Site]) -> Iterator[Served]:
    """`make` gets the port on which the site will be."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        site = make(int(listening.getsockname()[1]))
        threads = Threads(4)
        content = Content(site, Replay(site), threads)
        with _running(Door(site, Reading(site, ROUTES, threads, _problem), content), listening):
            yield Served(site.settings.reading, site.settings.content)
        threads.close()


@contextmanager
def _running(door: Door, listening: socket.socket) -> Iterator[None]:
    config = uvicorn.Config(door, ws="none", log_config=None, access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive(), "The server ended before it had begun."
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(60)
