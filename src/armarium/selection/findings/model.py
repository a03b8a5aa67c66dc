"""A finding, what a job tells of a record, and what is to be said of it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.collections.rules import impossible
from armarium.selection.model import Budget, Combination
from armarium.selection.records.model import Record
from armarium.selection.text_fields import lines


class Kind(StrEnum):
    OBSERVATION = "observation"  # of a person; the others are made by harvests
    NOTHING = "nothing"  # not one object was collected
    OBJECT_LIMIT = "object-limit"
    BYTE_LIMIT = "byte-limit"
    BLOCKED = "blocked"  # the server refused further requests, or all of them
    DEAD = "dead"  # the server has no such page any more
    MOVED = "moved"  # a seed leads to another site
    EMPTY = "empty"  # a page without a single byte
    UNREACHABLE = "unreachable"  # no server answered


@dataclass(frozen=True)
class Result:
    """What one job brought for one configuration."""

    configuration: int
    job: int
    at: datetime
    objects: int
    bytes: int
    stop: str  # in planning's words
    max_objects: int | None
    max_bytes: int | None
    seeds: Sequence[Mapping[str, Any]] = ()  # with which something is wrong: url, verdict, status, redirect


@dataclass(frozen=True)
class Observed:
    """What a result gives reason to say."""

    kind: Kind
    budget: Budget | None = None  # that is proposed
    seeds: Sequence[Mapping[str, Any]] = ()  # of which it is said


@dataclass(frozen=True)
class Finding:
    id: int
    record: int
    record_name: str
    collection: int
    collection_name: str
    at: datetime
    author: str
    kind: Kind
    text: str
    proposal: str
    budget: Budget | None
    job: int | None
    facts: Mapping[str, Any]
    done: bool
    closed_at: datetime | None
    closed_by: str


# What is to be said of a harvest’s result


LONGEST = 10_000
#: Planning's stop reasons. Those with "configuration" are the record's own budget; others, the harvest's.
BY_OBJECTS = {"object-limit", "configuration-object-limit"}
BY_BYTES = {"size-limit", "configuration-size-limit"}
BY_BUDGET = {"configuration-object-limit", "configuration-size-limit"}
#: Verdicts over seeds, which are stop reasons where they hold for all of them.
SEED_KINDS: Mapping[str, Kind] = {
    kind.value: kind for kind in (Kind.DEAD, Kind.MOVED, Kind.BLOCKED, Kind.EMPTY, Kind.UNREACHABLE)
}


def observed(result: Result, record: Record, collection: Collection, matrix: Matrix) -> list[Observed]:
    """What the result gives reason to say of the record; nothing: all is well."""
    seeds = of_seeds(result)
    said = {one.kind for one in seeds}
    if result.stop in SEED_KINDS and SEED_KINDS[result.stop] not in said:
        seeds.append(Observed(SEED_KINDS[result.stop]))
    if not result.objects:
        return seeds or [Observed(Kind.NOTHING)]
    larger = larger_budget(record, collection, matrix) if result.stop in BY_BUDGET else None
    if result.stop in BY_OBJECTS:
        return [Observed(Kind.OBJECT_LIMIT, larger), *seeds]
    if result.stop in BY_BYTES:
        return [Observed(Kind.BYTE_LIMIT, larger), *seeds]
    return seeds


def of_seeds(result: Result) -> list[Observed]:
    """What is to be said of the record's addresses themselves, each thing once."""
    by_kind: dict[Kind, list[Mapping[str, Any]]] = {}
    for seed in result.seeds:
        if seed["verdict"] in SEED_KINDS:
            by_kind.setdefault(SEED_KINDS[seed["verdict"]], []).append(seed)
    return [Observed(kind, seeds=seeds) for kind, seeds in by_kind.items()]


def larger_budget(record: Record, collection: Collection, matrix: Matrix) -> Budget | None:
    """The next larger one that may be chosen with the record's frequency and depth."""
    budgets = list(Budget)
    for budget in budgets[budgets.index(record.budget) + 1 :]:
        if impossible(collection, matrix, Combination(budget, record.frequency, record.depth)) is None:
            return budget
    return None


def checked_text(text: str, field: str, *, required: bool = False) -> str:
    text = lines(text)
    if len(text) > LONGEST or (required and not text):
        raise Refused(message("Write 1 to %(most)s characters.", most=LONGEST), field=field)
    return text
