"""Librarians: signed in, at the real forms; live parts of pages are fetched as browsers fetch them."""

import html
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import lxml.html  # type: ignore[import-untyped]

from bench.load.live import watch
from bench.load.noting import Notes
from bench.load.pace import Over, Pace
from bench.load.talking import Answer, Line, NoAnswer

PATIENCE = 60.0  # seconds until what was entered has been looked at
PASSWORD = "correct horse battery staple"  # noqa: S105  (of accounts that live for some minutes)
QUESTIONS = (
    "", "q=lomi", "q=lomi+brat", "q=zi", "title=musthe", "address=polka", "begins=lomi1", "domain=lomi1.fr",
    "state=proposed", "state=validated&budget=large", "responsible=me", "was_harvested=no", "keyword=lomi",
    "content_notes=polgra", "order=title", "has_comments=no", "bytes_from=390MB", "depth=host",
)  # fmt: skip
LOOKS = ("/", "/harvesting/running", "/harvesting/jobs", "/planning/harvests", "/selection/collections")
WEIGHTS = {"search": 30, "edit": 14, "comment": 8, "enter": 4, "tray": 8, "save": 3, "export": 2, "look": 8}


@dataclass(frozen=True)
class Office:
    port: int
    records: int
    collections: list[int]
    web: str  # an address whose pages can be entered, without the last word
    librarians: int


