"""A generation that is interrupted, killed or done by two at once makes every job exactly once."""

import os
import signal
import subprocess
import sys
import time

import pytest
import sqlalchemy as sa

from armarium.db.database import Database
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.domains import configuration, domain, seed_list
from armarium.planning.tables.jobs import job
from armarium.tasks.failure import TaskStopped
from bench.planning.generation import make_run, make_world
from tests import forked
from tests.integration.planning.generation.world import World


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


def check_exactly_once(world: World, run: int, domains: int) -> None:
    """20,000 domains as the bench makes them: every one that should be is in one job, and in its order."""
    ended = world.run_row(run)
    assert ended.state == "generated"
    wanted = sa.select(configuration.c.id).join(domain, domain.c.default_configuration == configuration.c.id)
    wanted = wanted.join(seed_list, seed_list.c.id == configuration.c.id)
    wanted = wanted.where(domain.c.active, domain.c.alias_of.is_(None), seed_list.c.seeds.like("http%"))
    with world.database.transaction() as connection:
        expected = sorted(connection.scalars(wanted))
    assert [row.configuration for row in world.members(run)] == expected
    assert ended.configurations == len(expected)
    assert ended.configurations + sum(ended.left_out.values()) == domains
    jobs = world.jobs(run)
    assert ended.jobs == len(jobs)
    assert {made.state for made in jobs} == {"new"}
    assert sum(made.configurations for made in jobs) == len(expected)
    tags = [seed.tag for made in jobs for seed in world.order(made.id).seeds]
    assert len(tags) == 2 * len(expected)
    assert len(set(tags)) == len(expected)


@pytest.fixture
def prepared(world: World, request: pytest.FixtureRequest) -> tuple[World, int, int]:
    domains = getattr(request, "param", 3000)
    with world.database.transaction() as connection:
        number = make_world(connection, domains)
        return world, make_run(connection, number), domains


@pytest.mark.parametrize("prepared", [20_000], indirect=True)
def test_20_000_domains_are_each_in_exactly_one_job(prepared: tuple[World, int, int]) -> None:
    world, run, domains = prepared
    world.generator.generate(run)

    check_exactly_once(world, run, domains)
    limits = world.settings
    for made in world.jobs(run):
        assert made.configurations <= limits.max_configurations
        assert made.estimate <= limits.max_total_size or made.configurations == 1
        assert made.largest - made.smallest <= 2000 or made.largest <= 100 * max(made.smallest, 1)


def test_a_generation_stopped_between_chunks_goes_on_where_it_was(prepared: tuple[World, int, int]) -> None:
    world, run, domains = prepared
    world.settings = PlanningSettings(chunk_size=200)
    stops = 0
    while world.run_row(run).state == "generating":
        try:
            world.generator.generate(run, stopping=lambda: True)
        except TaskStopped:
            stops += 1
            assert {made.state for made in world.jobs(run)} <= {"planned"}  # nobody may take one yet

    assert stops == domains // 200
    check_exactly_once(world, run, domains)


def test_chunks_do_not_change_how_many_jobs_there_are(prepared: tuple[World, int, int]) -> None:
    world, run, _ = prepared
    at_once = world.generator.preview(world.run_row(run).harvest)
    world.settings = PlanningSettings(chunk_size=100)
    world.generator.generate(run)

    assert len(world.jobs(run)) <= at_once.job_count + 3


def test_to_generate_a_run_again_changes_nothing(prepared: tuple[World, int, int]) -> None:
    world, run, domains = prepared
    world.generator.generate(run)
    world.generator.generate(run)

    check_exactly_once(world, run, domains)


IN_CHUNKS = """
import sys
from armarium.db.database import Database
from armarium.planning.generation.service import Generator
from armarium.planning.settings import PlanningSettings
def told():
    print("a chunk is done", flush=True)
    return False
database = Database(sys.argv[1], application="generating")
Generator(database, PlanningSettings(chunk_size=300)).generate(int(sys.argv[2]), told)
"""


def test_a_generation_killed_again_and_again_makes_every_job_once(
    prepared: tuple[World, int, int], database_url: str
) -> None:
    world, run, domains = prepared
    command = [sys.executable, "-c", IN_CHUNKS, database_url, str(run)]
    kills = 0
    while world.run_row(run).state == "generating":
        with forked.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            for _ in range(kills % 3 + 1):
                process.stdout.readline()
            time.sleep(0.01 * (kills % 4))  # somewhere in the next chunk, each time elsewhere
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1

    assert kills > 1
    check_exactly_once(world, run, domains)


def test_two_at_once_make_every_job_once(prepared: tuple[World, int, int], database_url: str) -> None:
    world, run, domains = prepared
    command = [sys.executable, "-c", IN_CHUNKS, database_url, str(run)]
    both = [forked.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]

    assert [process.wait(60) for process in both] == [0, 0]
    check_exactly_once(world, run, domains)


def test_the_preview_is_what_the_generation_makes_and_writes_nothing(
    prepared: tuple[World, int, int],
) -> None:
    world, run, _ = prepared
    number = world.run_row(run).harvest
    plan = world.generator.preview(number, most_jobs=10_000)
    assert world.value(sa.select(sa.func.count()).select_from(job)) == 0

    world.generator.generate(run)

    made = world.jobs(run)
    assert [(one.configurations, one.objects, one.smallest, one.largest, one.split) for one in plan.jobs] == [
        (one.configurations, one.estimate, one.smallest, one.largest, one.split) for one in made
    ]
    assert plan.left_out == world.run_row(run).left_out
    assert plan.before is None
