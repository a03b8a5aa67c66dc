"""Real worker processes: how tasks end, and how workers end."""

import signal
import time

import sqlalchemy as sa

from armarium.tasks.model import FailureKind, TaskState
from armarium.tasks.worker import POLL_SECONDS
from tests.integration.tasks.conftest import Workshop


def test_a_worker_runs_a_task_within_moments_of_its_being_deferred(workshop: Workshop) -> None:
    workshop.start("calm-worker")
    workshop.wait_for_state(workshop.defer("test.line", text="first"), TaskState.FINISHED)
    taken = []
    for _ in range(3):
        time.sleep(0.5)  # until it has seen that nothing is left
        deferred = time.monotonic()
        workshop.wait_for_state(workshop.defer("test.line", text="next"), TaskState.FINISHED)
        taken.append(time.monotonic() - deferred)
    # Told by NOTIFY, not found by looking now and then; a busy machine may be slow, but not each time.
    assert min(taken) < POLL_SECONDS / 2


def test_a_failed_task_is_tried_again_and_its_error_is_kept_without_secrets(workshop: Workshop) -> None:
    task_id = workshop.defer("test.fail", text="no luck")
    workshop.start("worker")
    workshop.wait_for_state(task_id, TaskState.FAILED)
    assert workshop.diary.lines() == ["failed no luck 1", "failed no luck 2", "failed no luck 3"]
    history = workshop.tasks.get(task_id)
    assert history.task.error == "no luck: password=***"
    assert [failure.attempt for failure in history.failures] == [3, 2, 1]
    assert "raise TaskFailed" in history.failures[0].traceback
    assert "hunter2" not in history.failures[0].traceback

    with workshop.database.transaction() as connection:
        changes = workshop.tasks.retry_all_failed(connection)
    assert [(change.task_id, change.after) for change in changes] == [(task_id, TaskState.WAITING)]
    workshop.wait_for(lambda: len(workshop.diary.lines()) == 6)


def test_a_permanent_failure_is_not_tried_again(workshop: Workshop) -> None:
    task_id = workshop.defer("test.fail", text="no such mailbox", permanent=True)
    workshop.start("worker")
    workshop.wait_for_state(task_id, TaskState.FAILED)
    assert workshop.diary.lines() == ["failed no such mailbox 1"]


def test_a_failure_that_quotes_a_file_name_of_another_encoding_is_kept(workshop: Workshop) -> None:
    task_id = workshop.defer("test.fail-at-a-foreign-name")
    workshop.start("worker")
    workshop.wait_for_state(task_id, TaskState.FAILED)
    assert workshop.tasks.get(task_id).task.error == r"The file caf\udce9.warc is damaged."


def test_a_very_long_error_does_not_keep_the_worker_from_its_heartbeats(workshop: Workshop) -> None:
    workshop.start("scheduler")
    task_id = workshop.defer("test.fail-at-length")
    workshop.start("worker")
    workshop.wait_for_state(task_id, TaskState.FAILED)
    assert [failure.kind for failure in workshop.tasks.get(task_id).failures] == [FailureKind.ERROR]


def test_a_task_that_fails_once_finishes_at_its_second_attempt(workshop: Workshop) -> None:
    task_id = workshop.defer("test.fail-once", text="hiccup")
    workshop.start("worker")
    workshop.wait_for_state(task_id, TaskState.FINISHED)
    history = workshop.tasks.get(task_id)
    assert [failure.error for failure in history.failures] == ["RuntimeError: hiccup"]
    assert workshop.diary.lines() == ["done hiccup 2"]


def test_a_running_task_that_is_cancelled_is_asked_to_stop(workshop: Workshop) -> None:
    task_id = workshop.defer("test.stop", text="long")
    workshop.start("worker")
    workshop.wait_for_line("started long 1")
    with workshop.database.transaction() as connection:
        change = workshop.tasks.cancel(connection, task_id)
    assert (change.before, change.after) == (TaskState.RUNNING, TaskState.RUNNING)
    assert change.details == {"stop_requested": True}
    workshop.wait_for_state(task_id, TaskState.CANCELLED)


def test_a_task_of_an_unknown_kind_waits_for_a_worker_that_knows_it(workshop: Workshop) -> None:
    task_id = workshop.defer("test.line", text="a")
    rename(workshop, "from.the-future")
    workshop.start("worker")
    workshop.wait_for_state(task_id, TaskState.SCHEDULED)
    task = workshop.tasks.get(task_id).task
    assert task.attempts == 0
    assert "does not know tasks of the kind from.the-future" in (task.error or "")

    rename(workshop, "test.line")  # the update has come
    workshop.wait_for_state(task_id, TaskState.FINISHED)


def test_a_task_of_a_kind_that_nobody_learns_within_a_day_fails(workshop: Workshop) -> None:
    task_id = workshop.defer("test.line", text="a")
    rename(workshop, "from.the-past")
    workshop.start("worker")
    workshop.wait_for_state(task_id, TaskState.SCHEDULED)
    with workshop.database.transaction() as connection:
        connection.exec_driver_sql("UPDATE task_failure SET at = at - interval '25 hours'")
    rename(workshop, "from.the-past")
    workshop.wait_for_state(task_id, TaskState.FAILED)
    assert len(workshop.tasks.get(task_id).failures) == 2

    with workshop.database.transaction() as connection:  # somebody retries it: it has another day
        workshop.tasks.retry(connection, task_id)
    workshop.wait_for_state(task_id, TaskState.SCHEDULED)


