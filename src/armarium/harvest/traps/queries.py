"""Queries without content: pages, orders and filters of a list that lead to the same again and again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from armarium.harvest.scope.reach import host_of, path_of
from armarium.harvest.traps.memory import Distinct, Samples, Table
from armarium.harvest.traps.patterns import on_host
from armarium.harvest.traps.suspicion import Seen, Suspected, TrapKind

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
