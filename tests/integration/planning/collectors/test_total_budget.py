"""The total budget of a run: what its jobs are given, what they are told, and what people see of it."""

from typing import Any

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.core.collecting import BUDGET_SPENT, Command, Phase, TaskOrder
from armarium.core.errors import Refused
from armarium.planning.budgets import Share, share_out
from armarium.planning.jobs import page_queries
from armarium.planning.jobs.contexts import shown_command
from armarium.planning.tables.harvests import harvest, harvest_run
from armarium.planning.tables.jobs import job_command, job_share
from tests.integration.planning.collectors.test_endings import best, history
from tests.integration.planning.collectors.world import Crawler, World, result


def budgeted(world: World, *, objects: int | None = None, size: int | None = None) -> tuple[int, int]:
    """Two jobs of which the same is expected."""
    jobs = world.job("a.example", estimate=10), world.job("b.example", estimate=10)
    total = {"total_objects": objects, "total_bytes": size}
    world.change(sa.update(harvest).values(**total))
    world.change(sa.update(harvest_run).values(**total))
    with world.database.transaction() as connection:
        for run in connection.scalars(sa.select(harvest_run.c.id)).all():
            share_out(connection, run)
    return jobs


def beaten(
    machine: Crawler, task: TaskOrder, share: Share, **report: Any
) -> list[tuple[str, dict[str, Any]]]:
    """What a crawl that knows of this share is told; it does it at once."""
    facts = {"share_objects": share.objects, "share_bytes": share.bytes, "waits_for_budget": False, **report}
    commands: tuple[Command, ...] = machine.beat(task, report=facts).commands
    done = [{"id": command.id, "accepted": True, "answer": {}} for command in commands]
    if done:
        machine.beat(task, report=facts, answers=done)
    return [(command.verb, dict(command.arguments)) for command in commands]


def more(objects: int) -> tuple[str, dict[str, Any]]:
    return "budget", {"share": {"objects": objects, "bytes": None}}


END = ("terminate", {"why": "budget"})


def test_jobs_begin_with_their_shares(world: World) -> None:
    budgeted(world, objects=101, size=3000)
    machine = world.crawler()
    limits = [machine.take(free=2).order.limits.share, machine.take(free=1, jobs=(1,)).order.limits.share]
    assert [(one.max_objects, one.max_bytes) for one in limits] == [(50, 1500), (51, 1500)]


def test_without_a_budget_nothing_is_shared(world: World) -> None:
    world.job("a.example")
    machine = world.crawler()
    task = machine.take()
    assert task.order.limits.share.max_objects is None
    assert beaten(machine, task, Share()) == []
    assert world.rows(sa.select(job_share)) == []


def test_what_one_job_leaves_over_another_may_take_and_no_more(world: World) -> None:
    budgeted(world, objects=100)
    one, two = world.crawler("one"), world.crawler("two")
    first, second = one.take(), two.take()
    full = {"objects": 50, "waits_for_budget": True}

    assert beaten(one, first, Share(50), **full) == [], "the other one may leave something over"
    two.finish(second, result("b.example", 20, 200), outcome="Finished")
    assert beaten(one, first, Share(50), **full) == [more(80)]
    assert beaten(one, first, Share(80), objects=80, waits_for_budget=True) == [END]
    with world.database.transaction() as connection:
        commands = page_queries.commands(connection, first.job, 9)
    shown = [shown_command(command) for command in commands]
    assert [str(one["answer"].text) for one in shown] == [
        "Ending: the total budget of the run is used up.",
        "Continues with a larger share of the total budget.",
    ]
    assert [[(str(name), value) for name, value in one["told"]] for one in shown] == [[], [("Objects", "80")]]

    machine_end = one.finish(first, result("a.example", 80, 800, "crawl-ended"), outcome=BUDGET_SPENT)
    assert machine_end == "done"
    assert history(world, first.job)["a.example"] == (80, 800, "total-budget")
    assert best(world, "a.example") == (80, 800, False), "it has at least so much"
    run = world.house.harvests.run(1, 1)
    assert (run.objects, run.total_objects, run.left_objects, run.cut_off) == (100, 100, 0, 1)


def test_a_job_that_waits_for_nothing_gives_its_slot_to_the_next_one(world: World) -> None:
    budgeted(world, objects=100)
    machine = world.crawler()
    task = machine.take()
    assert beaten(machine, task, Share(50), objects=50, waits_for_budget=True) == [END]


def test_a_larger_budget_reaches_jobs_that_run_and_those_that_wait(world: World) -> None:
    jobs = budgeted(world, objects=100, size=1000)
    machine = world.crawler()
    task = machine.take()
    world.house.harvests.raise_budget(SYSTEM, 1, 1, Share(150))

    told = ("budget", {"share": {"objects": 75, "bytes": 500}})
    assert beaten(machine, task, Share(50, 500), objects=50, waits_for_budget=True) == [told]
    kept = world.rows(sa.select(job_share.c.objects, job_share.c.bytes).order_by(job_share.c.job))
    assert [tuple(row) for row in kept] == [(75, 500), (75, 500)]
    assert len(jobs) == 2
    run, defined = world.house.harvests.run(1, 1), world.house.harvests.get(1)
    assert (run.total_objects, run.total_bytes) == (150, 1000)
    assert defined.total_objects == 100, "later runs have what the harvest says"


@pytest.mark.parametrize(("wanted", "field"), [(Share(99), "total_objects"), (Share(None, 9), "total_bytes")])
def test_a_budget_is_raised_and_nothing_else(world: World, wanted: Share, field: str) -> None:
    budgeted(world, objects=100)
    with pytest.raises(Refused) as refused:
        world.house.harvests.raise_budget(SYSTEM, 1, 1, wanted)
    assert refused.value.field == field


def test_a_crawl_that_begins_anew_begins_with_the_share_of_now(world: World) -> None:
    budgeted(world, objects=100)
    machine = world.crawler()
    task = machine.take()
    world.house.harvests.raise_budget(SYSTEM, 1, 1, Share(200))
    assert beaten(machine, task, Share(50)) == [more(100)]
    again = machine.take()  # it names neither job nor folder: both are lost
    assert again.order.limits.share.max_objects == 100
    assert (again.job, again.attempt, again.resume) == (task.job, 2, False)
    assert machine.world.rows(sa.select(job_command).where(job_command.c.answered_at.is_(None))) == []


def test_a_job_that_is_made_again_has_what_is_left(world: World) -> None:
    first, _ = budgeted(world, objects=100)
    machine = world.crawler()
    task = machine.take()
    machine.beat(task, Phase.CRAWLING, report={"objects": 30, "waits_for_budget": False})
    world.change(sa.text("UPDATE job SET state = 'failed', ended_at = now() WHERE id = 1"))
    [made] = world.house.jobs.resubmit(SYSTEM, [first], current=False).made
    tasks = [world.crawler(name).take() for name in ("two", "three")]
    shares = {task.job: task.order.limits.share.max_objects for task in tasks}
    assert shares == {2: 50, made: 50}
