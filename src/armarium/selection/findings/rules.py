"""What is to be said of a harvest's result. Pure."""

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.collections.rules import impossible
from armarium.selection.findings.model import Kind, Observed, Result
from armarium.selection.model import Budget, Combination
from armarium.selection.records.model import Record
from armarium.selection.texts import lines

LONGEST = 10_000
#: Planning's stop reasons. Those with "configuration" are the record's own budget; others, the harvest's.
BY_OBJECTS = {"object-limit", "configuration-object-limit"}
BY_BYTES = {"size-limit", "configuration-size-limit"}
BY_BUDGET = {"configuration-object-limit", "configuration-size-limit"}


def observed(result: Result, record: Record, collection: Collection, matrix: Matrix) -> list[Observed]:
    """What the result gives reason to say of the record; nothing: all is well."""
    if not result.objects:
        return [Observed(Kind.NOTHING)]
    larger = larger_budget(record, collection, matrix) if result.stop in BY_BUDGET else None
    if result.stop in BY_OBJECTS:
        return [Observed(Kind.OBJECT_LIMIT, larger)]
    if result.stop in BY_BYTES:
        return [Observed(Kind.BYTE_LIMIT, larger)]
    return [Observed(Kind.BLOCKED)] if result.stop == "blocked" else []


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
