"""What was judged good is done, by the one way in which records are made and changed."""

from collections.abc import Mapping

from sqlalchemy import Connection

from armarium.selection.exchange.judging import Decision, Verdict
from armarium.selection.records import writing
from armarium.selection.rights import Editor


def take(connection: Connection, editor: Editor, verdict: Verdict) -> None:
    """In the caller's transaction: all of it, or nothing."""
    decided = dict(verdict.decided)
    if verdict.created:
        made = writing.create_many(connection, editor, verdict.created)
        # Numbers are given in the order of the lines.
        for record, decision in zip(made, verdict.decided_new, strict=True):
            if decision:
                decided[record.id] = decision
    for changes, action in ((verdict.moved, "record.moved"), (verdict.changed, "record.changed")):
        if changes:
            writing.change_many(connection, editor, changes, action)
    for decision, numbers in _gathered(decided).items():
        writing.decide_many(connection, editor, numbers, decision.state, decision.reason)


def _gathered(decided: Mapping[int, Decision]) -> dict[Decision, list[int]]:
    found: dict[Decision, list[int]] = {}
    for number, decision in decided.items():
        found.setdefault(decision, []).append(number)
    return found
