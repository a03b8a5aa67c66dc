"""Queries without content: pages, orders and filters of a list that lead to the same again and again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from armarium.formats.url.sessions import looks_like_session
from armarium.harvest.scope.reach import host_of, path_of
from armarium.harvest.traps.memory import Distinct, Samples, Table
from armarium.harvest.traps.suspicion import Seen, Suspected, TrapKind, on_host

MOST_VARIANTS = 40  # addresses of one path, if
_MIXED = 5  # only a fifth of them has content of its own
MOST_COMBINATIONS = 200  # addresses of one path, if
_FACETS = 4  # so many parameters of few values come
_SELECTIONS = 16  # in so many selections
_MOST_NAMES, _MOST_VALUES, _MOST_GROUPS = 8, 32, 3000
_LONGEST_NAME = 60


@dataclass(slots=True)
class _Path:
    addresses: Distinct = field(default_factory=Distinct)
    digests: Distinct = field(default_factory=Distinct)
    selections: Distinct = field(default_factory=Distinct)  # which parameters come together
    values: dict[str, set[int]] = field(default_factory=dict)  # of each parameter, as hashes
    samples: Samples = field(default_factory=Samples)
    reported: bool = False

    def add(self, seen: Seen) -> None:
        names = []
        for parameter in seen.query.split("&", _MOST_NAMES)[:_MOST_NAMES]:
            name, _, value = parameter.partition("=")
            name = name[:_LONGEST_NAME]
            names.append(name)
            if name in self.values or len(self.values) < _MOST_NAMES:
                values = self.values.setdefault(name, set())
                if len(values) < _MOST_VALUES:
                    values.add(hash(value))
        self.addresses.add(hash(seen.url) % (1 << 64))
        self.digests.add(seen.digest)
        self.selections.add(hash(tuple(sorted(names))) % (1 << 64))
        self.samples.add(seen.url)

    def varying(self) -> list[str]:
        """Parameters with more than one value, those with the most first."""
        names = [name for name, values in self.values.items() if len(values) > 1]
        return sorted(names, key=lambda name: -len(self.values[name]))

    def facets(self) -> list[str]:
        return [name for name in self.varying() if len(self.values[name]) < _MOST_VALUES]


class Queries:
    def __init__(self) -> None:
        self._paths: Table[tuple[str, str], _Path] = Table(_MOST_GROUPS, _Path)

    def saw(self, seen: Seen) -> Suspected | None:
        if not seen.query:
            return None
        path = self._paths[seen.host, seen.path]
        path.add(seen)
        if path.reported:
            return None
        suspected = _judge(seen, path)
        path.reported = suspected is not None
        return suspected


def _judge(seen: Seen, path: _Path) -> Suspected | None:
    addresses, contents = len(path.addresses), len(path.digests)
    if addresses >= MOST_VARIANTS and contents * _MIXED <= addresses:
        sentence = f"{addresses} queries of {seen.path}, but only {contents} different contents"
        return _suspected(seen, path, sentence, path.varying())
    if addresses < MOST_COMBINATIONS or len(path.selections) < _SELECTIONS:
        return None
    facets = path.facets()
    if len(facets) < _FACETS:
        return None
    sentence = (
        f"{addresses} queries of {seen.path}: {len(path.selections)} selections of {len(facets)} "
        f"parameters that have few values each"
    )
    return _suspected(seen, path, sentence, facets)


def _suspected(seen: Seen, path: _Path, sentence: str, names: Sequence[str]) -> Suspected:
    start = on_host(seen.host, seen.path) + r"\?"
    one = "|".join(re.escape(name) for name in names)
    facets = [f"{start}(?:.*&)?(?:{one})={f'.*&(?:{one})=' * more}" for more in (2, 1) if len(names) > more]
    singles = [f"{start}(?:.*&)?{re.escape(name)}=" for name in names]
    return Suspected(
        kind=TrapKind.QUERY,
        sentence=sentence,
        counts={
            "addresses": len(path.addresses),
            "contents": len(path.digests),
            "selections": len(path.selections),
            "parameters": len(path.values),
        },
        samples=path.samples.urls,
        proposals=[*facets, *singles, start],
        belongs=lambda url: host_of(url) == seen.host and path_of(url) == seen.path and "?" in url,
    )


# --- Session ids: the same pages under ever new addresses.


MOST_SAME = 5  # times that a page came back with the same content under another id
MOST_AGAIN = 20  # times that it came back at all: pages often print the id in their links
_MOST_PAGES = 10_000
_MOST_SESSIONS = 1000

_ASP_FILTER = r"/.*\((?:[A-Za-z]\()?[0-9A-Za-z]{24}\)"


@dataclass(slots=True)
class _Page:
    session: str = ""
    digest: int = 0


@dataclass(slots=True)
class _Name:
    again: int = 0
    same: int = 0
    samples: Samples = field(default_factory=Samples)
    reported: bool = False


class Sessions:
    def __init__(self) -> None:
        self._pages: Table[int, _Page] = Table(_MOST_PAGES, _Page)
        self._names: Table[tuple[str, str], _Name] = Table(_MOST_SESSIONS, _Name)

    def saw(self, seen: Seen) -> Suspected | None:
        if "=" not in seen.url and "(" not in seen.url:
            return None
        session = looks_like_session(seen.url)
        if session is None:
            return None
        page = self._pages[hash(seen.url.replace(session, "", 1))]
        before, page.session = page.session, session
        was, page.digest = page.digest, seen.digest
        name = "" if session.startswith("(") else session.partition("=")[0][:_LONGEST_NAME]
        group = self._names[seen.host, name.lower()]
        group.samples.add(seen.url)
        if not before or before == session:
            return None
        group.again += 1
        group.same += was == seen.digest
        if group.reported or (group.same < MOST_SAME and group.again < MOST_AGAIN):
            return None
        group.reported = True
        return _suspected_session(seen, group, name)


def _suspected_session(seen: Seen, group: _Name, name: str) -> Suspected:
    ending = rf"/.*[?&;/]{re.escape(name)}=[0-9A-Za-z]" if name else _ASP_FILTER
    return Suspected(
        kind=TrapKind.SESSION,
        sentence=f"pages came back {group.again} times under another {name or 'session id'}, "
        f"{group.same} times with the same content",
        counts={"again": group.again, "same": group.same},
        samples=group.samples.urls,
        proposals=[on_host(seen.host) + ending],
        belongs=lambda url: looks_like_session(url) is not None,
    )
