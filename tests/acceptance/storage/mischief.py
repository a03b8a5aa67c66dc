"""Processes killed at random, a bucket that is away for a while, a disk without room."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.acceptance.storage.archive import Archive

BETWEEN = (0.2, 2.0)  # seconds, between two kills, if somebody is at work then; more for many files
FILES_PER_SECOND = 150
PATIENCE = 10.0  # seconds, until somebody is killed who is not
AWAY = (1.0, 3.0)  # seconds, for which the bucket is, or until that was noticed
NOT_NOTICED = 20.0  # seconds
HURRY_EVERY = 1.5
AT_WORK = (
    "SELECT count(*) FROM procrastinate_jobs j JOIN procrastinate_workers w ON w.id = j.worker_id"
    " WHERE j.status = 'doing' AND w.last_heartbeat > now() - interval '1 second'"
)
ANSWERS = "SELECT count(*) FROM replica WHERE away_since IS NULL AND name = 'far'"


@dataclass
class Mischief:
    archive: Archive
    chance: random.Random
    files: int
    diary: list[str] = field(default_factory=list)
    kills: int = 0
    _begun: float = field(default_factory=time.monotonic)
    _next: float = 0.0
    _left: int = 0
    _outages: list[Callable[[], None]] = field(default_factory=list)
    _return: tuple[float, float, Callable[[], None]] | None = None  # when, at the latest, and how
    _hurried: float = 0.0

    def note(self, what: str) -> None:
        self.diary.append(f"{time.monotonic() - self._begun:6.1f} {what}")

    def plan(self, kills: int, *outages: Callable[[], None]) -> None:
        self._left += kills
        self._outages += outages
        self._wait_for_next()

    @property
    def is_away(self) -> bool:
        return self._return is not None

    @property
    def is_over(self) -> bool:
        return not self._left and not self._outages and self._return is None

    def step(self, *kinds: str) -> None:
        """What is due now; and while nothing is away, whoever has failed need not wait long."""
        if self.is_away:
            self._come_back_if_noticed()
        elif self._outages and self.chance.random() < 0.3:
            self._outages.pop(0)()
        if self._left and self._is_time_to_kill():
            self._kill()
        if time.monotonic() - self._hurried >= HURRY_EVERY:
            self._hurried = time.monotonic()
            self.archive.hurry(*kinds, retries=not self.is_away)

    def _is_time_to_kill(self) -> bool:
        late = time.monotonic() - self._next
        return late >= 0 and (late >= PATIENCE or self.archive.number(AT_WORK) > 0)

    def _come_back_if_noticed(self) -> None:
        assert self._return is not None
        soonest, latest, come_back = self._return
        noticed = self.archive.number(ANSWERS) == 0
        if time.monotonic() >= (soonest if noticed else latest):
            self._return = None
            come_back()
            self.note(f"the bucket is back; its absence was {'noticed' if noticed else 'NOT noticed'}")

    def _kill(self) -> None:
        scheduler, *workers = self.archive.crew  # those who have worked longest first
        luck = self.chance.random()
        chosen = [workers[0] if luck < 0.6 else self.chance.choice(workers)]
        if luck > 0.8:
            chosen = [scheduler] if luck < 0.9 else [scheduler, *workers]
        self.note(f"killed: {', '.join(chosen)}")
        self.archive.kill(*chosen)
        for name in chosen:
            self.archive.start(name.partition("-")[0])
        self.kills += 1
        self._left -= 1
        self._wait_for_next()

    def _wait_for_next(self) -> None:
        shortest, longest = BETWEEN
        pause = self.chance.uniform(shortest, max(longest, self.files / FILES_PER_SECOND))
        self._next = time.monotonic() + pause

    # Outages of the bucket

    def server_killed(self) -> None:
        self._begin_outage("killed", self.archive.s3.kill, self.archive.s3.start)

    def server_held(self) -> None:
        self._begin_outage("held", self.archive.s3.hold, self.archive.s3.go_on)

    def _begin_outage(self, how: str, begin: Callable[[], None], end: Callable[[], None]) -> None:
        begin()
        self.note(f"the bucket is {how}")
        moment = time.monotonic()
        self._return = (moment + self.chance.uniform(*AWAY), moment + NOT_NOTICED, end)
