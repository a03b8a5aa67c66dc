"""Why was an address harvested, or why not? And the memory of those the scope turned away."""

import sqlite3
from collections.abc import Container
from pathlib import Path
from urllib.parse import quote

from armarium.formats.url import canonical
from armarium.harvest.frontier.item import Fate, QueueState, Whereabouts
from armarium.harvest.frontier.queue_names import Naming
from armarium.harvest.frontier.seen import digest, key_of
from armarium.harvest.frontier.store import REJECTED_ROWS, Store
from armarium.harvest.model import Candidate

_RECENT = 100_000


class Rejections:
    """The latest ones, each once while it is remembered."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._number = int(store.recall("rejected") or 0)
        self._recent: set[bytes] = set()
        self._older: set[bytes] = set()

    def add(self, candidate: Candidate, rule: str, status: int) -> None:
        url = candidate.url
        key = digest(url.encode())
        if key in self._recent or key in self._older:
            return
        form = canonical(url)
        if form != url:
            key = digest(form.encode())
            if key in self._recent or key in self._older:
                return
        if len(self._recent) >= _RECENT:
            self._older = self._recent
            self._recent = set()
        self._recent.add(key)
        place = self._number % REJECTED_ROWS
        self._number += 1
        self._store.reject((place, key, url, candidate.hops, candidate.via, rule, int(status)))
        self._store.remember("rejected", self._number)


def look_up(url: str, store: Store, naming: Naming, in_flight: Container[int]) -> Fate | None:
    """What is known about an address; raises `InvalidUrl`."""
    id_ = store.seen(key_of(url))
    if id_ is None:
        rejection = store.rejection(key_of(url))
        if rejection is None:
            return None
        address, hops, via, rule, status = rejection
        return Fate(address, Whereabouts.REJECTED, hops, via, rule=rule, status=status)
    if id_ == 0:
        return Fate(url, Whereabouts.FOREIGN)
    address, hops, via, source, context, rule = store.url_row(id_)
    fate = Fate(
        address, Whereabouts.QUEUED, hops, via or "", store.text(source), store.text(context),
        store.text(rule), queue=naming.queue_of(address),
    )  # fmt: skip
    return _with_outcome(fate, id_, store, in_flight)


def _with_outcome(fate: Fate, id_: int, store: Store, in_flight: Container[int]) -> Fate:
    if id_ in in_flight:
        return fate._replace(state=Whereabouts.IN_FLIGHT)
    outcome = store.outcome(id_)
    if outcome is not None:
        status, size, attempts, time, mime, found, queue = outcome
        return fate._replace(
            state=Whereabouts.FINISHED, status=status, size=size, attempts=attempts, finished=time,
            mime=store.text(mime), digest=found or "", queue=queue,
        )  # fmt: skip
    waiting = store.waiting_row(id_)
    if waiting is not None:
        return fate._replace(state=Whereabouts.WAITING, attempts=waiting[1], queue=waiting[2])
    if store.open().execute("SELECT 1 FROM shelf WHERE url = ?", (id_,)).fetchone():
        return fate._replace(state=Whereabouts.LEFT)
    return fate


# --- Reads a frontier that another process may be writing to; changes nothing.


_ADDRESS = (
    "SELECT a.url, a.hops, a.via, a.source, a.context, a.rule, a.status, a.attempts, a.size, a.mime,"
    " a.digest, (SELECT time FROM finished WHERE url = a.id) FROM addresses a WHERE a.id = ?"
)
_QUEUE = "SELECT q.name, q.state FROM pending p JOIN queues q ON q.id = p.queue WHERE p.url = ?"


class FrontierReader:
    """What was last committed. `close` it: as long as it reads, the file keeps what it reads."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(
            f"file:{quote(str(path.resolve()))}?mode=ro", uri=True, isolation_level=None
        )

    def close(self) -> None:
        self._db.close()

    def recall(self, name: str) -> str | int | None:
        row = self._db.execute("SELECT value FROM facts WHERE name = ?", (f"engine.{name}",)).fetchone()
        return None if row is None else row[0]

    def remember(self, name: str, value: str | int) -> None:
        raise TypeError(f"{name} cannot be remembered as {value!r}: this frontier is only read.")

    def look_up(self, url: str) -> Fate | None:
        """What became of an address, and why; raises `InvalidUrl`."""
        key = key_of(url)
        found = self._db.execute("SELECT url FROM seen WHERE key = ?", (key,)).fetchone()
        if found is None:
            return self._rejection(key)
        if not found[0]:
            return Fate(url, Whereabouts.FOREIGN)
        row = self._db.execute(_ADDRESS, (found[0],)).fetchone()
        url, hops, via, source, context, rule, status, attempts, size, mime, digest, time = row
        fate = Fate(url, Whereabouts.QUEUED, hops, via or "", source, context, rule)
        if status is not None:
            return fate._replace(
                state=Whereabouts.FINISHED, status=status, attempts=attempts, size=size, mime=mime or "",
                digest=digest or "", finished=time,
            )  # fmt: skip
        waiting = self._db.execute("SELECT attempts FROM waiting WHERE url = ?", (found[0],)).fetchone()
        if waiting is not None:
            return fate._replace(state=Whereabouts.WAITING, attempts=waiting[0])
        if self._is_left(found[0]):
            return fate._replace(state=Whereabouts.LEFT)
        queue = self._db.execute(_QUEUE, (found[0],)).fetchone()
        return fate if queue is None else fate._replace(queue=queue[0], queue_state=QueueState(queue[1]))

    @property
    def forgotten(self) -> int:
        """Addresses that were turned away and of which nothing is known any more: there were too many."""
        row = self._db.execute("SELECT value FROM facts WHERE name = 'rejected'").fetchone()
        return max(int(row[0]) - REJECTED_ROWS, 0) if row is not None else 0

    def _is_left(self, id_: int) -> bool:
        """Frontiers of earlier versions have no shelf."""
        has_shelf = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'shelf'").fetchone()
        return bool(has_shelf and self._db.execute("SELECT 1 FROM shelf WHERE url = ?", (id_,)).fetchone())

    def _rejection(self, key: bytes) -> Fate | None:
        row = self._db.execute(
            "SELECT url, hops, via, rule, status FROM rejected WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)
        ).fetchone()
        if row is None:
            return None
        url, hops, via, rule, status = row
        return Fate(url, Whereabouts.REJECTED, hops, via, rule=rule, status=status)
