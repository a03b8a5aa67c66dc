"""What was judged good is done, by the one way in which records are made and changed."""

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import Connection

from armarium.selection.exchange.judging import Decision, Verdict
from armarium.selection.records import writing
from armarium.selection.rights import Editor

AT_ONCE = 5000  # records whose old and new values are in memory together


def take(connection: Connection, editor: Editor, verdict: Verdict) -> None:
    """In the caller's transaction: all of it, or nothing."""
    decided = dict(verdict.decided)
    for start in range(0, len(verdict.created), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        made = writing.create_many(connection, editor, verdict.created[some])
        # Numbers are given in the order of the lines.
        for record, decision in zip(made, verdict.decided_new[some], strict=True):
            if decision:
                decided[record.id] = decision
    for changes, action in ((verdict.moved, "record.moved"), (verdict.changed, "record.changed")):
        for numbers in _parts(sorted(changes)):
            writing.change_many(connection, editor, {one: changes[one] for one in numbers}, action)
    for decision, chosen in _gathered(decided).items():
        for numbers in _parts(chosen):
            writing.decide_many(connection, editor, numbers, decision.state, decision.reason)


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), AT_ONCE):
        yield numbers[start : start + AT_ONCE]


def _gathered(decided: Mapping[int, Decision]) -> dict[Decision, list[int]]:
    found: dict[Decision, list[int]] = {}
    for number, decision in decided.items():
        found.setdefault(decision, []).append(number)
    return found
