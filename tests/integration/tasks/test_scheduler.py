"""Real scheduler processes: periods, the lead, clearing away."""

import time

import psycopg

from armarium.tasks.model import TaskState, Wanted
from armarium.tasks.scheduler import LEADER_LOCK
from tests.integration.tasks.conftest import Workshop


def leaders(workshop: Workshop) -> int:
    with psycopg.connect(workshop.database.url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database"
            " WHERE datname = current_database() AND locktype = 'advisory' AND granted AND objid = %s",
            [LEADER_LOCK & 0xFFFFFFFF],
        ).fetchone()
    return row[0] if row else 0


def ticks(workshop: Workshop) -> list[str]:
    return [line.split()[1] for line in workshop.diary.lines() if line.startswith("tick")]


def test_a_periodic_task_runs_once_for_each_of_its_moments_although_two_schedulers_run(
    workshop: Workshop,
) -> None:
    workshop.start("clock")
    workshop.start("clock")
    workshop.start("worker")
    workshop.wait_for(lambda: len(ticks(workshop)) >= 3)
    assert len(set(ticks(workshop))) == len(ticks(workshop))
    assert leaders(workshop) == 1


def test_another_scheduler_takes_over_when_the_leader_is_killed(workshop: Workshop) -> None:
    first = workshop.start("clock")
    workshop.wait_for(lambda: leaders(workshop) == 1)
    workshop.start("clock")
    workshop.start("worker")
    workshop.wait_for(lambda: len(ticks(workshop)) >= 1)
    first.kill()
    first.wait()
    workshop.wait_for(lambda: leaders(workshop) == 1)
    before = len(ticks(workshop))
    workshop.wait_for(lambda: len(ticks(workshop)) >= before + 2)


def test_a_moment_that_was_missed_is_made_up_for_once(workshop: Workshop) -> None:
    """Also one of months ago: an archive on a laptop sleeps at night, when tidying up is due."""
    workshop.start("worker")
    for _ in range(2):
        scheduler = workshop.start("calendar")
        workshop.wait_for(lambda: leaders(workshop) == 1)
        workshop.wait_for(lambda: len(ticks(workshop)) == 1)
        time.sleep(1.5)
        scheduler.terminate()
        assert scheduler.wait(5) == 0
    assert [moment[4:] for moment in ticks(workshop)] == ["-01-01T00:00:00+00:00"]


def test_of_the_periodic_tasks_that_went_well_only_the_last_is_kept(workshop: Workshop) -> None:
    workshop.start("clock")
    workshop.start("worker")
    workshop.wait_for(lambda: len(ticks(workshop)) >= 4)
    finished = Wanted(name="test.tick", state=TaskState.FINISHED)
    assert workshop.tasks.page(finished, limit=9)[1] <= 1


def test_periodic_tasks_do_not_pile_up_while_no_worker_runs(workshop: Workshop) -> None:
    scheduler = workshop.start("clock")
    workshop.wait_for(lambda: workshop.tasks.counts()[TaskState.WAITING] == 1)
    time.sleep(2)
    assert workshop.tasks.page(Wanted(name="test.tick"), limit=9)[1] == 1
    scheduler.terminate()
    assert scheduler.wait(5) == 0


def test_tasks_that_ended_long_ago_are_cleared_away_with_their_failures(workshop: Workshop) -> None:
    old, fresh, failed, waiting = (workshop.defer("test.line", text="a") for _ in range(4))
    with workshop.database.transaction() as connection:
        for task_id, status, days in ((old, "succeeded", 8), (fresh, "succeeded", 6), (failed, "failed", 8)):
            connection.exec_driver_sql(
                "UPDATE procrastinate_jobs SET status = %s WHERE id = %s", (status, task_id)
            )
            connection.exec_driver_sql(
                "UPDATE procrastinate_events SET at = now() - make_interval(days => %s) WHERE job_id = %s",
                (days, task_id),
            )
            connection.exec_driver_sql(
                "INSERT INTO task_failure (task_id, at, attempt, kind, error, traceback)"
                " VALUES (%s, now(), 1, 'error', '', '')",
                (task_id,),
            )
    workshop.start("scheduler")
    workshop.wait_for(lambda: workshop.tasks.page(Wanted(), limit=9)[1] == 3)
    assert {task.id for task in workshop.tasks.page(Wanted(), limit=9)[0]} == {fresh, failed, waiting}
    with workshop.database.transaction() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM task_failure").scalar() == 2
