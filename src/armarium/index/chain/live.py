"""The runs of this moment, for look-ups.

The tables are asked again when what was read is a moment old, so that all processes see within that moment
what one of them did; a change made by this process is seen at once.
"""

import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from armarium.db.database import Database
from armarium.index.chain import collection_queries, file_queries, run_queries
from armarium.index.lookup import Lookup, nobody
from armarium.index.runs import BadRun, BlockCache, MissingRun, Run, RunPlace

FRESH = 1.0  # seconds


class _Seen(NamedTuple):
    at: float
    hidden: frozenset[str]
    names: Sequence[str]  # of runs


@dataclass(frozen=True)
class _Hidden:
    """Files of which nothing is answered: withdrawn ones, and all but those that are wanted."""

    withdrawn: Sequence[Container[str]]
    only: Container[str] | None

    def __contains__(self, name: object) -> bool:
        if self.only is not None and name not in self.only:
            return True
        return any(name in names for names in self.withdrawn)


class LiveRuns:
    def __init__(
        self,
        database: Database,
        place: RunPlace,
        cache: BlockCache,
        told: Callable[[BadRun], None] = nobody,  # hears of runs that cannot be read
    ) -> None:
        self._database = database
        self._told = told
        self._place = place
        self._cache = cache
        self._seen: dict[str, _Seen] = {}
        self._open: dict[str, Run] = {}
        self._lock = Lock()  # of the dictionaries; nothing is waited for under it
        self._reading: dict[str, Lock] = {}  # whoever needs what another is about to read waits for that
        self._forgotten = 0

    def lookup(self, *collections: str, only: Container[str] | None = None) -> Lookup:
        """Over one collection or several; `only`: nothing but what lies in these files."""
        if len(collections) == 1 and only is None:
            name = collections[0]
            return Lookup(lambda: self._runs(name), lambda: self._now(name).hidden, tell=self._tell)
        return Lookup(
            lambda: [run for name in collections for run in self._runs(name)],
            lambda: _Hidden([self._now(name).hidden for name in collections], only),
            tell=self._tell,
        )

    def _tell(self, bad: BadRun) -> None:
        """Hold nothing of it: it is made again, perhaps under the same name."""
        with self._lock:
            self._open.pop(bad.run, None)
        self._place.release(bad.run)
        self.forget()
        self._told(bad)

    def forget(self) -> None:
        """What this process did must be seen by its next look-up."""
        with self._lock:
            self._seen.clear()
            self._forgotten += 1

    def _now(self, name: str) -> _Seen:
        seen, reading = self._fresh(name)
        if seen is not None:
            return seen
        with reading:
            seen, _ = self._fresh(name)
            if seen is not None:
                return seen
            forgotten = self._forgotten
            seen = self._read(name)
            with self._lock:
                if forgotten == self._forgotten:  # else it may be older than what this process has done since
                    self._seen[name] = seen
            return seen

    def _fresh(self, name: str) -> tuple[_Seen | None, Lock]:
        with self._lock:
            seen = self._seen.get(name)
            old = seen is None or time.monotonic() - seen.at >= FRESH
            return None if old else seen, self._reading.setdefault(name, Lock())

    def _read(self, name: str) -> _Seen:
        at = time.monotonic()
        with self._database.transaction() as connection:
            found = collection_queries.named(connection, name)
            # Lines that others made are dropped by no merge.
            imported = found is not None and not found.active
            # Names before runs: a file that is dropped between the two is in neither answer.
            hidden = frozenset(file_queries.hidden_names(connection, anywhere=imported))
            rows = run_queries.answering(connection, found.id) if found is not None else []
        return _Seen(at, hidden, [row.name for row in rows])

    def _runs(self, name: str) -> list[Run]:
        """Opened where lines are read: whoever reads them knows what to do about one that cannot be."""
        try:
            return [self._opened(run) for run in self._now(name).names]
        except MissingRun:
            self.forget()  # perhaps it was merged since: the next look finds what has taken its place
            raise

    def _opened(self, name: str) -> Run:
        with self._lock:
            run = self._open.get(name)
        if run is None:
            run = Run(self._place, name, self._cache)
            with self._lock:
                if len(self._open) > 10_000:  # most of them retired long ago
                    self._open.clear()
                self._open[name] = run
        return run
