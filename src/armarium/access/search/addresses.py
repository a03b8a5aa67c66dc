"""The addresses below a beginning, of a host, or of a domain: how many captures each has, and from when."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from armarium.access.model import Seen
from armarium.access.search import links
from armarium.access.search.narrowing import kind_of
from armarium.access.search.question import Question
from armarium.access.view import View
from armarium.formats.cdx.query import Match, Query
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import search_range

SHOWN = 50  # addresses on a page
MOST_SORTED = 1000  # addresses among which one can sort
MOST_COUNTED = 1000  # captures of one address; then “more than”
MOST_PAGES = 60  # of the index for one page of ours
LINES = 1000  # in a page of the index


@dataclass
class Entry:
    """One address."""

    key: str
    url: str = ""
    count: int = 0
    more: bool = False  # there are more captures than were counted
    first: str = ""
    last: str = ""
    kinds: set[str] = field(default_factory=set)
    allowed: bool = False  # whether any of them may be seen

    def add(self, seen: Seen) -> None:
        line = seen.line
        self.url = self.url or links.readable(line.url or line.key)
        self.count += 1
        self.first = self.first or line.timestamp
        self.last = line.timestamp
        self.allowed = self.allowed or seen.allowed
        if kind := kind_of(line.mime if not line.is_revisit else None):
            self.kinds.add(kind)


@dataclass(frozen=True)
class Addresses:
    entries: Sequence[Entry]
    resume: str | None  # a key, or `~` and what the index gave; None: these are all
    sorted_among: int = 0  # 0: all in the order of addresses


def find(view: View, question: Question) -> Addresses:
    """One page of addresses; sorted otherwise than by address only among the first of them."""
    walk = Walk(view, *search_range(question.url, UrlMatch(question.match)))
    if not question.sort:
        return walk.page(question, SHOWN)
    found = walk.page(question, MOST_SORTED)
    entries = sorted(found.entries, key=lambda entry: _rank(entry, question.sort))
    if question.newest:
        entries.reverse()
    return Addresses(entries[: SHOWN * 4], None, len(entries) if found.resume else 0)


def _rank(entry: Entry, sort: str) -> tuple[int | str, str]:
    if sort == "count":
        return -entry.count, entry.key
    return (entry.first if sort == "first" else entry.last), entry.key


class Walk:
    """Goes through the keys of a range, past the many captures that some of them have."""

    def __init__(self, view: View, start: str, end: str) -> None:
        self._view = view
        self._start = start
        self._end = end
        self._pages = MOST_PAGES
        self.reached = ""  # where the index stopped, if nothing was found before the pages ran out

    def page(self, question: Question, most: int) -> Addresses:
        found: list[Entry] = []
        for entry in self.entries(question):
            if len(found) == most:
                return Addresses(found, entry.key)
            if _wanted(entry, question):
                found.append(entry)
        return Addresses(found, self.reached or None)

    def entries(self, question: Question) -> Iterator[Entry]:
        """Whole ones only: when the pages run out, the one that was being counted is where to go on."""
        query = self._first(question)
        entry: Entry | None = None
        while self._pages:
            self._pages -= 1
            page = self._view.search(query)
            for seen in page.captures:
                if entry is not None and entry.more:
                    break
                if entry is None or entry.key != seen.line.key:
                    if entry is not None:
                        yield entry
                    entry = Entry(seen.line.key)
                entry.add(seen)
                if entry.count == MOST_COUNTED:
                    entry.more, entry.last = True, self._last(entry, question)
            if entry is not None and entry.more:
                yield entry
                query, entry = replace(query, key=f"{entry.key}!", resume=""), None
            elif page.resume is None:
                if entry is not None:
                    yield entry
                return
            else:
                query = replace(query, resume=page.resume)
        self.reached = entry.key if entry is not None else f"~{query.resume}" if query.resume else query.key

    def _first(self, question: Question) -> Query:
        query = Query(
            key=self._start,
            match=Match.RANGE,
            to_key=self._end,
            from_=question.from_,
            to=question.to,
            limit=LINES,
        )
        if question.resume.startswith("~"):
            return replace(query, resume=question.resume[1:])
        return replace(query, key=max(self._start, question.resume))

    def _last(self, entry: Entry, question: Question) -> str:
        query = Query(key=entry.key, from_=question.from_, to=question.to, reverse=True, limit=1)
        found = self._view.search(query).captures
        return found[0].line.timestamp if found else entry.last


def _wanted(entry: Entry, question: Question) -> bool:
    if question.words and question.words.lower() not in entry.url.lower():
        return False
    return not question.kind or question.kind in entry.kinds
