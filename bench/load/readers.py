"""Readers: each opens archived pages with all that belongs to them, looks for dates, follows links."""

import asyncio
import html
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from urllib.parse import quote, urlsplit

from bench.load.noting import Notes
from bench.load.pace import Over, Pace
from bench.load.talking import Answer, Line, NoAnswer
from bench.load.web import marker

LINES = 3  # connections to the content's origin
_PART = re.compile(rb'<(?:link|img|script)\b[^>]*?\b(?:href|src)="([^"]+)"')
_LINK = re.compile(rb'<a\b[^>]*?\bhref="([^"]+)"')
_FRAME = re.compile(rb'<iframe class="archived"[^>]*? src="([^"]+)"')
_ARCHIVED = re.compile(r"/(\d{14})([a-z]*_)?/(https?://.+)$")


@dataclass(frozen=True)
class Door:
    """Where a program answers, and how it writes addresses. `framed`: its frame names the page."""

    port: int
    reading: str  # Host headers
    content: str
    collection: str
    framed: bool = True
    banner: bool = True  # the frame asks for its banner when the reader goes on inside it

    def frame(self, timestamp: str, url: str) -> str:
        return f"/{self.collection}/{timestamp}/{url}"

    def page(self, timestamp: str, url: str) -> str:
        return f"/{self.collection}/{timestamp}mp_/{url}"

    def calendar(self, url: str) -> str:
        return f"/{self.collection}/*/{url}"

    def below(self, url: str) -> str:
        """All captures of a site, as a page where there is one."""
        if not self.framed:
            return f"/{self.collection}/cdx?url={quote(url)}&matchType=host&limit=200"
        return f"/{self.collection}/search?url={quote(url)}&match=host"

    def dates(self, url: str) -> str:
        return f"/{self.collection}/cdx?url={quote(url)}&output=json"


#: Of each address of a page its captures: timestamp, and the edition that was served then.
Captures = Mapping[str, list[tuple[str, int]]]