@dataclass
class Librarian:
    office: Office
    number: int
    curator: bool
    notes: Notes
    chance: random.Random
    pace: Pace
    source: str
    cookies: dict[str, str] = field(default_factory=dict)
    errands: int = 0

    def __post_init__(self) -> None:
        self._line = Line(self.office.port, f"localhost:{self.office.port}", self.source)

    async def work(self) -> None:
        """Until the run is over."""
        deeds: Mapping[str, Callable[[], Awaitable[None]]] = {
            "search": self.search, "edit": self.edit, "comment": self.comment, "enter": self.enter,
            "tray": self.decide, "save": self.save_search, "export": self.export, "look": self.look,
        }  # fmt: skip
        try:
            await self.pace.pause(self.chance.random() * self.pace.think())
            await self.sign_in()
            while True:
                chosen = self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
                await deeds[chosen]()
                self.errands += 1
        except Over:
            pass
        finally:
            self._line.close()

    async def sign_in(self) -> None:
        page = await self.get("sign in", "/sign-in")
        name = f"librarian{self.number}"
        await self.submit("sign in", page, "/sign-in", {"name": name, "password": PASSWORD})
        if not any("session" in name for name in self.cookies):
            self.notes.fault("sign in", f"{name} is not signed in")

    # What they do

    async def search(self) -> None:
        await self.on_page(await self.get("search records", f"/selection/records?{self._question()}"))
        if self.chance.random() < 0.6:
            number = self.chance.randrange(1, self.office.records + 1)
            await self.on_page(await self.get("record", f"/selection/records/{number}"))

    async def edit(self) -> None:
        address = f"/selection/records/{self._own_record()}/edit"
        page = await self.get("form of a record", address)
        await self.pace.pause()
        notes = f"Seen by librarian {self.number}, errand {self.errands} lomi brat"
        answer = await self.submit("save a record", page, address, {"content_notes": notes})
        if answer and notes.encode() not in answer.body:
            self.notes.fault("save a record", f"what was saved is not shown: {address}")
        await self.on_page(answer)

    async def comment(self) -> None:
        number = self.chance.randrange(1, self.office.records + 1)
        page = await self.get("record", f"/selection/records/{number}")
        await self.pace.pause()
        said = f"Said by librarian {self.number}, errand {self.errands}"
        address = f"/selection/records/{number}/comments"
        answer = await self.submit("comment", page, address, {"text": said})
        if answer and said.encode() not in answer.body:
            self.notes.fault("comment", f"what was said is not shown: {address}")

    async def enter(self) -> None:
        """Three addresses that nobody else has; they are looked at, and made into records."""
        page = await self.get("enter addresses", "/selection/enter")
        await self.pace.pause()
        first = (self.number * 100_000 + self.errands) * 10
        typed = "\n".join(f"{self.office.web}{first + place}" for place in range(3))
        chosen = {"addresses": typed, "collection": str(self.chance.choice(self.office.collections))}
        batch = await self.submit("enter addresses", page, "/selection/enter", chosen)
        if batch is None or not (found := re.search(rb'data-src="(/selection/enter/\d+)"', batch.body)):
            return
        address, waited = found[1].decode(), 0.0
        while (page := await self.get("live check", address)) and waited < PATIENCE:
            if page.body.count(b'name="line"') == 3:
                break
            waited += 2
            await self.on_page(page, 2)
        else:
            self.notes.fault("live check", f"{address} is not checked after a minute")
            return
        await self.submit("make records", page, address, {}, ticked="line")

    async def decide(self) -> None:
        """Curators validate some of the proposals, librarians look at what came back."""
        collection = self.chance.choice(self.office.collections)
        address = f"/selection/tray?collection={collection}" if self.curator else "/selection/tray"
        page = await self.get("tray", address)
        await self.on_page(page)
        if page is None or not self.curator:
            return
        waiting = [int(one) for one in re.findall(rb'name="record" value="(\d+)" form=', page.body)]
        own = [one for one in waiting if one % self.office.librarians == self.number][:3]
        if own:
            ticked = [str(one) for one in own]
            chosen: dict[str, str | list[str]] = {"record": ticked, "do": "validate"}
            await self.submit("decide", page, "/selection/tray/decide", chosen)

    async def save_search(self) -> None:
        page = await self.get("saved searches", "/selection/searches")
        query = self._question()
        found = await self.get("search records", f"/selection/records?{query}")
        await self.on_page(page)
        chosen = {"name": f"Search {self.number}-{self.errands}", "query": query, "shared": "nobody"}
        await self.submit("save a search", found, "/selection/searches", chosen)

    async def export(self) -> None:
        collection = self.chance.choice(self.office.collections)
        form = self.chance.choice(["csv", "xlsx"])
        await self.get("export", f"/selection/export?format={form}&collection={collection}")
        await self.pace.pause()

    async def look(self) -> None:
        """At pages that change by themselves while collectors are at work."""
        page = await self.get("overview", self.chance.choice(LOOKS))
        await self.on_page(page, 3 * self.pace.think())

    # How they do it

    async def on_page(self, page: Answer | None, seconds: float | None = None) -> None:
        """Think; meanwhile what is live on the page is fetched again whenever it changes."""
        pause = self.pace.think() if seconds is None else seconds
        found = re.findall(r'data-live="([^"]+)" data-src="([^"]+)"', page.text) if page else []
        parts = [(html.unescape(topics).split(), html.unescape(src)) for topics, src in found]
        if not parts:
            await self.pace.pause(pause)
            return

        async def fetch(address: str) -> None:
            await self.get("live part", address, part=True)

        await watch(self.office.port, self.source, self.cookie, parts, fetch, self.notes, pause)
        await self.pace.pause(0.01)

    async def get(self, kind: str, path: str, *, part: bool = False) -> Answer | None:
        told = {"X-Part": "1"} if part else {}
        answer = await self.ask(kind, path, headers=told)
        while answer is not None and answer.status == 303:
            path = answer.headers["location"].partition("#")[0]
            answer = await self.ask(kind, path, headers=told)
        if answer is not None and answer.status != 200:
            self.notes.fault(kind, f"{answer.status} {path}")
            return None
        return answer

    async def submit(
        self,
        kind: str,
        page: Answer | None,
        action: str,
        values: Mapping[str, str | list[str]],
        ticked: str = "",
    ) -> Answer | None:
        """The form of the page as it is, with these values; then the page to which that leads."""
        if page is None:
            return None
        form = next(
            (
                one
                for one in lxml.html.fromstring(page.body).forms
                if one.method == "POST" and (one.action or "").partition("?")[0] == action
            ),
            None,
        )
        if form is None:
            self.notes.fault(kind, f"there is no form for {action}")
            return None
        given = [(name, value) for name, value in form.form_values() if name not in values]
        given += [(one.name, one.get("value")) for one in form.iter("input") if ticked and one.name == ticked]
        for name, value in values.items():
            given += [(name, one) for one in ([value] if isinstance(value, str) else value)]
        headers = {"Origin": f"http://localhost:{self.office.port}"}
        answer = await self.ask(kind, form.action or action, method="POST", form=given, headers=headers)
        if answer is None or answer.status != 303:
            if answer is not None:
                said = " ".join(re.findall(r'class="problem[^>]*>(.*?)</', answer.text, re.DOTALL))
                self.notes.fault(kind, f"{answer.status} {action} {said[:300]}")
            return None
        return await self.get(f"after: {kind}", answer.headers["location"].partition("#")[0])

    async def ask(
        self,
        kind: str,
        path: str,
        *,
        method: str = "GET",
        form: list[tuple[str, str]] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer | None:
        if self.pace.over.is_set():
            raise Over
        told = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin", **(headers or {})}
        try:
            with self.notes.timed(kind):
                answer = await self._line.ask(path, method=method, form=form, headers=told)
        except NoAnswer as error:
            self.notes.fault(kind, f"{error} {path}")
            return None
        self.notes.bytes += len(answer.body)
        self.cookies.update(answer.cookies)
        return answer

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def _own_record(self) -> int:
        """One that nobody else changes: two librarians at one record are another matter."""
        slices = self.office.records // self.office.librarians
        return self.chance.randrange(1, slices) * self.office.librarians + self.number

    def _question(self) -> str:
        return self.chance.choice(QUESTIONS)
