"""What to offer when an address has no captures: other pages of the site, and names that are spelt alike."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from armarium.access.search.addresses import Entry, Walk
from armarium.access.search.question import Question
from armarium.access.view import View
from armarium.formats.cdx.query import Match, Query
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import search_range, surt, unsurt

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
