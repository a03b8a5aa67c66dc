"""What the watch tells people: a kind of trap, where, the evidence, and a filter against it."""

import enum
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from armarium.harvest.scope.filters import BadFilter, FilterSet


class TrapKind(enum.StrEnum):
    CALENDAR = "calendar"  # dates without end
    LOOP = "loop"  # paths that grow and repeat themselves
    SESSION = "session"  # the same pages under ever new session ids
    QUERY = "query"  # pages, orders and filters that lead to the same content again and again


@dataclass(frozen=True, slots=True)
class TrapSuspicion:
    kind: TrapKind
    host: str  # without www.
    sentence: str  # the evidence, for people
    counts: dict[str, int]  # the same, for programs
    samples: tuple[str, ...]  # at most five addresses
    filter: str  # matches the samples and no good address that is remembered; "": none was found

    def __str__(self) -> str:
        proposal = f" Proposed filter: {self.filter}" if self.filter else ""
        return f"{self.host} may hold a trap ({self.kind}): {self.sentence}.{proposal}"


class Seen(NamedTuple):
    """A page that was fetched, taken apart once for all detectors."""

    url: str
    host: str
    path: str
    query: str
    segments: Sequence[str]
    digest: int
    size: int
    year: int  # in which it was fetched


class Suspected(NamedTuple):
    """What a detector found, before its filter is tried."""

    kind: TrapKind
    sentence: str
    counts: dict[str, int]
    samples: tuple[str, ...]
    proposals: Sequence[str]  # the best first
    belongs: Callable[[str], bool]  # whether an address is part of what is suspected, and so no good one


def first_that_fits(suspected: Suspected, good: Sequence[str]) -> str:
    """The first proposal that finds all samples and none of the good addresses."""
    innocent = [url for url in good if not suspected.belongs(url)]
    for pattern in suspected.proposals:
        try:
            filters = FilterSet((pattern,))
        except BadFilter:
            continue  # a path of thousands of characters makes a filter that is too long
        if all(map(filters.find, suspected.samples)) and not any(map(filters.find, innocent)):
            return pattern
    return ""


# --- Pieces of filters: of a host, of years.


def on_host(host: str, path: str = "") -> str:
    """Addresses of a host, with and without www., whose path begins so."""
    return rf"^https?://(?:www\.)?{re.escape(host)}(?::[0-9]+)?{re.escape(path)}"


def years_after(year: int) -> str:
    """Four digits that are more: `202[7-9]|20[3-9][0-9]|2[1-9][0-9][0-9]|…` for 2026."""
    return _beside(f"{year:04}", lambda digit: (digit + 1, 9))


def years_before(year: int) -> str:
    return _beside(f"{year:04}", lambda digit: (0, digit - 1))


def _beside(digits: str, span: Callable[[int], tuple[int, int]]) -> str:
    choices = []
    for place in range(len(digits) - 1, -1, -1):
        lowest, highest = span(int(digits[place]))
        if lowest > highest:
            continue
        digit = f"[{lowest}-{highest}]" if lowest < highest else str(lowest)
        choices.append(digits[:place] + digit + "[0-9]" * (len(digits) - 1 - place))
    return "(?:" + "|".join(choices) + ")"
