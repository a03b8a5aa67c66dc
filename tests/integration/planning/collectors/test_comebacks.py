"""Outages: whoever comes back finds its job, its orders and its patience as they were."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.accounts.vault import Vault, VaultSettings
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.collecting import EndKind, Held
from armarium.notify.tables import notification
from armarium.planning.arrivals import queries as arrival_queries
from armarium.planning.collectors import queries as collector_queries
from armarium.planning.domains.credentials import Credentials
from armarium.planning.domains.model import CredentialKind, NewCredential
from armarium.planning.leasing import queries
from armarium.planning.model import JobState
from armarium.planning.tables.domains import domain
from armarium.planning.tables.jobs import job, job_attempt, job_command
from tests.integration.planning.collectors.world import A, Crawler, World, offer

HOUR = timedelta(hours=1)


def fall_silent(world: World, number: int) -> None:
    world.let_lease_end(number)
    world.leases.expire()


def let_wait_end(world: World, number: int) -> None:
    world.change(sa.update(job).where(job.c.id == number).values(not_before=clock.now() - HOUR))


def commands(world: World) -> list[tuple[str, bool]]:
    """Verbs, and whether they were answered."""
    of = job_command.c
    asked = sa.select(of.verb, of.answered_at.is_not(None)).order_by(of.id)
    return [tuple(row) for row in world.rows(asked)]


# A silence ------------------------------------------------------------------------------------------


def test_after_an_outage_a_job_waits_for_the_collector_that_has_its_folder(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    task = c.take()
    c.beat(task, report={"objects": 5000})
    fall_silent(world, number)
    assert other.ask().token is None
    again = c.take(held=[Held(job=number, attempt=1)])
    assert (again.job, again.attempt, again.resume) == (number, 2, True)
    fall_silent(world, number)  # before its first heartbeat: the folder is the same
    assert other.ask().token is None


def test_a_collector_that_does_not_come_back_in_time_loses_its_job(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    c.beat(c.take())
    fall_silent(world, number)
    waits = world.row(number).not_before - clock.now()
    assert timedelta(seconds=590) < waits <= timedelta(seconds=600)
    let_wait_end(world, number)
    assert other.take().job == number


def test_nobody_waits_for_a_collector_that_was_revoked(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    c.beat(c.take())
    world.collectors.revoke(SYSTEM, c.collector.id)
    assert other.take().job == number


def test_silences_of_a_job_that_gets_on_are_not_counted(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    for place in range(1, world.settings.max_attempts + 3):
        c.beat(task, report={"objects": place})
        fall_silent(world, number)
        task = c.take(held=[Held(job=number, attempt=place)])
    for _ in range(world.settings.max_attempts - 2):
        c.beat(task, report={"objects": 3})  # from now on it begins anew each time, and gets no further
        fall_silent(world, number)
        let_wait_end(world, number)
        task = c.take()
    c.beat(task, report={"objects": 3})
    fall_silent(world, number)
    assert world.row(number).state == "failed"


# Days -----------------------------------------------------------------------------------------------


def leased_long_ago(world: World, attempt: int) -> None:
    long_ago = clock.now() - timedelta(days=8)
    world.change(sa.update(job_attempt).where(job_attempt.c.attempt == attempt).values(leased_at=long_ago))
    world.change(sa.update(job).values(started_at=long_ago))


def test_the_days_of_an_attempt_that_begins_anew_begin_anew(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    c.take()
    leased_long_ago(world, 1)
    fall_silent(world, number)
    task = other.take()
    assert task.attempt == 2
    assert other.beat(task).commands == ()


def test_the_days_of_a_folder_are_counted_from_its_first_attempt(world: World) -> None:
    number = world.job()
    c = world.crawler()
    c.beat(c.take())
    leased_long_ago(world, 1)
    task = c.take(held=[Held(job=number, attempt=1)])
    assert [command.verb for command in c.beat(task).commands] == ["terminate"]


def test_an_end_that_was_refused_is_ordered_again_after_an_hour(world: World) -> None:
    world.job()
    c = world.crawler()
    task = c.take()
    leased_long_ago(world, 1)
    [command] = c.beat(task).commands
    for _ in range(3):
        c.beat(task, answers=[{"id": command.id, "accepted": False, "answer": {"error": "Not now."}}])
    assert len(commands(world)) == 1
    world.change(sa.update(job_command).values(created_at=clock.now() - 2 * HOUR))
    [again] = c.beat(task).commands
    assert again.id != command.id


# Orders of people -----------------------------------------------------------------------------------


def ordered(world: World, crawler: Crawler, task: Any, verb: str, **arguments: Any) -> None:
    """Somebody orders it, and the collector has done it."""
    values = {"job": task.job, "attempt": task.attempt, "verb": verb, "arguments": arguments, "by": "ada"}
    world.change(sa.insert(job_command).values(**values, created_at=clock.now()))
    [command] = crawler.beat(task).commands
    crawler.beat(task, answers=[{"id": command.id, "accepted": True}])


def test_what_people_ordered_holds_for_a_crawl_that_begins_anew(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    task = c.take()
    for verb, arguments in (
        ("filter", {"pattern": "a"}),
        ("filter", {"pattern": "b", "preview": True}),
        ("pause", {}),
        ("resume", {}),
        ("budget", {"queue": "*", "objects": 5}),
        ("log", {"pattern": "a"}),
        ("pause", {}),
    ):
        ordered(world, c, task, verb, **arguments)
    again = c.take(held=[Held(job=number, attempt=1)])
    assert c.beat(again).commands == ()  # its folder remembers
    fall_silent(world, number)
    let_wait_end(world, number)
    fresh = other.take()
    told = other.beat(fresh).commands
    assert [(one.verb, one.arguments.get("pattern")) for one in told] == [
        ("filter", "a"),
        ("budget", None),
        ("pause", None),
    ]


def test_what_the_server_ordered_is_for_the_attempt_that_was_meant(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    task = c.take()
    leased_long_ago(world, 1)
    assert c.beat(task).commands
    fall_silent(world, number)
    let_wait_end(world, number)
    assert other.beat(other.take()).commands == ()
    assert commands(world) == [("terminate", True)]


def test_a_long_answer_is_cut_and_old_answers_are_forgotten(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    world.change(sa.insert(job_command).values(job=number, verb="log", created_at=clock.now()))
    [command] = c.beat(task, tail=["a line"]).commands
    lines = ["x" * 300] * 1000
    c.beat(
        task,
        answers=[{"id": command.id, "accepted": True, "answer": {"lines": lines, "complete": True}}],
        tail=["a line"],
    )
    [row] = world.rows(sa.select(job_command))
    assert (100 < len(row.answer["lines"]) < 400, row.answer["complete"]) == (True, False)
    c.end(task)
    assert world.leases.forget_answers() == 0
    world.change(sa.update(job).values(ended_at=clock.now() - timedelta(days=31)))
    assert world.leases.forget_answers() == 1
    assert world.rows(sa.select(job_command.c.answer))[0][0] == {}
    assert "tail" not in world.row(number).report


# A wrong key ----------------------------------------------------------------------------------------


def test_a_wrong_key_fails_no_job_and_is_told_once(world: World, tmp_path: Any) -> None:
    secret = [world.job(f"{name}.example") for name in "abc"]
    locked = Credentials(world.database, Vault(VaultSettings(), tmp_path / "elsewhere"))
    given = NewCredential(CredentialKind.BASIC, realm="r", user_name="u", password="p")
    for row in world.rows(sa.select(domain.c.id)):
        locked.add(SYSTEM, row.id, given)
    c = world.crawler()
    for _ in range(2):
        answer = c.ask()
        assert answer.token is None
        assert "key" in answer.reason
    assert {world.row(number).state for number in secret} == {"new"}
    assert [world.attempts(number) for number in secret] == [[], [], []]
    assert len(world.rows(sa.select(notification))) == 1
    plain = world.job("d.example")
    assert c.take().job == plain


def test_many_jobs_of_a_run_that_fail_make_one_notification(world: World) -> None:
    for name in "abc":
        world.job(f"{name}.example", order={"scope": {"kind": "no-such-kind"}})
    assert world.crawler().ask().token is None
    [told] = world.rows(sa.select(notification.c.repeats))
    assert told.repeats == 2


# Slots ----------------------------------------------------------------------------------------------


def test_the_last_slot_is_free_for_all_while_a_job_of_higher_priority_runs(world: World) -> None:
    broad = world.job(serves="broad")
    selective = world.job(serves="selective")
    crawler = world.crawler(channels=["selective", "broad"])
    world.change(sa.text("UPDATE collector SET slots = 2"))
    assert crawler.take(free=2).job == selective
    assert crawler.take(free=1, jobs=[selective]).job == broad


# The database ---------------------------------------------------------------------------------------


def test_a_file_is_noted_while_its_collector_asks_for_work(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    with world.database.transaction() as asking, world.database.transaction() as noting:
        collector_queries.collectors.by_id(asking, c.collector.id, lock=True)
        noting.execute(sa.text("SET LOCAL lock_timeout = '1s'"))
        arrival_queries.offered(noting, number, c.collector.id, offer(task, A, b"x"))


def test_a_heartbeat_writes_no_index(world: World) -> None:
    """Heap-only tuples: each index would cost as much as the row."""
    number = world.job()
    task = world.crawler().take()
    with world.database.transaction() as connection:
        row = queries.locked(connection, number)
        assert row
        news = {"report": {"objects": 7, "bytes": 70}}
        for state in (JobState.STARTED, JobState.STARTED):
            queries.note_beat(connection, row, 600, state, news)
        asked = sa.text("SELECT pg_stat_get_xact_tuples_hot_updated('job'::regclass)")
        assert connection.scalar(asked) == 1  # the second: the first changed the state
    assert (world.row(task.job).objects, world.row(task.job).brought_objects) == (7, None)


@pytest.mark.parametrize("told", [{}, {"objects": 9, "bytes": 90}])
def test_a_failure_without_figures_leaves_those_of_the_last_heartbeat(
    world: World, told: dict[str, int]
) -> None:
    number = world.job("a.example")
    c = world.crawler()
    task = c.take()
    c.give(task, A, b"content")
    c.beat(task, report={"objects": 7, "bytes": 70})
    assert c.end(task, EndKind.FAILED, files=(A,), error="It broke.", **told) == "failed"
    row = world.row(number)
    assert (row.objects, row.bytes) == ((9, 90) if told else (7, 70))
    assert row.brought_objects == row.objects
