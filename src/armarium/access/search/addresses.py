"""The addresses below a beginning, of a host, or of a domain; and what to offer where there are none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from armarium.access.model import Seen
from armarium.access.search import links
from armarium.access.search.question import Question, kind_of
from armarium.access.view import View
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Match, Query
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import search_range, surt, unsurt

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
    pages: list[CdxLine] = field(default_factory=list)  # the first page of each month, of which pictures are
    looked: int = 0  # captures that were looked at, counted or not
    reached: str = ""  # the timestamp of the last of these

    def look(self, seen: Seen, question: Question) -> None:
        """Count it, if it is of the time in question."""
        self.looked += 1
        self.reached = date = seen.line.timestamp
        if date[: len(question.from_)] >= question.from_ and date[: len(question.to)] <= question.to:
            self._add(seen)

    def _add(self, seen: Seen) -> None:
        line = seen.line
        self.url = self.url or links.readable(line.url or line.key)
        self.count += 1
        self.first = self.first or line.timestamp
        self.last = line.timestamp
        self.allowed = self.allowed or seen.allowed
        if kind := kind_of(line.mime if not line.is_revisit else None):
            self.kinds.add(kind)
        is_page = seen.allowed and kind == "page" and line.status == 200
        if is_page and not (self.pages and self.pages[-1].timestamp[:6] == line.timestamp[:6]):
            self.pages.append(line)


@dataclass(frozen=True)
class Addresses:
    entries: Sequence[Entry]
    resume: str | None  # a key; None: these are all
    sorted_among: int = 0  # 0: all in the order of addresses
    stuck: bool = False  # there may be more, but more than can be looked through at once lies before it


def find(view: View, question: Question, most: int = SHOWN) -> Addresses:
    """One page of addresses; sorted otherwise than by address only among the first of them."""
    start, end = search_range(question.url, UrlMatch(question.match))
    if question.resume and not start <= question.resume < end:
        raise Refused(
            message("The list cannot go on from there. Start again from the beginning."), field="resume"
        )
    walk = Walk(view, start, end)
    if not question.sort:
        return walk.page(question, most)
    found = walk.page(question, MOST_SORTED)
    entries = sorted(found.entries, key=lambda entry: _rank(entry, question.sort))
    if question.newest:
        entries.reverse()
    return Addresses(entries[: max(most, SHOWN * 4)], None, len(entries) if found.resume else 0, found.stuck)


def _rank(entry: Entry, sort: str) -> tuple[int | str, str]:
    if sort == "count":
        return -entry.count, entry.key
    return (entry.first if sort == "first" else entry.last), entry.key


class Walk:
    """Goes through the keys of a range, past the many captures that some of them have.

    Where it stopped is told by keys that the reader may know of. The index is not asked for dates: it would
    stop at a line that nobody has decided about.
    """

    def __init__(self, view: View, start: str, end: str) -> None:
        self._view = view
        self._start = start
        self._end = end
        self._pages = MOST_PAGES
        self.reached = ""  # where to go on, if the pages ran out
        self.stuck = False  # they ran out, and there is nothing by which that could be said

    def page(self, question: Question, most: int) -> Addresses:
        found: list[Entry] = []
        for entry in self.entries(question):
            if len(found) == most:
                return Addresses(found, entry.key)
            if _wanted(entry, question):
                found.append(entry)
        return Addresses(found, self.reached or None, stuck=self.stuck)

    def entries(self, question: Question) -> Iterator[Entry]:
        """Whole ones only: when the pages run out, the one that was being counted is where to go on."""
        query = Query(key=max(self._start, question.resume), match=Match.RANGE, to_key=self._end, limit=LINES)
        entry, known = None, ""
        while self._pages:
            self._pages -= 1
            page = self._view.search(query)
            for seen in page.captures:
                if entry is None or entry.key != seen.line.key:
                    if entry is not None and entry.count:
                        yield entry
                    known, entry = entry.key if entry else known, Entry(seen.line.key)
                entry.look(seen, question)
                if entry.looked == MOST_COUNTED:
                    break
            if entry is not None and entry.looked == MOST_COUNTED:
                following = self._past(entry, question)
                if following.endswith("!"):
                    if entry.count:
                        yield entry
                    known, entry = entry.key, None
                query = replace(query, key=following, resume="")
            elif page.resume is None:
                if entry is not None and entry.count:
                    yield entry
                return
            else:
                query = replace(query, resume=page.resume)
            if page.short:
                break
        yield from self._given_up(entry, known)

    def _past(self, entry: Entry, question: Question) -> str:
        """Where to go on behind an address with very many captures, or inside it at the dates asked for."""
        if question.from_ and entry.reached[: len(question.from_)] < question.from_:
            entry.looked = 0
            return f"{entry.key} {question.from_}"
        if entry.reached == entry.last:
            entry.more, entry.last = True, self._last(entry, question)
        return f"{entry.key}!"

    def _given_up(self, entry: Entry | None, known: str) -> Iterator[Entry]:
        """`known`: the last key before. Whoever goes on must get on, even past an address that took all."""
        if entry is not None and not known:
            if entry.count:
                entry.more = True
                yield entry
            self.reached = f"{entry.key}!"
        elif entry is not None:
            self.reached = entry.key
        elif known:
            self.reached = f"{known}!"
        else:
            self.stuck = True

    def _last(self, entry: Entry, question: Question) -> str:
        query = Query(key=entry.key, from_=question.from_, to=question.to, reverse=True, limit=1)
        found = self._view.search(query).captures
        return found[0].line.timestamp if found else entry.last


def _wanted(entry: Entry, question: Question) -> bool:
    if question.words and question.words.lower() not in entry.url.lower():
        return False
    return not question.kind or question.kind in entry.kinds


FEW = 6
MOST_HOSTS = 40  # neighbours in the index that are compared
LONGEST_NAME = 40  # letters of a host in which slips are looked for


@dataclass(frozen=True)
class Nearby:
    pages: list[Entry] = field(default_factory=list)  # of the same site
    hosts: list[str] = field(default_factory=list)  # that are spelt nearly so


def look_around(view: View, url: str) -> Nearby:
    key = surt(url)
    for beginning in _beginnings(key):
        pages = _some(view, beginning)
        if pages:
            return Nearby(pages)
    pages = _some(view, search_range(url, UrlMatch.HOST))
    return Nearby(pages) if pages else Nearby(hosts=alike(view, key))


def _beginnings(key: str) -> Iterator[tuple[str, str]]:
    """From the address without its query up, folder by folder, but not to the host's root."""
    path = key.partition("?")[0]
    if path != key:
        yield path, path + "@"  # behind `?`
    while (path := path.rpartition("/")[0]) and not path.endswith(")"):
        yield f"{path}/", f"{path}0"  # behind `/`


