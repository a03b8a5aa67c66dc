"""The work of a bulk edit, in the transaction of whoever calls: judge, change, undo.

Each is all or nothing. Between stretches of records, `progress` is told how far it is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.errors import Refused
from armarium.selection import permissions
from armarium.selection.bulk import rules, tables
from armarium.selection.bulk.model import Bulk, BulkState, Changes, Outcome, Verdict
from armarium.selection.bulk.rules import Context, Judged
from armarium.selection.collections import queries as collection_queries
from armarium.selection.permissions import Editor
from armarium.selection.records import queries as record_queries
from armarium.selection.records import writing
from armarium.selection.records.model import Record

AT_ONCE = 1000  # records between two words about the progress

Progress = Callable[[int, int], None]


def judge(connection: Connection, editor: Editor, bulk: Bulk, progress: Progress) -> None:
    """Say of each record what would become of it."""
    numbers = [row.record for row in tables.members(connection, bulk.id)]
    around = surroundings(connection, editor)
    for part, done in stretches(numbers):
        found = record_queries.by_ids(connection, part)
        verdicts = judged_together(connection, found, bulk.changes, around)
        rows = [_judged_row(one, verdicts[one.id], bulk.changes) for one in found]
        tables.put_members(connection, bulk.id, rows)
        progress(done, len(numbers))
    _count(connection, bulk.id)


def apply(connection: Connection, editor: Editor, bulk: Bulk, progress: Progress) -> None:
    """Change the records that the preview said would change, if they are still what it saw."""
    wanted = {row.record: row.edition for row in tables.members(connection, bulk.id, verdict=Verdict.CHANGE)}
    around = surroundings(connection, editor)
    touched: set[int] = set()  # by what is not theirs any more
    for part, done in stretches(sorted(wanted)):
        found = record_queries.by_ids(connection, part, lock=True)
        still = [one for one in found if one.edition == wanted[one.id]]
        verdicts = judged_together(connection, still, bulk.changes, around)
        ready = {one.id: verdicts[one.id] for one in still if verdicts[one.id].verdict is Verdict.CHANGE}
        for one in still:
            if verdicts[one.id].verdict is Verdict.NOT_YOURS:
                touched |= {one.collection, bulk.changes.collection or one.collection}
        _change(connection, editor, bulk.changes, ready)
        editions = {one.id: one.edition for one in record_queries.by_ids(connection, list(ready))}
        tables.put_members(connection, bulk.id, [_outcome(one, ready, editions, verdicts) for one in found])
        progress(done, len(wanted))
    _tell_denied(connection, editor, touched, around, "bulk.applied")
    told = tables.outcomes(connection, bulk.id)
    tables.bulk_edits.update(
        connection,
        bulk.id,
        state=BulkState.DONE.value,
        applied_at=clock.now(),
        changed=told.get(Outcome.CHANGED, 0),
        passed_over=told.get(Outcome.PASSED_OVER, 0),
    )


def undo(connection: Connection, editor: Editor, bulk: Bulk, progress: Progress) -> None:
    """Give back what stood there before, in records that nobody has changed since."""
    rows = {row.record: row for row in tables.members(connection, bulk.id, outcome=Outcome.CHANGED)}
    around = surroundings(connection, editor)
    touched: set[int] = set()
    for part, done in stretches(sorted(rows)):
        found = record_queries.by_ids(connection, part, lock=True)
        same = [one for one in found if one.edition == rows[one.id].edition_after]
        before = {one.id: rules.restored(rows[one.id].before) for one in same}
        touched |= {number for one in same for number in (one.collection, _home(one, before[one.id][0]))}
        possible = {one.id for one in same if _may_return(connection, one, before[one.id][0], around)}
        fields = {number: before[number][0] for number in possible}
        stated = {number: before[number][1] for number in possible}
        writing.change_many(connection, editor, fields, "record.restored", stated)
        told = [
            {"record": one.id, "outcome": (Outcome.RESTORED if one.id in possible else Outcome.KEPT).value}
            for one in found
        ]
        tables.put_members(connection, bulk.id, told)
        progress(done, len(rows))
    _tell_denied(connection, editor, touched, around, "bulk.undone")
    ended = tables.outcomes(connection, bulk.id)
    tables.bulk_edits.update(
        connection,
        bulk.id,
        state=BulkState.UNDONE.value,
        undone_at=clock.now(),
        undone_by=editor.actor.name,
        restored=ended.get(Outcome.RESTORED, 0),
        kept=ended.get(Outcome.KEPT, 0),
    )


# Steps


def surroundings(connection: Connection, editor: Editor) -> Context:
    known = {one.id: one for one in collection_queries.collections(connection)}
    return Context(
        known, collection_queries.the_matrix(connection), permissions.editable_collections(connection, editor)
    )


def judged_together(
    connection: Connection, found: Sequence[Record], changes: Changes, around: Context
) -> dict[int, Judged]:
    """Each by itself, and then: no address stands in a collection twice."""
    verdicts = {one.id: rules.judged(one, changes, around) for one in found}
    if changes.collection is None:
        return verdicts
    moving = [one for one in found if verdicts[one.id].values.get("collection") is not None]
    taken = record_queries.keys_taken(connection, changes.collection, [one.key for one in moving])
    name = around.collections[changes.collection].name
    for one in moving:
        there = taken.setdefault(one.key, one.id)
        if there != one.id:
            known = writing.Known(one.address, name, there)
            verdicts[one.id] = Judged(Verdict.KNOWN, known.message)
    return verdicts


def stretches(numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], int]]:
    """Parts of the numbers, each with how many will be done after it."""
    for start in range(0, len(numbers), AT_ONCE):
        part = numbers[start : start + AT_ONCE]
        yield part, start + len(part)


def _change(connection: Connection, editor: Editor, changes: Changes, ready: Mapping[int, Judged]) -> None:
    """Move, change, then decide: what a curator validates is what it has become."""
    values = {number: one.values for number, one in ready.items() if one.values}
    moved = {number: one for number, one in values.items() if "collection" in one}
    writing.change_many(connection, editor, moved, "record.moved")
    writing.change_many(connection, editor, {n: one for n, one in values.items() if n not in moved})
    decided = [number for number, one in ready.items() if one.decided]
    if decided and changes.state is not None:
        writing.decide_many(connection, editor, decided, changes.state, changes.reason)


def _judged_row(record: Record, judged: Judged, changes: Changes) -> dict[str, Any]:
    change = judged.verdict is Verdict.CHANGE
    return {
        "record": record.id,
        "edition": record.edition,
        "verdict": judged.verdict.value,
        "why": rules.kept(judged.why),
        "before": rules.before_of(record, judged.values) if change else None,
        "after": rules.after_of(judged, changes) if change else None,
    }


def _outcome(
    record: Record, ready: Mapping[int, Judged], editions: Mapping[int, int], verdicts: Mapping[int, Judged]
) -> dict[str, Any]:
    judged = verdicts.get(record.id)
    changed = record.id in ready
    outcome = Outcome.CHANGED if changed else Outcome.PASSED_OVER
    return {
        "record": record.id,
        "outcome": outcome.value,
        "why": None if changed or judged is None else rules.kept(judged.why),
        "edition_after": editions.get(record.id),
    }


def _tell_denied(
    connection: Connection, editor: Editor, touched: set[int], around: Context, deed: str
) -> None:
    """Somebody left a collection after the preview: what they try on it then is an attempt as well."""
    for number in sorted(touched - around.own) if around.own is not None else ():
        permissions.log_denied(connection, editor, number, around.collections[number].name, deed)


def _home(record: Record, fields: Mapping[str, Any]) -> int:
    return int(fields.get("collection", record.collection))


def _may_return(connection: Connection, record: Record, fields: Mapping[str, Any], around: Context) -> bool:
    """The rules of today allow what it was, and no other record has taken its place."""
    home = around.collections[_home(record, fields)]
    if around.own is not None and not {home.id, record.collection} <= around.own:
        return False
    try:
        rules.checked_return(record, fields, home, around.matrix)
    except Refused:
        return False
    taken = (
        record_queries.keys_taken(connection, home.id, [record.key]) if home.id != record.collection else {}
    )
    return not taken


def _count(connection: Connection, number: int) -> None:
    told = tables.counts(connection, number)
    change, same = told.get(Verdict.CHANGE, 0), told.get(Verdict.SAME, 0)
    tables.bulk_edits.update(
        connection,
        number,
        state=BulkState.READY.value,
        found=sum(told.values()),
        changing=change,
        same=same,
        refused=sum(told.values()) - change - same,
    )