@dataclass
class Reader:
    door: Door
    captures: Captures
    notes: Notes
    chance: random.Random
    pace: Pace
    source: str
    known: set[str] = field(default_factory=set)  # what the browser has kept
    url: str = ""
    timestamp: str = ""
    links: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reading = Line(self.door.port, self.door.reading, self.source)
        self._content = [Line(self.door.port, self.door.content, self.source) for _ in range(LINES)]
        self._urls = sorted(self.captures)
        self._editions = {(url, one): edition for url, all_ in self.captures.items() for one, edition in all_}

    async def read(self) -> None:
        """Until the run is over."""
        try:
            await self.pace.pause(self.chance.random() * self.pace.think())
            while True:
                if not self.links or self.chance.random() < 0.1:
                    self.begin_anew()
                    await self.open()
                else:
                    await self.chance.choices(self._steps, (4, 2, 1, 1, 2))[0]()
                await self.pace.pause()
        except Over:
            pass
        finally:
            self.close()

    @property
    def _steps(self) -> list[Callable[[], Awaitable[None]]]:
        return [self.follow, self.look_at_calendar, self.search, self.list_dates, self.other_date]

    def begin_anew(self) -> None:
        """Somebody else sits down: another page, and nothing kept."""
        self.known.clear()
        self.url = self.chance.choice(self._urls[: 1 + int(len(self._urls) * self.chance.random())])
        self.timestamp = self.chance.choice(self.captures[self.url])[0]

    # Steps

    async def open(self) -> None:
        answer = await self._ask(self._reading, "frame", self.door.frame(self.timestamp, self.url))
        if answer is None:
            self.links = []
            return
        path = self.door.page(self.timestamp, self.url)
        if self.door.framed:
            found = _FRAME.search(answer.body)
            if found is None:
                self.notes.fault("frame", f"no archived page in {self.url}")
                return
            path = _path(html.unescape(found[1].decode()))
        await self._ours(answer)
        await self._show(path)

    async def follow(self) -> None:
        """A link inside the frame; then the banner changes."""
        address = self.chance.choice(self.links)
        if not (found := _ARCHIVED.search(address)):
            self.notes.fault("page", f"a link leads out of the archive: {address}")
            return
        self.url = found[3]
        await self._show(_path(address))
        if self.door.banner:
            asked = (
                f"collection={self.door.collection}&timestamp={self.timestamp}&url={quote(self.url, safe='')}"
            )
            await self._ask(self._reading, "banner", f"/-/part/banner?{asked}")

    async def other_date(self) -> None:
        self.timestamp = self.chance.choice(self.captures[self.url])[0]
        await self.open()

    async def look_at_calendar(self) -> None:
        answer = await self._ask(self._reading, "calendar", self.door.calendar(self.url))
        if answer and self.door.framed and self.timestamp.encode() not in answer.body:
            self.notes.fault("calendar", f"{self.timestamp} is missing for {self.url}")

    async def search(self) -> None:
        host = urlsplit(self.url).netloc
        answer = await self._ask(self._reading, "search", self.door.below(f"http://{host}/"))
        if answer and host.partition(":")[0].encode() not in answer.body:
            self.notes.fault("search", f"nothing found of {host}")

    async def list_dates(self) -> None:
        answer = await self._ask(self._reading, "dates (CDX)", self.door.dates(self.url))
        if answer and self.timestamp.encode() not in answer.body:
            self.notes.fault("dates (CDX)", f"{self.timestamp} is missing for {self.url}")

    # Parts

    async def _show(self, path: str) -> None:
        """A page of the archive and, over some connections at once, all that belongs to it."""
        answer = await self._ask(self._content[0], "page", path, dest="iframe")
        if answer is None:
            return
        self.timestamp = _told_timestamp(answer, path) or self.timestamp
        edition = self._editions.get((self.url, self.timestamp), 0)
        host, own = urlsplit(self.url).hostname or "", urlsplit(self.url).path
        if marker(host, own, edition).encode() not in answer.body:
            self.notes.fault("page", f"not what was served: {path}")
        self.links = [html.unescape(one.decode()) for one in _LINK.findall(answer.body)]
        wanted = dict.fromkeys(_path(html.unescape(one.decode())) for one in _PART.findall(answer.body))
        rest = [one for one in wanted if one not in self.known]
        await asyncio.gather(*(self._fetch(line, rest) for line in self._content))

    async def _fetch(self, line: Line, rest: list[str]) -> None:
        while rest:
            path = rest.pop(0)
            found = _ARCHIVED.search(path)
            kind = "fixed file" if not found else "picture" if "/picture/" in found[3] else "style or script"
            answer = await self._ask(line, kind, path, dest="empty")
            if answer is None:
                continue
            self._keep(path, answer)
            parts = urlsplit(found[3]) if found else None
            if parts and marker(parts.hostname or "", parts.path).encode() not in answer.body:
                self.notes.fault(kind, f"not what was served: {path}")

    async def _ours(self, frame: Answer) -> None:
        """Style sheets and scripts of the frame itself, once for each browser."""
        for one in _PART.findall(frame.body):
            path = html.unescape(one.decode())
            if path.startswith("/") and path not in self.known:
                answer = await self._ask(self._reading, "fixed file", path)
                if answer is not None:
                    self._keep(path, answer)

    def _keep(self, path: str, answer: Answer) -> None:
        told = answer.headers.get("cache-control", "")
        if "immutable" in told or re.search(r"max-age=[1-9]", told):
            self.known.add(path)

    async def _ask(self, line: Line, kind: str, path: str, dest: str = "document") -> Answer | None:
        """None: there was no good answer, or the run is over and nothing more is asked."""
        while True:
            if self.pace.over.is_set():
                return None
            try:
                with self.notes.timed(kind):
                    answer = await line.ask(path, headers={"Sec-Fetch-Dest": dest})
            except NoAnswer as error:
                self.notes.fault(kind, f"{error} {path}")
                return None
            self.notes.bytes += len(answer.body)
            if answer.status not in (301, 302, 303, 307):
                break
            path = _path(answer.headers["location"])
        if answer.status != 200:
            self.notes.fault(kind, f"{answer.status} {path}")
            return None
        return answer

    def close(self) -> None:
        for line in (self._reading, *self._content):
            line.close()


def _path(address: str) -> str:
    """Without scheme and host, if it has them; what is archived keeps its own."""
    if address.startswith("/") and not address.startswith("//"):
        return address
    return "/" + address.partition("://")[2].partition("/")[2]


def _told_timestamp(answer: Answer, path: str) -> str:
    """Of which moment a page is that was asked for at about another one (RFC 7089)."""
    if told := answer.headers.get("memento-datetime"):
        return f"{parsedate_to_datetime(told):%Y%m%d%H%M%S}"
    found = _ARCHIVED.search(path)
    return found[1] if found else ""
