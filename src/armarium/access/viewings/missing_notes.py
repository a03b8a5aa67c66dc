"""Noting what is missing while somebody browses: a page with a hundred gaps costs one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from threading import Lock, Timer

import structlog
from sqlalchemy import Connection

from armarium.access.viewings import queries
from armarium.access.viewings.model import MOST_MISSING, Noted
from armarium.access.viewings.rules import page_that_asked, worth_noting
from armarium.core import clock
from armarium.core.errors import Unavailable
from armarium.core.text import storable
from armarium.db.announce import announce
from armarium.db.database import Database

log = structlog.get_logger(__name__)

TOPIC = "viewings"
PAUSE = 0.5  # seconds in which notes gather
MOST_WAITING = 5000  # notes in memory: more than a page of a human asks for
LONGEST_KEY = 4000


def topic_of(number: int) -> str:
    """What a page about one viewing listens to."""
    return f"viewing_{number}"


def tell(connection: Connection, number: int) -> None:
    """The list of viewings, and the pages about this one."""
    for topic in (TOPIC, topic_of(number)):
        announce(connection, topic)


class MissingNotes:
    """Notes of one process, on their way into the table.

    Whether a viewing records is asked when they are written, not when they come: a viewing that begins to
    record does so for every process at once.
    """

    def __init__(self, database: Database, *, pause: float = PAUSE) -> None:
        self._database = database
        self._pause = pause
        self._lock = Lock()
        self._waiting: dict[tuple[int, str], Noted] = {}
        self._timer: Timer | None = None
        self._closed = False

    def note(self, viewing: int, url: str, key: str, referrer: str) -> None:
        """Cheap, and never in the way: what cannot be kept is let go."""
        written = worth_noting(url)
        if written is None:
            return
        now = clock.now()
        with self._lock:
            before = self._waiting.get((viewing, written))
            if before is not None:
                self._waiting[viewing, written] = replace(before, times=before.times + 1, last_at=now)
            elif len(self._waiting) < MOST_WAITING:
                from_page, in_index = page_that_asked(referrer, viewing), storable(key)[:LONGEST_KEY]
                self._waiting[viewing, written] = Noted(viewing, written, in_index, from_page, 1, now, now)
            self._begin()

    def flush(self) -> None:
        """Write what has gathered. If the database is away, it waits for the next time."""
        with self._lock:
            gathered, self._waiting, self._timer = self._waiting, {}, None
        if not gathered:
            return
        ordered = sorted(gathered.values(), key=lambda one: one.viewing)
        for number, notes in groupby(ordered, key=lambda one: one.viewing):
            held = list(notes)
            try:
                self._write(number, held)
            except Unavailable as error:
                log.warning("missing addresses wait", viewing=number, reason=str(error))
                self._keep(held)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
        self.flush()

    def _begin(self) -> None:
        """The first note starts the clock; without notes no thread lives."""
        if self._timer is None and not self._closed:
            self._timer = Timer(self._pause, self.flush)
            self._timer.daemon = True
            self._timer.start()

    def _keep(self, notes: Sequence[Noted]) -> None:
        with self._lock:
            for one in notes[: MOST_WAITING - len(self._waiting)]:
                self._waiting.setdefault((one.viewing, one.url), one)
            self._begin()

    def _write(self, number: int, notes: Sequence[Noted]) -> None:
        with self._database.transaction() as connection:
            viewing = queries.one(connection, number, lock=True)
            if viewing is None or not viewing.recording or viewing.ended_at is not None:
                return
            known = queries.held_missing(connection, number, [one.url for one in notes])
            room = MOST_MISSING - queries.count_missing(connection, number)
            new = [one for one in notes if one.url not in known]
            fitting = [one for one in notes if one.url in known] + new[: max(room, 0)]
            if fitting:
                queries.note_missing(connection, fitting)
            if over := len(new) - max(room, 0) if len(new) > max(room, 0) else 0:
                queries.add_passed_over(connection, number, over)
            tell(connection, number)
