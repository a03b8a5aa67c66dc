"""Answers that are lost with the connection, at the worst moments."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, LiteralString

import psycopg
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Status

from armarium.tasks.connector import PatientConnector, make_pool
from armarium.tasks.failure import Failure
from armarium.tasks.manager import END, FETCH, UNWRITABLE, TaskManager
from armarium.tasks.model import TaskState
from tests.integration.tasks.conftest import Workshop
from tests.integration.tasks.workshop import KINDS


class LosesOneAnswer(PatientConnector):
    """The server does what the query says, but the line breaks before its answer arrives."""

    def __init__(self, lost: str) -> None:
        super().__init__()
        self.lost: str | None = lost

    async def once(self, query: LiteralString, **arguments: Any) -> list[dict[str, Any]]:
        rows = await super().once(query, **arguments)
        if query == self.lost:
            self.lost = None
            raise ConnectorException from psycopg.OperationalError(
                "server closed the connection unexpectedly"
            )
        return rows


def with_manager(url: str, lost: str, work: Callable[[TaskManager], Awaitable[None]]) -> None:
    async def run() -> None:
        connector = LosesOneAnswer(lost)
        async with make_pool(url, "tests", size=1) as pool:
            await connector.open_async(pool)
            manager = TaskManager(connector, KINDS)
            await manager.register_worker()
            await work(manager)

    asyncio.run(run())


def test_a_task_fetched_by_a_query_whose_answer_was_lost_is_not_stuck(workshop: Workshop) -> None:
    first, second = workshop.defer("test.line", text="a"), workshop.defer("test.line", text="b")

    async def work(manager: TaskManager) -> None:
        fetched = [await manager.fetch_job(None, 0) for _ in range(3)]
        assert [job and job.id for job in fetched] == [first, second, None]

    with_manager(workshop.database.url, FETCH, work)


def test_a_task_that_is_held_is_not_given_back_with_the_one_that_was_not_heard_of(workshop: Workshop) -> None:
    first, second = workshop.defer("test.line", text="a"), workshop.defer("test.line", text="b")

    async def work(manager: TaskManager) -> None:
        connector = manager.connector
        assert isinstance(connector, LosesOneAnswer)
        held = await manager.fetch_job(None, 0)
        connector.lost = FETCH
        other = await manager.fetch_job(None, 0)
        assert held
        assert other
        assert (held.id, other.id) == (first, second)
        assert workshop.state(first) is TaskState.RUNNING

    with_manager(workshop.database.url, "", work)


def test_an_end_whose_answer_was_lost_is_written_once(workshop: Workshop) -> None:
    task_id = workshop.defer("test.line", text="a")

    async def work(manager: TaskManager) -> None:
        job = await manager.fetch_job(None, 0)
        assert job
        await manager.finish_job(job, Status.SUCCEEDED, delete_job=False)

    with_manager(workshop.database.url, END, work)
    history = workshop.tasks.get(task_id)
    assert history.task.state is TaskState.FINISHED
    assert [event.type for event in history.events] == ["deferred", "started", "succeeded"]


def test_a_failure_that_cannot_be_written_still_ends_its_task(workshop: Workshop) -> None:
    task_id = workshop.defer("test.line", text="a")

    async def work(manager: TaskManager) -> None:
        job = await manager.fetch_job(None, 0)
        assert job
        manager.note(job, Failure("caf\udce9", traceback="a\0b"))
        await manager.finish_job(job, Status.FAILED, delete_job=False)

    with_manager(workshop.database.url, "", work)
    assert workshop.state(task_id) is TaskState.FAILED
    assert workshop.tasks.get(task_id).task.error == UNWRITABLE


def test_a_worker_that_was_struck_off_fetches_under_a_new_number(workshop: Workshop) -> None:
    task_id = workshop.defer("test.line", text="a")

    async def work(manager: TaskManager) -> None:
        with workshop.database.transaction() as connection:
            connection.exec_driver_sql("DELETE FROM procrastinate_workers")
        old = manager.worker
        job = await manager.fetch_job(None, 0)
        assert job
        assert job.id == task_id
        assert job.worker_id == manager.worker != old

    with_manager(workshop.database.url, "", work)
