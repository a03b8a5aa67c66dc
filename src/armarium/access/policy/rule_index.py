"""An index of rules: those that speak of an address, the most specific first, without asking the others.

By host there is a small book with the paths that rules name. Prefixes stand in it sorted, each with the
longest other that it begins with: the last one that is not after a path leads to all with which it begins.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from armarium.access.policy.matching import Entry
from armarium.access.policy.model import AddressMatch
from armarium.access.policy.patterns import split

MOST_BOOKS = 20_000  # hosts whose books are kept: an archive has millions
_RANKS = {match: place for place, match in enumerate(AddressMatch)}


class Rank(NamedTuple):
    """How specific an address is: what kind, how long, and whether it names the port."""

    match: int
    length: int
    port: bool


class Group(NamedTuple):
    """Rules of the same rank, in the order in which they decide."""

    rank: Rank
    entries: Sequence[Entry]


def rank_of(entry: Entry) -> Rank:
    match = entry.rule.terms.match
    within = match in (AddressMatch.EXACT, AddressMatch.PREFIX)
    return Rank(_RANKS[match], len(entry.rest if within else entry.host), bool(entry.port))


def grouped(entries: Iterable[Entry]) -> tuple[Group, ...]:
    found: dict[Rank, list[Entry]] = defaultdict(list)
    for entry in entries:
        found[rank_of(entry)].append(entry)
    return tuple(
        Group(rank, tuple(sorted(found[rank], key=Entry.order))) for rank in sorted(found, reverse=True)
    )


class HostRules:
    """What the rules say of one host, at one port."""

    def __init__(self, entries: Sequence[Entry], wide: Sequence[Group]) -> None:
        exact: dict[str, list[Entry]] = defaultdict(list)
        folders: dict[str, list[Entry]] = defaultdict(list)
        prefixes: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            rest = entry.rest
            if entry.rule.terms.match is AddressMatch.EXACT:
                exact[rest].append(entry)
                continue
            prefixes[rest].append(entry)
            if rest.endswith("/") and rest != "/":
                # Keys lose the last slash of a path: /secret/ is /secret, and /secret/?a=b is /secret?a=b.
                folders[rest[:-1]].append(entry)
                prefixes[f"{rest[:-1]}?"].append(entry)
        self._exact = {rest: grouped(found) for rest, found in exact.items()}
        self._folders = {rest: grouped(found) for rest, found in folders.items()}
        self._prefixes = sorted(prefixes)
        self._groups = [grouped(prefixes[rest]) for rest in self._prefixes]
        self._above = list(_above(self._prefixes))
        self._wide = tuple(wide)

    def groups(self, rest: str) -> Iterator[Group]:
        if self._exact:
            yield from self._exact.get(rest, ())
        if self._prefixes:
            yield from self._folders.get(rest, ())
            place = bisect_right(self._prefixes, rest) - 1
            while place >= 0 and not rest.startswith(self._prefixes[place]):
                place = self._above[place]
            while place >= 0:
                yield from self._groups[place]
                place = self._above[place]
        yield from self._wide


def _above(prefixes: Sequence[str]) -> Iterator[int]:
    """For each of the sorted texts, the place of the longest other with which it begins; -1: none."""
    open_: list[int] = []
    for place, text in enumerate(prefixes):
        while open_ and not text.startswith(prefixes[open_[-1]]):
            open_.pop()
        yield open_[-1] if open_ else -1
        open_.append(place)


class RuleIndex:
    def __init__(self, entries: Iterable[Entry]) -> None:
        self._paths: dict[str, list[Entry]] = defaultdict(list)
        self._hosts: dict[str, list[Entry]] = defaultdict(list)
        self._domains: dict[str, list[Entry]] = defaultdict(list)
        self._everything: list[Entry] = []
        for entry in entries:
            self._put(entry)
        self._books: dict[str, HostRules] = {}

    def _put(self, entry: Entry) -> None:
        match entry.rule.terms.match:
            case AddressMatch.EVERYTHING:
                self._everything.append(entry)
            case AddressMatch.DOMAIN:
                self._domains[entry.host].append(entry)
            case AddressMatch.HOST:
                self._hosts[entry.host].append(entry)
            case _:
                self._paths[entry.host].append(entry)

    def groups(self, address: str) -> Iterator[Group]:
        """All that speaks of this address, the most specific first."""
        host, bracket, rest = address.partition(")")
        if not bracket or "/" in host:
            host, rest = "", address
        book = self._books.get(host)
        return (book if book is not None else self._book(host)).groups(rest)

    def _book(self, host: str) -> HostRules:
        name, port, _ = split(f"{host})")
        labels = name.split(",") if name else []
        domains = (",".join(labels[:count]) for count in range(1, len(labels) + 1))
        wide = [
            *self._at(self._hosts.get(name, ()), port),
            *(entry for domain in domains for entry in self._at(self._domains.get(domain, ()), port)),
            *self._everything,
        ]
        book = HostRules(list(self._at(self._paths.get(name, ()), port)), grouped(wide))
        if len(self._books) >= MOST_BOOKS:
            self._books = {}
        self._books[host] = book
        return book

    @staticmethod
    def _at(entries: Iterable[Entry], port: str) -> Iterator[Entry]:
        """Those that hold for any port, or for this one."""
        return (entry for entry in entries if entry.port in ("", port))