def _some(view: View, bounds: tuple[str, str]) -> list[Entry]:
    found: list[Entry] = []
    for entry in Walk(view, *bounds).entries(Question("")):
        if entry.allowed:
            found.append(entry)
        if len(found) == FEW:
            break
    return found


def alike(view: View, key: str) -> list[str]:
    """Hosts whose name differs by a slip or two: with a letter less, with two swapped, and those around the
    place in the index where this one would be."""
    wanted = key.partition(")")[0]
    registered = ",".join(wanted.split(",")[:2])
    stem = registered[: max(registered.find(",") + 2, len(registered) - 4)]
    around = (host for host in _hosts(view, stem) if host != wanted and slips(host, wanted) <= 2)
    found = [*_slipped(view, wanted), *around]
    return [unsurt(f"{host})/").rstrip("/") for host in list(dict.fromkeys(found))[:FEW]]


def _slipped(view: View, host: str) -> Iterator[str]:
    places = range(min(len(host), LONGEST_NAME))
    less = (host[:n] + host[n + 1 :] for n in places)
    swapped = (host[:n] + host[n + 1] + host[n] + host[n + 2 :] for n in places if n + 1 < len(host))
    for other in dict.fromkeys((*less, *swapped)):
        if other == host:
            continue
        found = view.search(Query(key=f"{other})/", match=Match.HOST, limit=20))
        if any(seen.allowed for seen in found.captures):
            yield other
        if found.short:
            return


def _hosts(view: View, stem: str) -> Iterator[str]:
    """Names of hosts that begin so, jumping in the index from one to the next."""
    if "," not in stem:
        return
    start, end = stem, stem[:-1] + chr(ord(stem[-1]) + 1)
    for _ in range(MOST_HOSTS):
        found = view.search(Query(key=start, match=Match.RANGE, to_key=end, limit=1)).captures
        if not found:
            return
        host = found[0].line.key.partition(")")[0]
        if found[0].allowed:
            yield host
        start = max(f"{host}*", start + "!")  # behind `)`


def slips(one: str, other: str) -> int:
    """Letters to change, add, leave out or swap (Damerau–Levenshtein); 3 for more than two."""
    if abs(len(one) - len(other)) > 2:
        return 3
    two_before: list[int] = []
    before = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        here = [i]
        for j, its in enumerate(other, 1):
            cost = min(before[j] + 1, here[j - 1] + 1, before[j - 1] + (letter != its))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == its:
                cost = min(cost, two_before[j - 2] + 1)
            here.append(cost)
        two_before, before = before, here
    return min(before[-1], 3)
