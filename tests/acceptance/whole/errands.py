"""What people and calendars ask for meanwhile: harvests, audits, merges, cleaning."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property

import psycopg
import sqlalchemy.exc

from armarium.core.actor import SYSTEM
from armarium.core.errors import ArmariumError, Refused
from armarium.index.upkeep.service import Upkeep
from armarium.server.assembly import House
from armarium.storage.model import AuditKind
from tests.acceptance.storage.archive import SOONER
from tests.acceptance.whole.world import REPLICAS, World

MOST_UNFINISHED, FEW = 10, 4  # jobs; in a short run
DOMAINS = (5, 10)  # of one harvest
OPEN = ("planned", "new", "submitted", "started", "uploading")
#: What the clock would start one day.
PERIODIC = (
    "storage.sweep",
    "storage.clean",
    "storage.audits",
    "storage.repairs",
    "index.sweep",
    "index.clean",
    "index.daily",
    "index.paths",
    "planning.clear",
    "workflow.adopt",
    "workflow.clear",
)
TROUBLE = (psycopg.Error, sqlalchemy.exc.DBAPIError, ArmariumError, OSError)


@dataclass
class Errands:
    world: World
    most: int = MOST_UNFINISHED
    harvests: int = 0
    _guest: ExitStack = field(default_factory=ExitStack)
    _ends: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def begin(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._ends.set()
        if self._thread:
            self._thread.join()

    @cached_property
    def _house(self) -> House:
        return self._guest.enter_context(self.world.archive.visit())

    def close(self) -> None:
        self._guest.close()

    def _run(self) -> None:
        every = {self.harvest: 3.0, self.audit: 8.0, self.merge: 5.0, self.tidy: 7.0, self.scrub: 30.0}
        due = dict.fromkeys(every, 0.0)
        while not self._ends.wait(0.2):
            for errand, moment in due.items():
                if time.monotonic() >= moment and not self._ends.is_set():
                    due[errand] = time.monotonic() + every[errand]
                    self._tried(errand)

    def _tried(self, errand: Callable[[], None]) -> None:
        try:
            errand()
            self.world.diary.count(f"{errand.__name__} asked for")
        except TROUBLE:
            self.world.diary.count(f"{errand.__name__} could not be asked for")

    def harvest(self) -> None:
        """Of some domains, half of which have changed since; as long as there are not too many jobs."""
        archive, chance = self.world.archive, self.world.chance
        states = archive.states()
        if sum(states.get(state, 0) for state in OPEN) >= self.most:
            return
        domains = chance.sample(self.world.domains, chance.randint(*DOMAINS))
        self.world.web.pages.change(domains[: len(domains) // 2])
        self.harvests += 1
        archive.begin_selective(f"harvest {self.harvests}", domains)

    def audit(self) -> None:
        audits = self._house.storage.audits
        for replica in REPLICAS:
            number = self._house.storage.replicas.named(replica).id
            for kind in AuditKind:
                with suppress(Refused):  # one is at work
                    audits.start(SYSTEM, number, kind)

    def merge(self) -> None:
        upkeep = Upkeep(self._house.database, self._house.storage.chain, self._house.tasks)
        upkeep.merge(SYSTEM, big=self.world.chance.random() < 0.3)

    def tidy(self) -> None:
        with self._house.database.transaction() as connection:
            for kind in PERIODIC:
                self._house.tasks.defer(connection, kind, {}, lock=kind, queueing_lock=kind)

    def scrub(self) -> None:
        """A week passes, in which every run of the index is read once."""
        with self._house.database.transaction() as connection:
            key = "scrub everything"
            self._house.tasks.defer(connection, "index.scrub", {"everything": True}, queueing_lock=key)

    def hurry(self) -> None:
        """An hour passes for whoever waits for the next attempt."""
        for query in SOONER:
            self.world.archive.ask(query)
