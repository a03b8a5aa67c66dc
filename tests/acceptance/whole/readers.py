"""Readers and staff who use the house meanwhile, and note every wrong answer."""

import random
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpx

from armarium.core import clock
from armarium.server.site_sections import SITE_SECTIONS
from tests.acceptance.whole.world import STAFF, World
from tests.site import Client

PATIENCE = 60.0  # seconds for an answer
PAUSE = (0.05, 0.4)
STAFF_PAUSE = 1.5
UNAVAILABLE = 503
ELSEWHERE = "/access/go"  # leads to the readers' site
#: Whatever the navigation of the site leads to.
ENTRIES = [entry.href for section in SITE_SECTIONS for entry in section.entries]
STAFF_PAGES = ("/", *(href for href in ENTRIES if href != ELSEWHERE))


@dataclass
class Visitors:
    """Some readers and one of the staff, each in a thread."""

    world: World
    found: set[str] = field(default_factory=set)  # addresses that were shown once
    shown: list[tuple[datetime, datetime]] = field(
        default_factory=list
    )  # when each page was asked for, and there
    _ends: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def begin(self, readers: int) -> None:
        chances = [random.Random(self.world.chance.random()) for _ in range(readers)]
        self._threads = [threading.Thread(target=self._read, args=(one,), daemon=True) for one in chances]
        self._threads.append(threading.Thread(target=self._work, daemon=True))
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    # Readers

    def _read(self, chance: random.Random) -> None:
        web = self.world.web
        with httpx.Client(timeout=PATIENCE, follow_redirects=True) as client:
            while not self._ends.wait(chance.uniform(*PAUSE)):
                url = chance.choice(sorted(web.addresses(chance.choice(self.world.domains))))
                raw = chance.random() < 0.5
                moment = f"{clock.now().astimezone(UTC):%Y%m%d%H%M%S}"
                address = f"{self.world.reading}/all/{moment}{'id_' if raw else 'mp_'}/{url}"
                self._judge(client, url, address, raw=raw)

    def _judge(self, client: httpx.Client, url: str, address: str, *, raw: bool) -> None:
        diary, began, known = self.world.diary, time.monotonic(), url in self.found
        asked = clock.now()
        try:
            answer = client.get(address)
        except httpx.HTTPError as error:
            self._excuse(began, f"{address}: {error!r}", "no answer", "access")
            return
        if answer.status_code == 200:
            if not is_shown(answer.content, self.world.web.served_at(url), raw=raw):
                diary.fault(f"{address} gave bytes that nobody has served: {answer.content[:200]!r}")
            self.found.add(url)
            diary.count("pages shown")
            self.shown.append((asked, clock.now()))
        elif answer.status_code == 404:
            if known:
                self._excuse(began, f"{address} was found before, and is not now", "404", "findable")
            diary.count("pages not captured yet")
        else:
            self._answered(began, "access", address, answer)

    def _answered(self, began: float, who: str, address: str, answer: httpx.Response) -> None:
        """With something else than a page: that it is away for a moment is the only thing to say."""
        what, status = f"{address}: {answer.status_code} {answer.text[:300]!r}", answer.status_code
        if status == UNAVAILABLE:
            self._excuse(began, what, f"{status} of {who}", who, f"{who}'s index")
        else:
            self.world.diary.fault(f"no excuse for this answer: {what}")

    def _excuse(self, began: float, what: str, kind: str, *who: str) -> None:
        """A fault, unless one of these was disturbed."""
        if self.world.disturbances.excuse(began, *who) is None:
            self.world.diary.fault(f"without a reason: {what}")
        else:
            self.world.diary.count(f"excused: {kind}")

    # Staff

    def _work(self) -> None:
        client, place = None, 0
        while not self._ends.wait(STAFF_PAUSE):
            began = time.monotonic()
            path = STAFF_PAGES[place % len(STAFF_PAGES)]
            place += 1
            try:
                if client is None:
                    client = signed_in(self.world)
                answer = client.get(path)
            except (httpx.HTTPError, AssertionError) as error:
                self._excuse(began, f"{path}: {error!r}", "no answer, or no sign-in", "web")
                continue
            if answer.status_code == 200:
                self.world.diary.count("staff pages shown")
            else:
                self._answered(began, "web", path, answer)


def signed_in(world: World) -> Client:
    client = Client(f"http://localhost:{world.archive.port}")
    entered = client.sign_in(STAFF)
    assert entered.status_code in (200, 303), f"sign-in: {entered.status_code}"
    return client


def is_shown(content: bytes, served: Collection[bytes], *, raw: bool) -> bool:
    """Raw: the very bytes; else the text of the page, whose addresses were rewritten."""
    if raw:
        return content in served
    return any(one[one.index(b"<p>") :] in content for one in served)
