"""Collectors that want more than they may have, and machines that break whatever they are given."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from armarium.audit.tables import audit
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.collecting import EndKind, Held, LeaseRequest, Machine
from armarium.notify.tables import notification
from armarium.planning.collectors.health import MOST_FAILURES
from armarium.planning.collectors.model import Declined
from armarium.planning.collectors.queries import note_seen, taken
from armarium.planning.tables.harvests import collector
from armarium.planning.tables.jobs import job
from tests.integration.planning.collectors.world import Crawler, World


def stopped(world: World, crawler: Crawler) -> bool:
    return not world.collectors.get(crawler.collector.id).active


def fail(crawler: Crawler, **asked: Any) -> int:
    """Take a job and fail it; the job may be tried again at once."""
    task = crawler.take(**asked)
    crawler.end(task, EndKind.FAILED, error="The disk broke.")
    crawler.world.change(sa.update(job).values(not_before=None))
    return task.job


@pytest.mark.parametrize("attempt", [0, 1])
def test_nobody_goes_on_with_a_job_that_it_never_had(world: World, attempt: int) -> None:
    number = world.job(serves="broad", not_before=clock.now() + timedelta(hours=1))
    thief = world.crawler(channels=["selective"])
    world.collectors.change(SYSTEM, thief.collector.id, active=False)
    held = Held(job=number, attempt=attempt)
    answer = thief.ask(free=0, held=[held])
    assert (answer.token, answer.abandon) == (None, (held,))
    assert world.row(number).state == "new"


def test_a_job_that_it_gave_back_is_gone_on_with_only_under_its_own_attempt(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    c.end(c.take(), EndKind.RETURNED)
    assert other.ask(free=0, held=[Held(job=number, attempt=1)]).token is None
    assert c.ask(free=0, held=[Held(job=number, attempt=2)]).token is None
    assert c.take(free=0, held=[Held(job=number, attempt=1)]).resume


def test_a_folder_whose_job_has_to_wait_is_kept_until_its_time(world: World) -> None:
    number = world.job()
    c, held = world.crawler(), Held(job=number, attempt=1)
    c.end(c.take(), EndKind.RETURNED)
    later = sa.update(job).values(not_before=clock.now() + timedelta(hours=1))
    world.change(later)
    answer = c.ask(held=[held])
    assert (answer.token, answer.abandon) == (None, ())
    world.change(sa.update(job).values(not_before=None))
    assert c.take(held=[held]).resume


def test_a_failed_attempt_cannot_be_gone_on_with(world: World) -> None:
    number = world.job()
    c = world.crawler()
    first = c.take()
    world.let_lease_end(number)
    second = c.take(held=[Held(job=number, attempt=first.attempt)])
    c.end(second, EndKind.FAILED)
    held = [Held(job=number, attempt=1), Held(job=number, attempt=2)]
    answer = c.ask(free=0, held=held)
    assert (answer.token, set(answer.abandon)) == (None, set(held))


def test_what_a_collector_names_and_never_had_is_not_even_locked(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    other.take()
    with world.database.transaction() as connection:
        connection.execute(sa.select(job.c.id).where(job.c.id == number).with_for_update())
        answer = c.ask(held=[Held(job=number, attempt=1)])  # would wait for us for ever
    assert answer.abandon


def test_a_second_request_meanwhile_is_told_to_wait_at_once(world: World) -> None:
    world.job()
    c = world.crawler()
    with world.database.transaction() as connection:
        assert taken(connection, c.collector.id)
        with world.database.transaction() as guard:  # it does not wait either
            note_seen(guard, c.collector.id, "127.0.0.9")
        answer = c.ask()
    assert (answer.token, answer.wait_seconds) == (None, 1.0)
    assert c.take().attempt == 1


def test_the_server_counts_slots_itself_and_a_machine_may_only_offer_less(world: World) -> None:
    jobs = [world.job() for _ in range(4)]
    c = world.crawler(slots=2)
    taken_jobs = [c.take(free=9).job, c.take(free=9, jobs=jobs[:1]).job]
    answer = c.ask(free=9, jobs=taken_jobs)
    assert answer.token is None
    assert answer.reason == "The collector holds 2 jobs, and may have 2 at a time."
    world.collectors.change(SYSTEM, c.collector.id, slots=3)
    less = LeaseRequest(machine=Machine(slots=2, jobs=tuple(taken_jobs)), free_slots=9)
    assert world.leases.lease(c.collector, less).token is None
    assert c.take(free=9, jobs=taken_jobs).job == jobs[2]
    assert world.collectors.get(c.collector.id).slots == 3


def test_a_job_goes_back_to_whoever_failed_it_only_if_nobody_else_could_take_it(world: World) -> None:
    c, other = world.crawler(), world.crawler("c2", channels=["broad"])
    number = world.job()
    other.ask()  # it was heard, but serves another channel
    assert fail(c) == number
    assert fail(c) == number
    world.collectors.change(SYSTEM, other.collector.id, channels=["broad", "selective"])
    assert c.ask().token is None
    long_ago = clock.now() - timedelta(hours=1)
    mine = sa.update(collector).where(collector.c.name == "c2")
    world.change(mine.values(seen_at=long_ago))
    assert c.take().job == number
    world.change(mine.values(seen_at=clock.now()))
    again = c.take(held=[Held(job=number, attempt=world.row(number).attempt)])
    c.end(again, EndKind.FAILED)
    world.change(sa.update(job).values(not_before=None))
    assert other.take().job == number


def test_a_machine_that_fails_one_job_after_the_other_is_stopped(world: World) -> None:
    jobs = [world.job() for _ in range(MOST_FAILURES + 1)]
    c = world.crawler()
    for _ in range(3):  # one job alone does not stop it
        fail(c, jobs=jobs[1:])
    for place in range(1, MOST_FAILURES - 1):
        fail(c, jobs=[*jobs[:place], *jobs[place + 1 :]])
    assert not stopped(world, c)
    fail(c, jobs=[one for one in jobs if one != jobs[MOST_FAILURES - 1]])
    assert stopped(world, c)
    told = [row.key for row in world.rows(sa.select(notification.c.key))]
    assert f"collector.stopped.{c.collector.id}" in told
    written = sa.select(audit).where(audit.c.action == "collector.stopped")
    [entry] = world.rows(written)
    assert entry.after["jobs"] == jobs[:MOST_FAILURES]
    assert c.ask().reason == "The collector is stopped: it gets no new work."

    world.collectors.change(SYSTEM, c.collector.id, active=True)
    fail(c, jobs=jobs[1:])
    assert not stopped(world, c)  # it begins anew
    c.end(c.take(jobs=jobs[:-1]))
    assert world.collectors.get(c.collector.id).failed_jobs == ()  # one that is done ends the row


def test_a_heartbeat_that_crosses_the_end_of_its_own_job_is_no_warning(world: World) -> None:
    world.job(), world.job()
    c = world.crawler()
    task, second = c.take(), c.take(jobs=[1])
    c.end(task)
    with capture_logs() as logs, pytest.raises(Declined):
        c.beat(task)
    assert [(line["event"], line["log_level"]) for line in logs] == [("late or foreign", "debug")]
    world.let_lease_end(second.job)
    with capture_logs() as logs, pytest.raises(Declined):
        c.beat(second)
    assert [(line["event"], line["log_level"]) for line in logs] == [("late or foreign", "warning")]
