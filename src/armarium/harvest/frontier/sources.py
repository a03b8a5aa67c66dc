"""What may be collected from the seeds of one tag, wherever they lead.

Only what a server answered is charged, and nothing that nobody asked for, such as robots.txt: a budget says
how many addresses a harvest brings home. What finds no room goes onto the shelf. It comes back when there is
room again: an address under way failed, or an operator raised the budget.
"""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from armarium.core.crawl_order import Budget as OrderedBudget
from armarium.core.crawl_order import CrawlOrder, ScopeKind
from armarium.formats.url import registered_domain
from armarium.harvest.frontier.budget import Budget, is_success
from armarium.harvest.frontier.queue import OwnLimits
from armarium.harvest.frontier.queue_names import host_of
from armarium.harvest.frontier.store import Row, Store
from armarium.harvest.model import Candidate, is_counted

# --- The tables of sources: what each has collected, and the addresses that its budget leaves no room for.


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


# --- Sources and their purses.


_HOSTS_IN_MEMORY = 100_000


class Purse:
    """Of one source."""

    __slots__ = ("allowed", "bytes", "in_flight", "objects", "ordered", "own", "shelved", "tag")

    def __init__(self, tag: str, ordered: OrderedBudget) -> None:
        self.tag = tag
        self.ordered = Budget(ordered.max_objects, ordered.max_bytes)
        self.own: OwnLimits = (None, None)  # what an operator said
        self.objects = 0
        self.bytes = 0
        self.in_flight = 0
        self.shelved = 0
        self.allowed: int | None = None  # objects, of this process of a team; None: it crawls alone

    @property
    def budget(self) -> Budget:
        objects, bytes_ = (
            whole if own is None else None if own < 0 else own
            for own, whole in zip(self.own, self.ordered, strict=True)
        )
        return Budget(objects, bytes_)

    @property
    def has_room(self) -> bool:
        allowed = self.allowed is None or self.used < self.allowed
        return allowed and self.budget.allows(self.objects, self.bytes, self.in_flight)

    @property
    def used(self) -> int:
        """Objects that are collected, or may be with what is under way."""
        return self.objects + self.in_flight

    @property
    def spent_by_bytes(self) -> bool:
        most = self.budget.bytes
        return most is not None and self.bytes >= most

    def room(self, most: int) -> int:
        """How many more may be under way, of so many."""
        if not self.has_room:
            return 0
        limits = (limit for limit in (self.budget.objects, self.allowed) if limit is not None)
        return min([most, *(limit - self.used for limit in limits)])

    def row(self) -> tuple[object, ...]:
        return self.tag, self.objects, self.bytes, *self.own


class Sources:
    def __init__(self, shelf: Shelf, order: CrawlOrder, *, shared: bool = False) -> None:
        """`shared`: with other processes; each waits for its part."""
        self.shelf = shelf
        self._registries = order.scope.registries
        # From page to page an address counts for the seed that led there. In a crawl of whole sites, what
        # lies in the domain of another source is there because of that one, and counts for it.
        self._owners = order.scope.kind is not ScopeKind.PAGE and len(order.limits.sources) > 1
        self._owner_of: dict[str, str] = {}  # by host; "" for nobody's
        self._purses = {tag: Purse(tag, budget) for tag, budget in order.limits.sources.items()}
        self._changed: set[Purse] = set()
        for tag, objects, bytes_, *own in shelf.rows():
            purse = self._purses.get(tag)
            if purse is not None:
                purse.objects, purse.bytes, purse.own = objects, bytes_, (own[0], own[1])
        if shared:
            for purse in self._purses.values():
                purse.allowed = purse.objects
        for tag, number in shelf.numbers().items():
            if tag in self._purses:
                self._purses[tag].shelved = number

    def __bool__(self) -> bool:
        return bool(self._purses)

    @property
    def purses(self) -> Mapping[str, Purse]:
        return self._purses

    def purse(self, source: str, hops: str) -> Purse | None:
        """That which pays for an address; None: it costs nobody anything."""
        purse = self._purses.get(source)
        return purse if purse is not None and is_counted(hops) else None

    def owned(self, candidate: Candidate) -> Candidate:
        """The candidate with the source for which it counts."""
        if not self._owners or not candidate.hops:
            return candidate
        host = host_of(candidate.url)
        owner = self._owner_of.get(host)
        if owner is None:
            domain = registered_domain(host, self._registries) or host
            owner = domain if domain in self._purses else ""
            if len(self._owner_of) >= _HOSTS_IN_MEMORY:
                self._owner_of.clear()
            self._owner_of[host] = owner
        return candidate._replace(source=owner) if owner else candidate

    def charge(self, purse: Purse, status: int, size: int) -> None:
        if is_success(status):
            purse.objects += 1
            purse.bytes += size
            self._changed.add(purse)

    def set_budget(self, pattern: str, limits: OwnLimits) -> list[Purse]:
        """None leaves a limit alone, -1 lifts it."""
        found = [purse for tag, purse in self._purses.items() if fnmatchcase(tag, pattern)]
        for purse in found:
            objects, bytes_ = (
                old if new is None else new for old, new in zip(purse.own, limits, strict=True)
            )
            purse.own = (objects, bytes_)
        self._changed.update(found)
        return found

    def save(self) -> None:
        if self._changed:
            self.shelf.save([purse.row() for purse in self._changed])
            self._changed.clear()
