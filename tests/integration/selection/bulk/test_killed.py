"""A worker that is killed in the middle of a bulk edit leaves nothing of it; the next one does all of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.selection.bulk.model import BulkState, Changes
from armarium.selection.bulk.steps import AT_ONCE
from armarium.selection.records import queries
from armarium.selection.records.model import Record
from armarium.selection.search.model import Question
from armarium.selection.tables import record
from tests.integration.selection.bulk.desk import edits, logged, many
from tests.integration.selection.killing import kill_a_worker
from tests.integration.selection.world import World

RECORDS = AT_ONCE + 20


def inactive(here: World) -> int:
    with here.database.transaction() as connection:
        return connection.scalar(sa.select(sa.func.count()).where(~record.c.active)) or 0


def killed(here: World, home: Path, made: Sequence[Record]) -> None:
    """When the first stretch is written: somebody has the last record, and does not give it."""
    last = max(one.id for one in made)
    kill_a_worker(here.database, home, lambda connection: queries.by_ids(connection, [last], lock=True))


@pytest.mark.timeout(300)
def test_a_killed_worker_changes_nothing_and_the_next_one_all(library: World, tmp_path: Path) -> None:
    here = library
    made = many(here, RECORDS)
    number = edits(here.database).preview(here.ada, Question(), Changes(active=False)).id
    bulk = edits(here.database, in_request=10)
    assert bulk.apply(here.ada, number).state is BulkState.APPLYING
    killed(here, tmp_path, made)
    known = bulk.get(number)
    assert (known.state, known.done) == (BulkState.APPLYING, AT_ONCE)  # in the middle, indeed
    assert inactive(here) == 0
    assert logged(here, "record.changed") == []
    bulk.run(here.ada, number)  # as the next worker does
    assert (bulk.get(number).state, bulk.get(number).changed, inactive(here)) == (
        BulkState.DONE,
        RECORDS,
        RECORDS,
    )
    assert len(logged(here, "bulk.applied")) == 1


@pytest.mark.timeout(300)
def test_a_killed_worker_undoes_nothing_and_the_next_one_all(library: World, tmp_path: Path) -> None:
    here = library
    made = many(here, RECORDS)
    at_once = edits(here.database)
    number = at_once.preview(here.ada, Question(), Changes(active=False)).id
    at_once.apply(here.ada, number)
    bulk = edits(here.database, in_request=10)
    assert bulk.undo(here.ada, number).state is BulkState.UNDOING
    killed(here, tmp_path, made)
    known = bulk.get(number)
    assert (known.state, known.done, inactive(here)) == (BulkState.UNDOING, AT_ONCE, RECORDS)
    bulk.run(here.ada, number)
    assert (bulk.get(number).state, bulk.get(number).restored, inactive(here)) == (
        BulkState.UNDONE,
        RECORDS,
        0,
    )
