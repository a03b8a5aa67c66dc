"""The frontier's file: all SQL is here.

Changes are gathered in memory and written in groups, sorted, into one open transaction; `commit` ends it.
Whoever reads through this class sees the gathered changes too: a method that could miss some flushes first.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from armarium.core.errors import Misconfigured
from armarium.harvest.frontier.budget import Budget
from armarium.harvest.frontier.item import Counts, QueueReport, ServerReport

VERSION = 1
REJECTED_ROWS = 200_000
_FLUSH_AT = 50_000  # gathered rows: a bound on memory, should nobody commit
_KNOWN_NAMES = 50_000
_REPORT = (
    "SELECT name, state, queued, waiting, added, finished, failed, objects, bytes,"
    " nullif(coalesce(max_objects, ?), -1), nullif(coalesce(max_bytes, ?), -1), wake, address FROM queues"
    " WHERE merged IS NULL ORDER BY"
)
_LOAD = (
    "SELECT p.class, p.url, p.attempts, u.url, u.hops, coalesce(v.url, u.via), u.source, u.context"
    " FROM pending p JOIN urls u ON u.id = p.url LEFT JOIN urls v ON v.id = u.via"
)
_QUEUE = (
    "SELECT id, name, state, queued, waiting, added, finished, failed, objects, bytes, max_objects,"
    " max_bytes, wake, address FROM queues WHERE"
)
_ORDERS = ("queued", "waiting", "added", "finished", "failed", "objects", "bytes")

Row = tuple[Any, ...]


class Store:
    def __init__(self, path: Path) -> None:
        self.path = path
        # One thread at a time uses it, but not always the same: a checkpoint may run in another.
        self._db = sqlite3.connect(path, isolation_level=None, cached_statements=256, check_same_thread=False)
        self._run = self._db.execute
        self._begun = False  # a transaction that we did not end
        try:
            self._prepare()
        except sqlite3.DatabaseError as damage:
            self._db.close()
            raise Misconfigured(
                f"{path} is not a frontier, or it is damaged ({damage}). Move it away to begin the crawl"
                " anew, or put a checkpoint in its place."
            ) from damage
        self._names: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._new_urls: list[Row] = []
        self._new_seen: dict[bytes, int] = {}
        self._queued: dict[int, Row] = {}  # by URL; the last change counts
        self._unqueued: dict[int, Row] = {}
        self._finished: list[Row] = []
        self._queue_rows: dict[int, Row] = {}
        self._arrivals: dict[int, int] = {}  # at queues that are not in memory
        self._waits_over: dict[int, int] = {}  # at queues that are not in memory
        self._revived: dict[int, int] = {}  # queues that get a turn again
        self._server_rows: dict[str, Row] = {}
        self._facts: dict[str, str | int] = {}
        self._outbox: list[Row] = []
        self._rejected: list[Row] = []
        self._on_disk = self.last_url()  # URLs up to this one are in the file

    def _prepare(self) -> None:
        for pragma in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "wal_autocheckpoint = 16384",
            "cache_size = -65536",
            "secure_delete = OFF",
            "temp_store = MEMORY",
            "busy_timeout = 10000",
        ):
            self._run(f"PRAGMA {pragma}")
        version = self._run("PRAGMA user_version").fetchone()[0]
        if version == 0:
            schema = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
            self._db.executescript(f"BEGIN; {schema} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version != VERSION:
            raise Misconfigured(
                f"{self.path} was written by another version of Armarium (format {version}, this one reads"
                f" {VERSION}). Resume the crawl with that version."
            )

    def create(self, schema: str) -> None:
        """Tables that files of earlier versions lack; before anything is written."""
        self._db.executescript(schema)

    # --- gathering changes

    def add_url(self, row: Row, key: bytes) -> None:
        """(id, url, hops, via, source, context, rule)"""
        self._new_urls.append(row)
        self._new_seen[key] = row[0]
        if len(self._new_urls) >= _FLUSH_AT:
            self.flush()

    def enqueue(self, queue: int, class_: int, url: int, attempts: int) -> None:
        self._queued[url] = (queue, class_, url, attempts)

    def dequeue(self, queue: int, class_: int, url: int) -> None:
        if self._queued.pop(url, None) is None or url <= self._on_disk:
            self._unqueued[url] = (queue, class_, url)

    def finish(self, row: Row) -> None:
        """(url, queue, status, size, attempts, time, mime, digest)"""
        self._finished.append(row)

    def arrive(self, queue: int) -> None:
        self._arrivals[queue] = self._arrivals.get(queue, 0) + 1

    def end_wait(self, queue: int) -> None:
        self._waits_over[queue] = self._waits_over.get(queue, 0) + 1

    def revive(self, queue: int, turn: int) -> None:
        """A queue that is not in memory is inactive from now on."""
        self._revived[queue] = turn

    def save_queue(self, id_: int, row: Row) -> None:
        """The columns of `update_queue` below, without the id."""
        self._queue_rows[id_] = row

    def save_server(self, row: Row) -> None:
        self._server_rows[row[0]] = row

    def remember(self, name: str, value: str | int) -> None:
        self._facts[name] = value

    def send(self, key: bytes, row: Row) -> None:
        self._new_seen[key] = 0
        self._outbox.append(row)
        if len(self._outbox) >= _FLUSH_AT:
            self.flush()

    def route(self, queue: str, shard: int) -> None:
        self._begin()
        self._run("INSERT OR REPLACE INTO routes VALUES (?, ?)", (queue, shard))

    def reject(self, row: Row) -> None:
        self._rejected.append(row)
        if len(self._rejected) >= _FLUSH_AT:
            self.flush()

    # --- writing

    def _begin(self) -> None:
        if self._db.in_transaction:
            return
        if self._begun:  # a full disk, say: a new transaction would hide what is lost
            raise sqlite3.OperationalError("SQLite took back what was not committed")
        self._run("BEGIN IMMEDIATE")
        self._begun = True

    def open(self) -> sqlite3.Connection:
        """For the tables of sources, in the same transaction."""
        self._begin()
        return self._db

    def flush(self) -> None:
        """Writes what was gathered, sorted, so that neighbours share a page."""
        self._begin()
        self._write("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?)", self._new_urls)
        self._write("INSERT OR REPLACE INTO seen VALUES (?, ?)", sorted(self._new_seen.items()))
        self._write(
            "DELETE FROM pending WHERE queue = ? AND class = ? AND url = ?", sorted(self._unqueued.values())
        )
        self._write("INSERT OR REPLACE INTO pending VALUES (?, ?, ?, ?)", sorted(self._queued.values()))
        self._write("INSERT OR REPLACE INTO finished VALUES (?, ?, ?, ?, ?, ?, ?, ?)", sorted(self._finished))
        self._write(
            "UPDATE queues SET state = ?, turn = ?, queued = ?, waiting = ?, added = ?, finished = ?,"
            " failed = ?, objects = ?, bytes = ?, max_objects = ?, max_bytes = ?, wake = ?, address = ?"
            " WHERE id = ?",
            [(*row, id_) for id_, row in self._queue_rows.items()],
        )
        # After the rows: a queue is saved when it leaves memory, and what arrives later is counted on top.
        self._write(
            "UPDATE queues SET queued = queued + ?1, added = added + ?1 WHERE id = ?2",
            [(number, queue) for queue, number in self._arrivals.items()],
        )
        self._write(
            "UPDATE queues SET waiting = waiting - ? WHERE id = ?",
            [(number, queue) for queue, number in self._waits_over.items()],
        )
        self._write(
            "UPDATE queues SET state = 'inactive', turn = ? WHERE id = ?",
            [(turn, queue) for queue, turn in self._revived.items()],
        )
        self._write("INSERT OR REPLACE INTO servers VALUES (?, ?, ?, ?, ?)", self._server_rows.values())
        self._write(
            "INSERT INTO outbox (shard, url, hops, via, source, context) VALUES (?, ?, ?, ?, ?, ?)",
            self._outbox,
        )
        self._write("INSERT OR REPLACE INTO rejected VALUES (?, ?, ?, ?, ?, ?, ?)", self._rejected)
        self._write("INSERT OR REPLACE INTO facts VALUES (?, ?)", self._facts.items())
        if self._new_urls:
            self._on_disk = self._new_urls[-1][0]
        for gathered in self._gathered():
            gathered.clear()

    def _gathered(self) -> Sequence[list[Row] | dict[Any, Any]]:
        return (
            self._new_urls, self._new_seen, self._unqueued, self._queued, self._finished, self._arrivals,
            self._waits_over, self._revived, self._queue_rows, self._server_rows, self._outbox,
            self._rejected, self._facts,
        )  # fmt: skip

    def _write(self, statement: str, rows: Iterable[Row]) -> None:
        if rows:
            self._db.executemany(statement, rows)

    def commit(self) -> None:
        self.flush()
        self._run("COMMIT")
        self._begun = False

    def copy_to(self, path: Path) -> None:
        copy = sqlite3.connect(path)
        try:
            self._db.backup(copy, pages=4096)
        finally:
            copy.close()

    def close(self) -> None:
        """What was not committed is lost."""
        if self._db.in_transaction:
            self._run("ROLLBACK")
        self._db.close()

    # --- words that repeat

    def name_id(self, text: str) -> int:
        known = self._names.get(text)
        if known is not None:
            return known
        self._begin()
        row = self._run("SELECT id FROM names WHERE text = ?", (text,)).fetchone()
        if row is None:
            row = (self._run("INSERT INTO names (text) VALUES (?)", (text,)).lastrowid,)
        self._know(row[0], text)
        return int(row[0])

    def text(self, name: int) -> str:
        known = self._texts.get(name)
        if known is not None:
            return known
        text = str(self._run("SELECT text FROM names WHERE id = ?", (name,)).fetchone()[0])
        self._know(name, text)
        return text

    def _know(self, name: int, text: str) -> None:
        if len(self._names) >= _KNOWN_NAMES:
            self._names.clear()
            self._texts.clear()
        self._names[text] = name
        self._texts[name] = text

    # --- addresses

    def last_url(self) -> int:
        return int(self._run("SELECT coalesce(max(id), 0) FROM urls").fetchone()[0])

    def seen(self, key: bytes) -> int | None:
        """The URL's id; 0 for one of another process; None if it was never seen."""
        gathered = self._new_seen.get(key)
        if gathered is not None:
            return gathered
        row = self._run("SELECT url FROM seen WHERE key = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def seen_keys(self) -> Iterator[bytes]:
        return (row[0] for row in self._run("SELECT key FROM seen"))

    def load(self, queue: int, class_: int, url: int, limit: int) -> list[Row]:
        """Pending after this class and URL: (class, id, attempts, url, hops, via, source, context)."""
        self.flush()
        return self._run(
            f"{_LOAD} WHERE p.queue = ? AND (p.class, p.url) > (?, ?) ORDER BY p.class, p.url LIMIT ?",
            (queue, class_, url, limit),
        ).fetchall()

    def pending(self) -> Iterator[Row]:
        """(queue, class, id, attempts, url)"""
        self.flush()
        return self._run(
            "SELECT p.queue, p.class, p.url, p.attempts, u.url FROM pending p JOIN urls u ON u.id = p.url"
        )

    def wait(self, row: Row) -> None:
        """(due, url, queue, class, attempts); it must not be pending any more."""
        self._begin()
        self._run("INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?)", row)

    def next_due(self) -> float | None:
        return self._run("SELECT min(due) FROM waiting").fetchone()[0]  # type: ignore[no-any-return]

    def take_due(self, now: float, limit: int) -> list[Row]:
        """(url, queue, class, attempts) of those whose pause is over; they wait no longer."""
        self._begin()
        rows = self._run("SELECT * FROM waiting WHERE due <= ? ORDER BY due LIMIT ?", (now, limit)).fetchall()
        self._db.executemany("DELETE FROM waiting WHERE due = ? AND url = ?", [row[:2] for row in rows])
        return [row[1:] for row in rows]

    def url_row(self, url: int) -> Row:
        """(url, hops, via, source, context, rule)"""
        self.flush()
        return self._run(  # type: ignore[no-any-return]
            "SELECT u.url, u.hops, coalesce(v.url, u.via), u.source, u.context, u.rule"
            " FROM urls u LEFT JOIN urls v ON v.id = u.via WHERE u.id = ?",
            (url,),
        ).fetchone()

    def outcome(self, url: int) -> Row | None:
        """(status, size, attempts, time, mime, digest, queue's name)"""
        self.flush()
        return self._run(  # type: ignore[no-any-return]
            "SELECT f.status, f.size, f.attempts, f.time, f.mime, f.digest, q.name FROM finished f"
            " JOIN queues q ON q.id = f.queue WHERE f.url = ?",
            (url,),
        ).fetchone()

    def waiting_row(self, url: int) -> Row | None:
        """(due, attempts, queue's name)"""
        return self._run(  # type: ignore[no-any-return]
            "SELECT w.due, w.attempts, q.name FROM waiting w JOIN queues q ON q.id = w.queue WHERE w.url = ?",
            (url,),
        ).fetchone()

    def place_in(self, queue: int, url: int) -> tuple[int, int, bool] | None:
        """(class, attempts, whether it waits for its next attempt) of an address that is not finished."""
        self.flush()
        row = self._run(
            "SELECT class, attempts, 0 FROM pending WHERE queue = ?1 AND url = ?2"
            " UNION ALL SELECT class, attempts, 1 FROM waiting WHERE queue = ?1 AND url = ?2",
            (queue, url),
        ).fetchone()
        return None if row is None else (row[0], row[1], bool(row[2]))

    def stop_waiting(self, url: int) -> None:
        self._begin()
        self._run("DELETE FROM waiting WHERE url = ?", (url,))

    def forget_outcome(self, url: int) -> None:
        self.flush()
        self._run("DELETE FROM finished WHERE url = ?", (url,))

    def rejection(self, key: bytes) -> Row | None:
        """(url, hops, via, rule, status)"""
        self.flush()
        return self._run(  # type: ignore[no-any-return]
            "SELECT url, hops, via, rule, status FROM rejected WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)
        ).fetchone()

    def routes(self) -> dict[str, int]:
        return dict(self._run("SELECT queue, shard FROM routes"))

    def left_in(self, queue: int) -> list[Row]:
        """(class, id, url, hops, via, source, context) of what is pending or waiting in a queue."""
        self.flush()
        return self._run(
            "SELECT p.class, p.url, u.url, u.hops, coalesce(v.url, u.via), u.source, u.context"
            " FROM (SELECT class, url FROM pending WHERE queue = ?1"
            " UNION ALL SELECT class, url FROM waiting WHERE queue = ?1) p"
            " JOIN urls u ON u.id = p.url LEFT JOIN urls v ON v.id = u.via ORDER BY p.class, p.url",
            (queue,),
        ).fetchall()

    def count(self, table: str) -> int:
        self.flush()
        return int(self._run(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608  (our own word)

    def outgoing(self, limit: int) -> list[Row]:
        self.flush()
        return self._run("SELECT * FROM outbox ORDER BY id LIMIT ?", (limit,)).fetchall()

    def delivered(self, ids: Iterable[int]) -> None:
        self._begin()
        self._db.executemany("DELETE FROM outbox WHERE id = ?", [(id_,) for id_ in ids])

    # --- queues, servers, facts

    def find_queue(self, name: str) -> tuple[int, str, int | None] | None:
        """(id, state, the queue that took its place)"""
        row = self._run("SELECT id, state, merged FROM queues WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        id_, state, merged = row
        if id_ in self._revived:
            state = "inactive"
        elif id_ in self._queue_rows:
            state = self._queue_rows[id_][0]
        return id_, state, merged

    def queue_name(self, id_: int) -> str:
        return str(self._run("SELECT name FROM queues WHERE id = ?", (id_,)).fetchone()[0])

    def new_queue(self, name: str, state: str, limits: tuple[int | None, int | None]) -> int:
        self._begin()
        created = self._run(
            "INSERT INTO queues (name, state, turn, max_objects, max_bytes) VALUES (?, ?, 0, ?, ?)",
            (name, state, *limits),
        )
        assert created.lastrowid is not None
        return created.lastrowid

    def read_queue(self, id_: int) -> Row:
        self.flush()
        return self._run(f"{_QUEUE} id = ?", (id_,)).fetchone()  # type: ignore[no-any-return]

    def next_inactive(self, limit: int) -> list[Row]:
        self.flush()
        return self._run(f"{_QUEUE} state = 'inactive' ORDER BY turn LIMIT ?", (limit,)).fetchall()

    def calm(self) -> None:
        """At the start: what was in rotation when the process ended is first in line."""
        self._begin()
        self._run("UPDATE queues SET state = 'inactive', turn = 0 WHERE state IN ('ready', 'snoozed')")

    def last_turn(self) -> int:
        return int(self._run("SELECT coalesce(max(turn), 0) FROM queues").fetchone()[0])

    def queues_by_state(self) -> dict[str, int]:
        self.flush()
        return dict(
            self._run("SELECT state, count(*) FROM queues WHERE merged IS NULL GROUP BY state").fetchall()
        )

    def retired(self) -> list[Row]:
        self.flush()
        return self._run(f"{_QUEUE} state = 'retired'").fetchall()

    def set_budget(self, pattern: str, objects: int | None, bytes_: int | None) -> list[int]:
        """Of the queue so named, or those that the pattern fits; their ids."""
        self.flush()
        changed = self._run(
            "UPDATE queues SET max_objects = coalesce(?2, max_objects), max_bytes = coalesce(?3, max_bytes)"
            " WHERE name = ?1 OR name GLOB ?1 RETURNING id",
            (pattern, objects, bytes_),
        )
        return [row[0] for row in changed.fetchall()]

    def depart(self, numbers: Iterable[tuple[int, int]]) -> None:
        """(how many, queue): addresses taken out of queues that are not in memory."""
        self.flush()
        self._db.executemany(
            "UPDATE queues SET queued = queued - ?1, finished = finished + ?1 WHERE id = ?2", list(numbers)
        )

    def merge(self, old: int, new: int) -> None:
        """All that is pending or waiting in one queue goes to another."""
        self.flush()
        self._run("UPDATE pending SET queue = ? WHERE queue = ?", (new, old))
        self._run("UPDATE waiting SET queue = ? WHERE queue = ?", (new, old))
        self._run("UPDATE queues SET merged = ? WHERE id = ?", (new, old))

    def reports(self, order: str, limit: int, default: Budget) -> list[QueueReport]:
        """By `queued`, `finished`, `bytes` …, the biggest first; `default` is the budget of all queues."""
        self.flush()
        if order not in _ORDERS:
            raise ValueError(f"Queues are not ordered by {order!r} but by one of {', '.join(_ORDERS)}.")
        rows = self._run(f"{_REPORT} {order} DESC, id LIMIT ?", (*default, limit))
        return [QueueReport(*row) for row in rows]

    def queue_names(self) -> Iterator[tuple[int, str]]:
        return self._run("SELECT id, name FROM queues")

    def read_server(self, address: str) -> Row | None:
        gathered = self._server_rows.get(address)
        if gathered is not None:
            return gathered
        return self._run("SELECT * FROM servers WHERE address = ?", (address,)).fetchone()  # type: ignore[no-any-return]

    def refusing(self, at_least: int) -> list[ServerReport]:
        self.flush()
        rows = self._run(
            "SELECT address, refusals, last_status, wake FROM servers WHERE refusals >= ?"
            " AND refusals > 0 ORDER BY refusals DESC",
            (at_least,),
        )
        return [ServerReport(*row) for row in rows]

    def recall(self, name: str) -> str | int | None:
        if name in self._facts:
            return self._facts[name]
        row = self._run("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def save_counts(self, counts: Counts) -> None:
        for name in Counts.__slots__:
            if name not in ("in_flight", "waiting"):
                self.remember(f"count.{name}", getattr(counts, name))

    def load_counts(self) -> Counts:
        return Counts(**{name: int(self.recall(f"count.{name}") or 0) for name in Counts.__slots__})