def rename(workshop: Workshop, name: str) -> None:
    """Let all tasks be of another kind, and due at once."""
    with workshop.database.transaction() as connection:
        renamed = sa.text("UPDATE procrastinate_jobs SET task_name = :name, scheduled_at = NULL")
        connection.execute(renamed, {"name": name})


def test_a_draining_worker_lets_its_tasks_finish(workshop: Workshop) -> None:
    worker = workshop.start("worker")
    task_id = workshop.defer("test.line", text="slow", seconds=0.8)
    workshop.wait_for_line("started slow 1")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(5) == 0
    assert workshop.state(task_id) is TaskState.FINISHED
    assert workshop.diary.lines() == ["started slow 1", "done slow 1"]


def test_a_draining_worker_gives_back_what_does_not_finish_without_counting_it(workshop: Workshop) -> None:
    worker = workshop.start("worker")
    stubborn = workshop.defer("test.line", text="stubborn", seconds=2.5)
    obedient = workshop.defer("test.stop", text="obedient")
    waiting = [workshop.defer("test.line", text="later", seconds=30) for _ in range(4)]
    workshop.wait_for_line("started stubborn 1")
    workshop.wait_for_line("started obedient 1")
    asked = time.monotonic()
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(5) == 3  # says that threads were still running
    assert 1.2 < time.monotonic() - asked < 3.5
    for task_id in (stubborn, obedient, *waiting):
        task = workshop.tasks.get(task_id).task
        assert (task.state, task.attempts, task.error) == (TaskState.WAITING, 0, None)
    assert "stopped obedient 1" in workshop.diary.lines()

    for task_id in waiting:
        with workshop.database.transaction() as connection:
            workshop.tasks.cancel(connection, task_id)
    workshop.start("worker")
    workshop.wait_for_state(stubborn, TaskState.FINISHED)


def test_tasks_of_a_killed_worker_run_again_to_their_end(workshop: Workshop) -> None:
    workshop.start("scheduler")
    ids = [workshop.defer("test.line", text=str(number), seconds=0.3) for number in range(12)]
    for round_ in range(3):
        worker = workshop.start("worker")
        workshop.wait_for(lambda seen=round_: len(workshop.diary.lines()) >= 3 * (seen + 1))  # type: ignore[misc]
        worker.kill()
        worker.wait()
    workshop.start("worker")
    for task_id in ids:
        workshop.wait_for_state(task_id, TaskState.FINISHED)
    done = [line.split()[1] for line in workshop.diary.lines() if line.startswith("done")]
    assert sorted(set(done), key=int) == [str(number) for number in range(12)]


def test_a_task_that_kills_its_workers_is_not_run_for_ever(workshop: Workshop) -> None:
    workshop.start("scheduler")
    task_id = workshop.defer("test.kill")
    for attempt in range(1, 4):
        worker = workshop.start("worker")
        workshop.wait_for_line(f"killed  {attempt}")
        assert worker.wait(5) == -signal.SIGKILL
        workshop.wait_for(lambda: workshop.state(task_id) is not TaskState.RUNNING)
    assert workshop.state(task_id) is TaskState.FAILED
    history = workshop.tasks.get(task_id)
    assert {failure.kind for failure in history.failures} == {FailureKind.LOST}
    assert "3 workers in a row" in (history.task.error or "")
    assert "is run again" in history.failures[-1].error


def test_a_suspended_worker_cannot_end_a_task_that_another_has_taken_over(workshop: Workshop) -> None:
    workshop.start("scheduler")
    task_id = workshop.defer("test.line", text="twice", seconds=1)
    suspended = workshop.start("worker")
    workshop.wait_for_line("started twice 1")
    suspended.send_signal(signal.SIGSTOP)
    workshop.start("worker")
    workshop.wait_for_line("started twice 2")
    suspended.send_signal(signal.SIGCONT)
    workshop.wait_for_line("done twice 1")
    workshop.wait_for_state(task_id, TaskState.FINISHED)
    assert workshop.diary.lines()[-1] == "done twice 2"
    # Back under a new number, it works on.
    for number in range(8):
        workshop.defer("test.line", text=f"more {number}", seconds=0.2)
    workshop.wait_for(lambda: workshop.tasks.counts()[TaskState.FINISHED] == 9)


def test_a_living_worker_is_not_declared_dead_when_the_whole_machine_was_suspended(
    workshop: Workshop,
) -> None:
    scheduler, worker = workshop.start("scheduler"), workshop.start("worker")
    task_id = workshop.defer("test.line", text="once", seconds=6)
    workshop.wait_for_line("started once 1")
    time.sleep(3)  # the scheduler has watched for long enough to believe what it sees
    for process in (scheduler, worker):
        process.send_signal(signal.SIGSTOP)
    time.sleep(4)
    scheduler.send_signal(signal.SIGCONT)
    time.sleep(0.3)  # it wakes first
    worker.send_signal(signal.SIGCONT)
    workshop.wait_for_state(task_id, TaskState.FINISHED)
    assert workshop.diary.lines() == ["started once 1", "done once 1"]


def test_a_worker_that_died_before_the_clock_was_set_back_is_found_dead(workshop: Workshop) -> None:
    task_id = workshop.defer("test.line", text="a", seconds=60)
    worker = workshop.start("worker")
    workshop.wait_for_line("started a 1")
    worker.kill()
    worker.wait()
    with workshop.database.transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE procrastinate_workers SET last_heartbeat = now() + interval '1 day'"
        )
    workshop.start("scheduler")
    workshop.wait_for_state(task_id, TaskState.WAITING)
