"""Who gets a job and who is left out, each with a counted reason."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.planning.model import StopReason
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.domains import configuration, domain
from armarium.planning.tables.jobs import job_configuration
from tests.integration.planning.generation.world import World


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


def names(world: World, run: int) -> set[str]:
    members = [row.domain for row in world.members(run)]
    with world.database.transaction() as connection:
        return set(connection.scalars(sa.select(domain.c.name).where(domain.c.id.in_(members))))


def test_a_broad_harvest_takes_every_domain_but_those_it_counts_as_left_out(world: World) -> None:
    main = world.owner(world.domain("main.example"))
    world.domain("alias.example", alias_of=main, alias_since=clock.now() - timedelta(days=364))
    world.domain("expired-alias.example", alias_of=main, alias_since=clock.now() - timedelta(days=366))
    world.domain("off.example", active=False)
    world.domain("event.example", broad=False)
    world.domain("only-comments.example", seeds="# http://a.example/\n\n   \n")
    world.domain("nothing-allowed.example", max_bytes=0)
    bare = world.domain("bare.example")
    world.change(sa.update(domain).where(domain.c.id == world.owner(bare)).values(default_configuration=None))

    run = world.generated(world.harvest("broad", "broad"))

    assert names(world, run) == {"main.example", "expired-alias.example"}
    assert world.run_row(run).left_out == {
        "alias": 1,
        "inactive": 1,
        "not-broad": 1,
        "no-seeds": 1,
        "zero-budget": 1,
        "no-configuration": 1,
    }


def test_zero_budgets_are_kept_if_the_settings_say_so(database: Database) -> None:
    world = World(database, PlanningSettings(skip_zero_budgets=False))
    world.domain("nothing-allowed.example", max_objects=0)

    run = world.generated(world.harvest("broad", "broad"))

    assert [row.estimate for row in world.members(run)] == [0]


def test_a_selective_harvest_takes_its_own_configurations_aliases_too(world: World) -> None:
    first = world.domain("first.example")
    alias = world.domain("alias.example", alias_of=world.owner(first), alias_since=clock.now())
    world.domain("not-asked-for.example")
    off = world.domain("off.example")
    world.change(sa.update(configuration).where(configuration.c.id == off).values(active=False))

    run = world.generated(world.harvest("weekly", "selective", (first, alias, off)))

    assert names(world, run) == {"first.example", "alias.example"}
    assert world.run_row(run).left_out == {"inactive": 1}


def test_two_configurations_of_one_domain_get_two_jobs(world: World) -> None:
    first = world.domain("first.example")
    second = world.configuration(world.owner(first), "news", seeds="http://first.example/news/")
    other = world.domain("other.example")

    run = world.generated(world.harvest("daily", "selective", (first, second, other)))

    by_job = sorted(job.configurations for job in world.jobs(run))
    assert by_job == [1, 2]
    assert len({(row.job, row.domain) for row in world.members(run)}) == 3


# --- continuations


def stopped(world: World, number: int, reason: str | None, objects: int = 100, size: int = 5000) -> None:
    """What the first harvest brought for a configuration."""
    results = sa.update(job_configuration).where(job_configuration.c.configuration == number)
    world.change(results.values(stop_reason=reason, objects=objects, bytes=size))


@pytest.mark.parametrize(
    ("reason", "limits", "left_out"),
    [
        (StopReason.COMPLETE, {}, "finished"),
        (StopReason.UNFINISHED, {}, None),
        (StopReason.UNREACHABLE, {}, "finished"),
        (StopReason.BLOCKED, {}, "finished"),
        (None, {}, "no-result"),
        (StopReason.SIZE_LIMIT, {}, None),
        (StopReason.OBJECT_LIMIT, {}, None),
        (StopReason.TIME_LIMIT, {}, None),
        (StopReason.CONFIGURATION_SIZE_LIMIT, {"max_bytes": 5000}, "not-raised"),
        (StopReason.CONFIGURATION_SIZE_LIMIT, {"max_bytes": 5001}, None),
        (StopReason.CONFIGURATION_SIZE_LIMIT, {"max_bytes": None}, None),
        (StopReason.CONFIGURATION_OBJECT_LIMIT, {"max_objects": 100}, "not-raised"),
        (StopReason.CONFIGURATION_OBJECT_LIMIT, {"max_objects": 101}, None),
    ],
)
def test_a_continuation_takes_what_was_cut_short_if_more_may_be_taken(
    world: World, reason: StopReason | None, limits: dict[str, int | None], left_out: str | None
) -> None:
    number = world.domain("site.example")
    first = world.harvest("stage 1", "broad", max_bytes=5000)
    world.generated(first)
    stopped(world, number, reason)
    if limits:
        world.change(sa.update(configuration).where(configuration.c.id == number).values(limits))
    world.domain("new.example")

    run = world.generated(world.harvest("stage 2", "broad", previous=first))

    expected = {"not-before": 1} | ({left_out: 1} if left_out else {})
    assert world.run_row(run).left_out == expected
    assert names(world, run) == (set() if left_out else {"site.example"})


@pytest.mark.parametrize("reason", [StopReason.SIZE_LIMIT, StopReason.CONFIGURATION_SIZE_LIMIT])
def test_a_continuation_leaves_out_what_has_become_an_alias(world: World, reason: StopReason) -> None:
    # NetarchiveSuite does not ask where the limit of the configuration stopped the harvest.
    main, number = world.domain("main.example"), world.domain("alias.example")
    first = world.harvest("stage 1", "broad")
    world.generated(first)
    stopped(world, number, reason)
    became = {"alias_of": world.owner(main), "alias_since": clock.now()}
    world.change(sa.update(domain).where(domain.c.id == world.owner(number)).values(became))

    run = world.generated(world.harvest("stage 2", "broad", previous=first))

    assert world.run_row(run).left_out == {"alias": 1, "no-result": 1}


def test_a_continuation_uses_the_default_configuration_where_the_old_one_is_gone(world: World) -> None:
    number = world.domain("site.example")
    first = world.harvest("stage 1", "broad")
    world.generated(first)
    stopped(world, number, StopReason.SIZE_LIMIT)
    owner = world.owner(number)
    another = world.configuration(owner, "another", seeds="http://site.example/")
    world.change(
        sa.update(configuration).where(configuration.c.id == number).values(active=False),
        sa.update(domain).where(domain.c.id == owner).values(default_configuration=another),
    )

    run = world.generated(world.harvest("stage 2", "broad", previous=first))

    assert [row.configuration for row in world.members(run)] == [another]


def test_a_job_made_again_counts_by_its_last_result(world: World) -> None:
    number = world.domain("site.example")
    first = world.harvest("stage 1", "broad")
    run = world.generated(first)
    stopped(world, number, StopReason.SIZE_LIMIT)
    with world.database.transaction() as connection:
        again = world.generator.remake(connection, SYSTEM, world.jobs(run)[0].id)
    later = sa.update(job_configuration).where(job_configuration.c.job == again)
    world.change(later.values(stop_reason=StopReason.COMPLETE, objects=1, bytes=1))

    second = world.generated(world.harvest("stage 2", "broad", previous=first))

    assert world.run_row(second).left_out == {"finished": 1}
