"""Leases: one job for one collector, in the right order, and nothing lost on the way."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.collecting import EndKind, Held, Phase
from armarium.index.tables import index_collection
from armarium.notify.tables import notification
from armarium.planning.collectors.model import Code, Declined
from armarium.planning.leasing.retries import LOST_ANSWERS
from armarium.planning.leasing.service import Leases
from armarium.planning.tables.domains import domain
from armarium.planning.tables.jobs import (
    channel,
    job,
    job_attempt,
    job_command,
    job_configuration,
    job_sample,
)
from armarium.processes.model import ProcessState
from armarium.processes.service import Processes
from armarium.selection.tables import collection
from armarium.selection.transfer.tables import target
from armarium.workflow.queries import collections_of
from tests.integration.planning.collectors.world import A, World


def lost(caught: "pytest.ExceptionInfo[Declined]") -> bool:
    return caught.value.code is Code.LEASE_LOST


def test_a_collector_gets_the_whole_order_of_a_job(world: World) -> None:
    number = world.job("a.example", "b.example", order={"name": "job-1", "robots": "ignore"})
    task = world.crawler().take()
    assert (task.job, task.attempt, task.resume) == (number, 1, False)
    assert [(seed.url, seed.tag) for seed in task.order.seeds] == [
        ("http://a.example/", "a.example"),
        ("http://b.example/", "b.example"),
    ]
    assert task.order.robots == "ignore"
    row = world.row(number)
    assert (row.state, row.attempt, row.lease_until) == ("submitted", 1, task.lease_until)
    assert task.lease_seconds == 600
    assert row.started_at


def test_the_channel_decides_before_the_priority_and_the_priority_before_the_age(world: World) -> None:
    broad = world.job(serves="broad", priority=99)
    old = world.job()
    urgent = world.job(priority=5)
    c = world.crawler()
    taken: list[int] = []
    for _ in range(3):
        taken.append(c.take(free=2, jobs=taken).job)
    assert taken == [urgent, old, broad]


def test_channels_are_changed_centrally_and_hold_from_the_next_request_on(world: World) -> None:
    world.job(serves="broad")
    c = world.crawler(channels=["selective"])
    assert c.ask().reason == "No job waits in selective."
    world.collectors.change(SYSTEM, c.collector.id, channels=["selective", "broad"])
    assert c.ask().token


def test_a_closed_channel_gives_no_work(world: World) -> None:
    world.job()
    c = world.crawler(channels=["selective"])
    world.change(sa.update(channel).where(channel.c.name == "selective").values(active=False))
    assert c.ask().reason == "The collector serves no open channel."


def test_a_job_that_has_to_wait_is_passed_over(world: World) -> None:
    world.job(not_before=clock.now() + timedelta(minutes=5))
    other = world.job(not_before=clock.now() - timedelta(minutes=5))
    c = world.crawler()
    assert c.take().job == other
    assert c.ask(jobs=[other]).token is None


def test_without_a_free_slot_there_is_no_job(world: World) -> None:
    world.job()
    assert world.crawler().ask(free=0).reason == "No slot is free."


def test_a_stopped_collector_gets_no_new_work_but_goes_on_with_its_own(world: World) -> None:
    world.job(), world.job()
    c = world.crawler()
    task = c.take()
    world.collectors.change(SYSTEM, c.collector.id, active=False)
    assert c.ask(jobs=[task.job]).reason == "The collector is stopped: it gets no new work."
    c.beat(task)
    again = c.take(held=[Held(job=task.job, attempt=1)])
    assert (again.job, again.attempt, again.resume) == (task.job, 2, True)


def test_twenty_collectors_at_once_never_get_the_same_job(world: World) -> None:
    jobs = {world.job() for _ in range(12)}
    crawlers = [world.crawler(f"c{number}") for number in range(20)]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda c: (c, c.ask()), crawlers))
    given = [c.opened(answer.token).job for c, answer in answers if answer.token]
    assert sorted(given) == sorted(jobs)


def test_a_request_repeated_by_many_threads_of_one_collector_gives_one_job(world: World) -> None:
    """A collector that gave up waiting asks again while its first request is still being answered."""
    numbers = {world.job() for _ in range(4)}
    c = world.crawler()
    with ThreadPoolExecutor(8) as pool:
        tasks = [c.opened(answer.token) for answer in pool.map(lambda _: c.ask(), range(8)) if answer.token]
    assert len({task.job for task in tasks}) == 1
    [held] = {task.job for task in tasks}
    newest = max(task.attempt for task in tasks)
    assert world.row(held).attempt == newest
    assert len(world.announced_jobs()) == len(numbers) - 1


def test_a_job_whose_token_got_lost_is_given_again(world: World) -> None:
    number = world.job()
    c = world.crawler()
    first = c.take()  # and the answer never arrives
    again = c.take(jobs=[])
    assert (again.job, again.attempt, again.resume) == (number, 2, False)
    with pytest.raises(Declined) as caught:
        c.beat(first)
    assert lost(caught)
    assert world.attempts(number) == [(1, "taken-over"), (2, "")]


def test_a_heartbeat_extends_the_lease_and_brings_the_state_forward(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    soon = clock.now() + timedelta(seconds=5)
    world.change(sa.update(job).where(job.c.id == number).values(lease_until=soon))
    answer = c.beat(
        task, report={"objects": 7, "bytes": 70, "queued": 3, "queues_active": 2}, tail=["a line"]
    )
    assert answer.lease_until > clock.now() + timedelta(seconds=500)
    assert answer.lease_seconds == 600
    row = world.row(number)
    assert (row.state, row.objects, row.bytes) == ("started", 7, 70)
    assert row.report["tail"] == ["a line"]
    c.beat(task, Phase.UPLOADING)
    assert world.row(number).state == "uploading"
    c.beat(task, Phase.CRAWLING)
    assert world.row(number).state == "uploading"
    assert len(world.rows(sa.select(job_sample))) == 1  # some seconds apart
    c.beat(task, report={"name": "a\0b", "seconds": float("nan")})
    assert world.row(number).report["report"] == {"name": "a\ufffdb"}


@pytest.mark.parametrize("wrong", ["attempt", "collector", "late", "job"])
def test_whoever_does_not_hold_the_job_is_refused(world: World, wrong: str) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    task = c.take()
    if wrong == "attempt":
        task = task.model_copy(update={"attempt": 2})
    if wrong == "late":
        world.let_lease_end(number)
    if wrong == "job":
        task = task.model_copy(update={"job": number + 1})
    sender = other if wrong == "collector" else c
    before = world.row(number)
    for act in (sender.beat, sender.end):
        with pytest.raises(Declined) as caught:
            act(task)
        assert lost(caught)
    with pytest.raises(Declined) as caught:
        sender.give(task, A, b"late")
    assert lost(caught)
    assert world.row(number) == before


def test_a_lease_that_ends_gives_the_job_to_another(world: World) -> None:
    number = world.job()
    frozen, other = world.crawler(), world.crawler("c2")
    first = frozen.take()
    world.let_lease_end(number)
    second = other.take()  # it is not asked twice: asking for work is enough to notice
    assert (second.job, second.attempt, second.resume) == (number, 2, False)
    with pytest.raises(Declined) as caught:
        frozen.end(first, files=())
    assert lost(caught)
    held = Held(job=number, attempt=1)
    assert frozen.ask(held=[held]).abandon == (held,)
    assert other.end(second) == "done"
    assert world.attempts(number) == [(1, "expired"), (2, "done")]


def test_a_folder_goes_back_to_its_collector_as_the_next_attempt(world: World) -> None:
    number, urgent = world.job(), world.job(serves="selective", priority=50)
    c = world.crawler()
    tasks = [c.take(), c.take(jobs=[urgent])]
    assert [task.job for task in tasks] == [urgent, number]
    world.let_lease_end(number)
    world.leases.expire()
    assert world.row(number).state == "new"
    again = c.take(jobs=[urgent], held=[Held(job=number, attempt=1)], free=0)
    assert (again.job, again.attempt, again.resume) == (number, 2, True)


def test_several_folders_are_given_back_one_after_the_other(world: World) -> None:
    numbers = [world.job() for _ in range(3)]
    c = world.crawler()
    for place in range(3):
        c.take(jobs=numbers[:place])
    held = [Held(job=number, attempt=1) for number in numbers]
    given: list[int] = []
    for place in range(3):
        given.append(c.take(jobs=given, held=held[place:]).job)
    assert given == numbers
    assert c.ask(jobs=numbers).token is None


def test_folders_of_jobs_that_ended_or_never_were_are_held_in_vain(world: World) -> None:
    number = world.job()
    c = world.crawler()
    c.end(c.take())
    held = [Held(job=number, attempt=1), Held(job=999, attempt=1)]
    assert set(c.ask(held=held).abandon) == set(held)


def test_a_job_that_is_left_too_often_has_failed_and_operators_are_told(world: World) -> None:
    number = world.job()
    c = world.crawler()
    for attempt in range(1, world.settings.max_attempts + 1):
        assert c.take().attempt == attempt
        world.let_lease_end(number)
        assert world.leases.expire() == 1
    row = world.row(number)
    assert (row.state, row.lease_until) == ("failed", None)
    assert row.ended_at
    assert "lease" in row.error
    assert [end for _, end in world.attempts(number)] == ["expired"] * 5
    assert len(world.rows(sa.select(notification))) == 1
    assert c.ask().token is None


def test_a_job_that_kills_its_collector_at_once_does_not_do_so_for_ever(world: World) -> None:
    number = world.job()
    c = world.crawler()
    answers = [c.ask(jobs=[]) for _ in range(world.settings.max_attempts * LOST_ANSWERS + 2)]
    assert answers[-1].token is None
    assert world.row(number).state == "failed"


def test_restarts_of_a_collector_that_works_are_not_counted(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    for attempt in range(2, 12):
        c.beat(task)
        task = c.take(held=[Held(job=number, attempt=task.attempt)])
        assert task.attempt == attempt
    assert c.end(task) == "done"


def test_a_returned_job_is_free_at_once(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    task = c.take()
    assert c.end(task, EndKind.RETURNED) == "new"
    assert c.end(task, EndKind.RETURNED) == "new"  # the answer was lost
    assert other.take().job == number
    assert c.end(task, EndKind.RETURNED) == "submitted"


def test_a_failure_that_brought_nothing_is_tried_again_later(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    assert c.end(task, EndKind.FAILED, error="The disk broke.") == "new"
    assert c.ask().token is None
    row = world.row(number)
    assert clock.now() + timedelta(seconds=50) < row.not_before < clock.now() + timedelta(seconds=70)


def test_an_order_that_no_collector_can_use_is_not_tried_again(world: World) -> None:
    number = world.job()
    c = world.crawler()
    assert c.end(c.take(), EndKind.FAILED, error="The order cannot be used.", final=True) == "failed"
    assert world.row(number).error == "The order cannot be used."


def test_a_job_without_a_usable_order_fails_and_the_next_is_given(world: World) -> None:
    broken = world.job("a.example", order={"scope": {"kind": "no-such-kind"}})
    good = world.job("b.example")
    assert world.crawler().take().job == good
    row = world.row(broken)
    assert row.state == "failed"
    assert "scope.kind" in row.error


def test_commands_travel_down_once_and_their_answers_up(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    assert c.beat(task).beat_seconds == 10
    made = sa.insert(job_command).values(job=number, verb="pause", by="ada", created_at=clock.now())
    world.change(made)
    answer = c.beat(task)
    [command] = answer.commands
    assert (command.verb, answer.beat_seconds) == ("pause", 2)
    assert c.beat(task).commands == ()
    c.beat(task, answers=[{"id": command.id, "accepted": True, "answer": {"x": 1}}])
    [row] = world.rows(sa.select(job_command))
    assert (row.accepted, row.answer) == (True, {"x": 1})
    assert c.beat(task).beat_seconds == 10


def test_a_command_without_an_answer_is_sent_again(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    long_ago = clock.now() - timedelta(minutes=1)
    values = {"job": number, "verb": "pause", "created_at": long_ago, "sent_at": long_ago}
    world.change(sa.insert(job_command).values(**values))
    assert [command.verb for command in c.beat(task).commands] == ["pause"]


def test_nobody_answers_commands_of_another_job(world: World) -> None:
    numbers = [world.job(), world.job()]
    c = world.crawler()
    tasks = [c.take(), c.take(jobs=[numbers[0]])]
    world.change(sa.insert(job_command).values(job=numbers[0], verb="pause", created_at=clock.now()))
    [command] = c.beat(tasks[0]).commands
    c.beat(tasks[1], answers=[{"id": command.id, "accepted": True}])
    assert world.rows(sa.select(job_command))[0].answered_at is None


def test_a_job_that_takes_too_many_days_is_told_to_end_once(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    long_ago = clock.now() - timedelta(days=8)
    world.change(sa.update(job_attempt).where(job_attempt.c.job == number).values(leased_at=long_ago))
    assert [command.verb for command in c.beat(task).commands] == ["terminate"]
    assert c.beat(task).commands == ()
    assert len(world.rows(sa.select(job_command))) == 1


def test_news_come_faster_while_somebody_looks(world: World) -> None:
    number = world.job()
    c = world.crawler()
    task = c.take()
    world.change(sa.update(job).where(job.c.id == number).values(watched_at=clock.now()))
    assert c.beat(task).beat_seconds == 2


def test_a_revoked_collector_leaves_its_jobs_to_others_at_once(world: World) -> None:
    number = world.job()
    c, other = world.crawler(), world.crawler("c2")
    c.take()
    world.collectors.revoke(SYSTEM, c.collector.id)
    assert other.take().job == number
    assert [(one.name, one.state) for one in Processes(world.database).current()] == [
        ("c2", ProcessState.RUNNING),
        ("c1", ProcessState.ENDED),
    ]


def test_the_last_slot_is_kept_for_channels_of_higher_priority(world: World) -> None:
    broad, other = world.job(serves="broad"), world.job(serves="broad")
    crawler = world.crawler(channels=["selective", "broad"])
    assert crawler.take(free=2).job == broad
    answer = crawler.ask(free=1, jobs=[broad])
    assert answer.token is None
    assert "higher priority" in answer.reason
    selective = world.job(serves="selective")
    assert crawler.take(free=1, jobs=[broad]).job == selective
    assert crawler.take(free=2, jobs=[broad, selective]).job == other


def test_a_collector_for_one_channel_uses_all_its_slots(world: World) -> None:
    jobs = [world.job(serves="broad"), world.job(serves="broad")]
    crawler = world.crawler(channels=["broad"])
    assert [crawler.take(free=2).job, crawler.take(free=1, jobs=jobs[:1]).job] == jobs


def test_files_that_are_not_taken_reach_the_operators_once(world: World) -> None:
    c, jobs = world.crawler(), [world.job(), world.job()]
    for task in (c.take(), c.take(jobs=jobs[:1])):
        for _ in range(2):
            c.beat(task, report={"upload_trouble": "The server does not answer as it should (413)."})
    [told] = world.rows(sa.select(notification))
    assert (told.key, told.repeats) == ("collector.unsent.c1", 0)
    assert "(413)" in str(told.text)


def test_the_order_of_a_job_names_its_harvest(world: World) -> None:
    earlier = world.job("a.example", state="done", files=2)
    world.job("other.example", state="done", files=1)
    number = world.job("b.example")
    [(shared,)] = world.rows(sa.select(domain.c.id).where(domain.c.name == "a.example"))
    again = {"configuration": 1, "domain": shared, "estimate": 1, "limited_by": "--"}
    world.change(sa.insert(job_configuration).values(job=number, **again))
    twin, _ = world.domain("twin.example")
    old, _ = world.domain("old.example")
    for alias, since in ((twin, clock.now()), (old, clock.now() - timedelta(days=4000))):
        values = {"alias_of": shared, "alias_since": since}
        world.change(sa.update(domain).where(domain.c.id == alias).values(**values))
    named = {"name": "elections", "harvests": [1], "active": True, "created_at": clock.now()}
    world.change(sa.insert(index_collection).values(**named))
    world.change(sa.insert(index_collection).values(**{**named, "name": "harvest-1"}))
    chosen = {"id": 7, "name": "Public life", "active": True, "created_at": clock.now()}
    world.change(sa.insert(collection).values(**chosen))
    world.change(sa.insert(target).values(collection=7, frequency="weekly", harvest=1, automatic=True))
    leases = Leases(
        world.database,
        world.house.vault,
        world.settings,
        world.house.notifier,
        collections_of=collections_of,
    )
    world.leases = leases
    harvest = world.crawler().take().order.harvest
    assert (harvest.definition, harvest.name, harvest.run, harvest.job) == (1, "harvest", 1, number)
    assert (harvest.channel, harvest.kind) == ("selective", "selective")
    assert harvest.collections == ("Public life", "elections")
    assert harvest.aliases == {"twin.example": "a.example"}
    assert harvest.duplicate_jobs == (earlier,)
    assert harvest.profile
