"""Bulk edits of thousands of records run in the background: all of them or none."""

import pytest
import sqlalchemy as sa

from armarium.selection.bulk import steps
from armarium.selection.bulk.model import BulkState, Changes
from armarium.selection.bulk.service import TASK, read, written
from armarium.selection.search.model import Question
from armarium.selection.search.service import Search
from armarium.selection.tables import record
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.model import Wanted
from armarium.tasks.service import Tasks
from tests.integration.selection.bulk.desk import edits, many
from tests.integration.selection.world import World


def test_five_thousand_records_are_changed_and_undone(library: World) -> None:
    here = library
    many(here, 5000)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, Question(), Changes(responsible=here.numbers["ada"]))
    assert made.changing == 5000
    assert bulk.apply(here.ada, made.id).changed == 5000
    mine = Question.parse("responsible=me")
    assert Search(here.database).count(mine, here.numbers["ada"]) == 5000
    assert bulk.undo(here.ada, made.id).restored == 5000
    assert Search(here.database).count(mine, here.numbers["ada"]) == 0


def test_a_large_one_waits_for_a_worker_with_progress(library: World) -> None:
    here = library
    many(here, 30)
    bulk = edits(here.database, in_request=10)
    made = bulk.preview(here.ada, Question(), Changes(active=False))
    assert (made.state, made.done, made.total) == (BulkState.JUDGING, 0, 30)
    waiting, _ = Tasks(here.database, TASK_KINDS).page(Wanted(name=TASK), limit=5)
    assert [dict(one.arguments)["bulk"] for one in waiting] == [made.id]
    bulk.run(read(written(here.ada)), made.id)
    ready = bulk.get(made.id)
    assert (ready.state, ready.changing, ready.done) == (BulkState.READY, 30, 30)
    assert bulk.apply(here.ada, made.id).state is BulkState.APPLYING
    bulk.run(here.ada, made.id)
    assert (bulk.get(made.id).state, bulk.get(made.id).changed) == (BulkState.DONE, 30)
    bulk.run(here.ada, made.id)  # once more, as after a lost worker: nothing is left to do
    assert bulk.undo(here.ada, made.id).state is BulkState.UNDOING
    bulk.run(here.ada, made.id)
    assert bulk.get(made.id).restored == 30


def test_an_interruption_in_the_middle_leaves_nothing_changed(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = library
    many(here, 30)
    bulk = edits(here.database, in_request=10)
    made = bulk.preview(here.ada, Question(), Changes(active=False))
    bulk.run(here.ada, made.id)
    bulk.apply(here.ada, made.id)
    monkeypatch.setattr(steps, "AT_ONCE", 10)
    told: list[int] = []

    def dies(done: int, total: int) -> None:
        told.append(done)
        if done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), here.database.transaction() as connection:
        steps.apply(connection, here.ada, bulk.get(made.id), dies)
    assert told == [10, 20]
    with here.database.transaction() as connection:
        inactive = connection.scalar(sa.select(sa.func.count()).where(~record.c.active))
    assert inactive == 0
    bulk.run(here.ada, made.id)
    assert bulk.get(made.id).changed == 30
