"""What may be collected from the seeds of one tag, wherever they lead.

Only what a server answered is charged, and nothing that nobody asked for, such as robots.txt: a budget says
how many addresses a harvest brings home. What finds no room goes onto the shelf. It comes back when there is
room again: an address under way failed, or an operator raised the budget.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from armarium.core.crawl_order import Budget as OrderedBudget
from armarium.core.crawl_order import CrawlOrder, ScopeKind
from armarium.formats.url import registered_domain
from armarium.harvest.frontier.budget import Budget, is_success
from armarium.harvest.frontier.purses import OwnLimits
from armarium.harvest.frontier.queue_names import host_of
from armarium.harvest.frontier.shelf import Shelf
from armarium.harvest.model import Candidate, is_counted

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
