"""The readers' pages as a browser gets them, over an index of made-up captures."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from starlette.types import ASGIApp

from armarium.access.model import OPEN, Decision, Reader
from armarium.access.origins.readers import Reading, routes
from armarium.access.requests.site import (
    Caller,
    ContentAddresses,
    Guest,
    NoLocks,
    Pictures,
    PlainContentAddresses,
    Site,
    Viewings,
)
from armarium.access.requests.threads import Threads
from armarium.access.search.shell import ProblemPages
from armarium.access.settings import AccessSettings
from armarium.formats.cdx import CdxLine
from tests.unit.access.search.shelves import Rules, line, revisit, shelves_of

READING = "http://reading.example"
CONTENT = "http://content.example"
URL = "http://www.example.org/news"
LINES = [
    line(URL, "20100101120000", "A"),
    revisit(URL, "20100102120000", "A"),
    line(URL, "20110301120000", "B", status="404"),
    line(URL, "20120301120000", "C"),
    line("http://www.example.org/news/one?a=1&b=%41", "20120301120000"),
]


@dataclass
class Figures:
    """Keeps what is noted."""

    noted: list[tuple[str, str, str]] = field(default_factory=list)

    def note(
        self, kind: str, outcome: str, *, collection: str, reader: Reader, size: int = 0, domain: str = ""
    ) -> None:
        self.noted.append((kind, outcome, domain))


@dataclass(frozen=True)
class OneGuest:
    guest: Guest

    def of(self, asking: Caller) -> Guest:
        return self.guest


class Room:
    def __init__(
        self,
        folder: Path,
        lines: Iterable[CdxLine],
        decide: Callable[[CdxLine], Decision] = lambda line: OPEN,
        *,
        attic: Iterable[CdxLine] = (),
        reader: Reader | None = None,
        entering: ContentAddresses | None = None,
        viewings: Viewings | None = None,
        pictures: Pictures | None = None,
    ) -> None:
        self.figures = Figures()
        self.site = Site(
            settings=AccessSettings(reading_url=READING, content_url=CONTENT),
            archive=shelves_of(folder, lines, attic),
            policy=Rules(decide),
            readers=OneGuest(Guest(reader or Reader())),
            uses=self.figures,
            locks=NoLocks(),
            viewings=viewings,
            pictures=pictures,
            library="Bibliotheca",
            staff_url="http://127.0.0.1:8000",
        )
        self.threads = Threads(2)
        table = routes(entering or PlainContentAddresses(self.site.settings))
        self.app: ASGIApp = Reading(self.site, table, self.threads, ProblemPages(self.site))

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.ask("GET", path, headers=headers)

    def ask(
        self,
        method: str,
        path: str,
        *,
        headers: dict[str, str] | None = None,
        data: dict[str, str] | None = None,
    ) -> httpx.Response:
        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=READING) as client:
                given = {"accept": "text/html", **(headers or {})}
                return await client.request(method, path, headers=given, data=data)

        return asyncio.run(asked())
