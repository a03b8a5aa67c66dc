"""What is to be said of a harvest's result. Pure."""

from collections.abc import Mapping
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.collections.rules import impossible
from armarium.selection.findings.model import Kind, Observed, Result
from armarium.selection.model import Budget, Combination
from armarium.selection.records.model import Record
from armarium.selection.text_fields import lines

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
