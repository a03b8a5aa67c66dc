"""Deferring, looking at, retrying and cancelling tasks, without any worker."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from armarium.core import clock
from armarium.core.errors import NotFound, Refused
from armarium.tasks.model import TaskState, Wanted
from tests.integration.tasks.conftest import Workshop


def test_a_task_of_a_rolled_back_transaction_does_not_exist(workshop: Workshop) -> None:
    with workshop.database.transaction() as connection:
        assert workshop.tasks.defer(connection, "test.line", {"text": "a"})
        connection.rollback()
    assert workshop.tasks.page(Wanted(), limit=10) == ([], 0)


def test_a_deferred_task_waits_in_the_queue_of_its_kind(workshop: Workshop) -> None:
    task_id = workshop.defer("test.other-queue", text="a")
    task = workshop.tasks.get(task_id).task
    assert (task.name, task.queue, task.state) == ("test.other-queue", "other", TaskState.WAITING)
    assert task.arguments == {"text": "a"}
    assert task.deferred_at is not None


def test_a_task_for_later_is_scheduled(workshop: Workshop) -> None:
    later = clock.now() + timedelta(hours=1)
    with workshop.database.transaction() as connection:
        task_id = workshop.tasks.defer(connection, "test.line", {"text": "a"}, schedule_at=later)
    assert task_id is not None
    task = workshop.tasks.get(task_id).task
    assert (task.state, task.scheduled_at) == (TaskState.SCHEDULED, later)
    assert task.changed_at is not None
    assert task.changed_at < later


def test_a_second_task_with_the_same_queueing_lock_is_not_deferred_and_spoils_nothing(
    workshop: Workshop,
) -> None:
    with workshop.database.transaction() as connection:
        first = workshop.tasks.defer(connection, "test.line", {"text": "a"}, queueing_lock="one")
        second = workshop.tasks.defer(connection, "test.line", {"text": "b"}, queueing_lock="one")
        third = workshop.tasks.defer(connection, "test.line", {"text": "c"})
    assert first
    assert second is None
    assert third
    assert workshop.tasks.counts()[TaskState.WAITING] == 2


def test_wrong_arguments_are_refused_when_the_task_is_deferred(workshop: Workshop) -> None:
    with workshop.database.transaction() as connection:
        for arguments in ({"test": "misspelt"}, {"text": object()}, {"text": ("a", "tuple")}, {}):
            with pytest.raises(TypeError, match=r"test\.line"):
                workshop.tasks.defer(connection, "test.line", arguments)
        with pytest.raises(LookupError, match=r"test\.fail-once"):
            workshop.tasks.defer(connection, "test.nobody", {})


def test_tasks_are_listed_newest_first_in_pages_with_counts(workshop: Workshop) -> None:
    ids = [workshop.defer("test.line", text=str(number)) for number in range(5)]
    workshop.defer("test.other-queue", text="x")
    page, total = workshop.tasks.page(Wanted(name="test.line"), limit=2, offset=2)
    assert ([task.id for task in page], total) == ([ids[2], ids[1]], 5)
    assert workshop.tasks.page(Wanted(queue="other"), limit=9)[1] == 1
    assert workshop.tasks.page(Wanted(state=TaskState.FAILED), limit=9) == ([], 0)
    assert workshop.tasks.counts(Wanted(queue="other"))[TaskState.WAITING] == 1
    assert workshop.tasks.names() == ["test.line", "test.other-queue"]


def test_a_waiting_task_can_be_cancelled_and_retried(workshop: Workshop) -> None:
    task_id = workshop.defer("test.line", text="a")
    with workshop.database.transaction() as connection:
        change = workshop.tasks.cancel(connection, task_id)
    assert (change.name, change.before, change.after) == ("test.line", TaskState.WAITING, TaskState.CANCELLED)
    with (
        workshop.database.transaction() as connection,
        pytest.raises(Refused, match="no longer be"),
    ):
        workshop.tasks.cancel(connection, task_id)
    with workshop.database.transaction() as connection:
        change = workshop.tasks.retry(connection, task_id)
    assert (change.before, change.after) == (TaskState.CANCELLED, TaskState.WAITING)
    history = workshop.tasks.get(task_id)
    assert history.task.state is TaskState.WAITING
    assert [event.type for event in history.events] == ["deferred", "cancelled", "retried"]


def test_a_waiting_task_cannot_be_retried(workshop: Workshop) -> None:
    task_id = workshop.defer("test.line", text="a")
    with (
        workshop.database.transaction() as connection,
        pytest.raises(Refused, match="only failed and cancelled"),
    ):
        workshop.tasks.retry(connection, task_id)


def test_an_unknown_task_is_not_found(workshop: Workshop) -> None:
    with pytest.raises(NotFound):
        workshop.tasks.get(4711)
    with workshop.database.transaction() as connection, pytest.raises(NotFound):
        workshop.tasks.cancel(connection, 4711)


def test_pages_that_listen_are_told_about_a_change_once_per_transaction(workshop: Workshop) -> None:
    with psycopg.connect(workshop.database.url, autocommit=True) as listener:
        listener.execute("LISTEN armarium_live")
        with workshop.database.transaction() as connection:
            for text in "abc":
                workshop.tasks.defer(connection, "test.line", {"text": text})
        listener.execute("SELECT procrastinate_fetch_job_v2(ARRAY['nothing here'], NULL)")
        told = [notify.payload for notify in listener.notifies(timeout=0.5)]
    assert told == ["tasks"]


def test_which_tasks_are_alive_is_told_without_looking_at_those_that_have_ended(workshop: Workshop) -> None:
    ended, waiting = workshop.defer("test.line", text="1"), workshop.defer("test.line", text="2")
    asked: list[tuple[str, Any]] = []
    with workshop.database.transaction() as connection:
        workshop.tasks.cancel(connection, ended)
        assert waiting
        connection.execute(sa.text("SET LOCAL enable_seqscan = off"))
        sa.event.listen(connection, "before_cursor_execute", lambda *facts: asked.append(facts[2:4]))
        assert workshop.tasks.alive_by_argument(connection, "test.line", "text", [1, 2, 3]) == {2}
        statement, values = asked[0]
        plan = connection.exec_driver_sql(f"EXPLAIN {statement}", values)
        assert "procrastinate_jobs_id_lock_idx" in " ".join(row[0] for row in plan)
