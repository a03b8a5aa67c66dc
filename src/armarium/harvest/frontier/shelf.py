"""The tables of sources: what each has collected, and the addresses that its budget leaves no room for."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from armarium.harvest.frontier.store import Row, Store


class Left(NamedTuple):
    """Addresses of one source that wait in one queue."""

    source: str
    queue: str
    number: int


class Shelf:
    def __init__(self, store: Store) -> None:
        self._store = store
        schema = (Path(__file__).parent / "sources.sql").read_text(encoding="utf-8")
        store.create(schema)

    def rows(self) -> Iterator[Row]:
        """(tag, objects, bytes, max_objects, max_bytes)"""
        return iter(self._store.open().execute("SELECT * FROM sources").fetchall())

    def save(self, rows: Iterable[Row]) -> None:
        self._store.open().executemany("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?)", rows)

    def put(self, source: str, class_: int, url: int, queue: int, attempts: int) -> None:
        row = (self._store.name_id(source), class_, url, queue, attempts)
        self._store.open().execute("INSERT OR REPLACE INTO shelf VALUES (?, ?, ?, ?, ?)", row)

    def take(self, source: str, limit: int) -> list[Row]:
        """(class, url, queue, attempts) of the first ones; they are here no longer."""
        named = self._store.name_id(source)
        rows = self._store.open().execute(
            "SELECT class, url, queue, attempts FROM shelf WHERE source = ? ORDER BY class, url LIMIT ?",
            (named, limit),
        )
        taken = rows.fetchall()
        self._store.open().executemany(
            "DELETE FROM shelf WHERE source = ? AND class = ? AND url = ?",
            [(named, *row[:2]) for row in taken],
        )
        return taken

    def remove(self, url: int) -> Row | None:
        """(class, attempts, source) of one address, if it was here."""
        database = self._store.open()
        row = database.execute("SELECT class, attempts, source FROM shelf WHERE url = ?", (url,)).fetchone()
        if row is None:
            return None
        database.execute("DELETE FROM shelf WHERE url = ?", (url,))
        return row[0], row[1], self._store.text(row[2])

    def numbers(self) -> dict[str, int]:
        """How many addresses of each source are here."""
        asked = "SELECT n.text, count(*) FROM shelf s JOIN names n ON n.id = s.source GROUP BY s.source"
        return dict(self._store.open().execute(asked).fetchall())

    def shelved(self) -> Iterator[Left]:
        """What is here, by source and queue."""
        rows = self._store.open().execute(
            "SELECT n.text, q.name, count(*) FROM shelf s JOIN names n ON n.id = s.source"
            " JOIN queues q ON q.id = s.queue GROUP BY 1, 2"
        )
        return (Left(*row) for row in rows)

    def move(self, old: int, new: int) -> None:
        """The addresses of one queue are another's now."""
        self._store.open().execute("UPDATE shelf SET queue = ? WHERE queue = ?", (new, old))

    def left(self) -> Iterator[Left]:
        """What is pending or waits for another attempt, by source and queue."""
        self._store.flush()
        rows = self._store.open().execute(
            "SELECT n.text, q.name, sum(p.number) FROM ("
            " SELECT u.source, p.queue, count(*) AS number FROM pending p JOIN urls u ON u.id = p.url"
            " GROUP BY 1, 2 UNION ALL"
            " SELECT u.source, w.queue, count(*) FROM waiting w JOIN urls u ON u.id = w.url GROUP BY 1, 2"
            ") p JOIN names n ON n.id = p.source JOIN queues q ON q.id = p.queue GROUP BY 1, 2"
        )
        return (Left(*row) for row in rows)
