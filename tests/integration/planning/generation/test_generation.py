"""Jobs and their frozen orders, what becomes of a plan that is wrong, and jobs made again."""

import pytest
import sqlalchemy as sa

from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core.actor import SYSTEM
from armarium.core.crawl_order import Budget
from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.planning.generation.filling import Rules
from armarium.planning.generation.plan import Source
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.domains import configuration, credential, domain, seed_list, trap_list
from armarium.planning.tables.harvests import harvest, harvest_run
from armarium.planning.tables.jobs import job_share
from tests.integration.planning.generation.world import World


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


def test_an_order_has_each_domains_own_limits_and_the_traps_of_three_layers(world: World) -> None:
    with world.database.transaction() as connection:
        connection.execute(sa.insert(trap_list).values(name="shops", expressions=["/cart/"]))
        connection.execute(sa.insert(trap_list).values(name="old", expressions=["/old/"], active=False))
    first = world.domain("first.example", max_objects=50, max_bytes=1000, traps=["/calendar/"])
    second = world.domain("second.example", seeds="http://second.example/\nhttp://www.second.example/")
    number = world.harvest(
        "weekly", "selective", (first, second), max_bytes=9000, max_seconds=60, traps=["/print/"]
    )

    [made] = world.jobs(world.generated(number))
    order = world.order(made.id)

    assert [(seed.url, seed.tag) for seed in order.seeds] == [
        ("http://second.example/", "second.example"),
        ("http://www.second.example/", "second.example"),
        ("http://first.example/", "first.example"),
    ]
    assert order.queues.by == "domain"
    assert order.limits.sources == {
        "first.example": Budget(max_objects=50, max_bytes=1000),
        "second.example": Budget(max_objects=None, max_bytes=9000),
    }
    assert order.queues.max_bytes == 9000
    assert order.scope.reject[-2:] == ("/cart/", "/print/")
    assert "/old/" not in order.scope.reject
    assert order.scope.traps == {"first.example": ("/calendar/",)}
    assert order.limits.max_seconds == 60
    assert order.name == f"job-{made.id}"
    assert order.recording.values["prefix"] == f"{made.id}-{number}"
    assert order.scope.kind == "domain"


def test_a_job_knows_its_figures_and_whose_limits_hold(world: World) -> None:
    tight = world.domain("tight.example", max_objects=50, max_bytes=1000)
    wide = world.domain("wide.example", max_bytes=10_000)
    run = world.generated(world.harvest("weekly", "selective", (tight, wide), max_bytes=9000))

    [made] = world.jobs(run)
    assert (made.state, made.configurations, made.attempt) == ("new", 2, 0)
    rows = {row.configuration: row for row in world.members(run)}
    assert (rows[tight].max_objects, rows[tight].max_bytes, rows[tight].limited_by) == (50, 1000, "cc")
    assert (rows[wide].max_objects, rows[wide].max_bytes, rows[wide].limited_by) == (None, 9000, "-h")
    estimates = [row.estimate for row in rows.values()]
    assert (made.estimate, made.smallest, made.largest) == (sum(estimates), min(estimates), max(estimates))
    ended = world.run_row(run)
    assert (ended.state, ended.jobs, ended.configurations, ended.cursor) == ("generated", 1, 2, {})


def test_profile_and_overrides_of_a_configuration_are_in_the_order(world: World) -> None:
    plain = world.domain("plain.example", profile=world.profile("page+1"))
    deep = world.domain("deep.example", profile=world.profile("page+1"), overrides={"scope": {"max_hops": 3}})
    run = world.generated(world.harvest("weekly", "selective", (plain, deep)))

    orders = [world.order(made.id) for made in world.jobs(run)]
    assert {order.scope.max_hops for order in orders} == {3, 20}
    assert {order.scope.page_hops for order in orders} == {1}


def test_the_settings_say_who_harvests_and_how_files_begin(database: Database) -> None:
    settings = PlanningSettings(operator="Library", contact="https://library.example/bot", file_prefix="LIB")
    world = World(database, settings)
    number = world.harvest("weekly", "selective", (world.domain("a.example"),))

    [made] = world.jobs(world.generated(number))
    order = world.order(made.id)
    assert (order.identity.operator, order.identity.contact) == ("Library", "https://library.example/bot")
    assert order.recording.values["prefix"] == f"LIB-{made.id}-{number}"


def test_credentials_are_never_in_a_frozen_order(world: World) -> None:
    number = world.domain("closed.example")
    with world.database.transaction() as connection:
        values = {"domain": world.owner(number), "kind": "basic", "secret": b"x", "created_at": sa.func.now()}
        connection.execute(sa.insert(credential).values(values))

    [made] = world.jobs(world.generated(world.harvest("weekly", "selective", (number,))))
    assert world.order(made.id).fetching.credentials == ()


# --- failures


def test_a_plan_that_gives_no_order_deactivates_the_harvest_and_leaves_no_job(world: World) -> None:
    good = world.domain("a-good.example")
    bad = world.domain("bad.example", overrides={"scope": {"max_hops": "many"}})
    world.settings = PlanningSettings(chunk_size=1)  # the good one has its job already
    number = world.harvest("weekly", "selective", (good, bad))
    run = world.generated(number)

    assert world.run_row(run).state == "failed"
    assert "scope.max_hops" in world.run_row(run).error
    assert {made.state for made in world.jobs(run)} == {"cancelled"}
    with world.database.transaction() as connection:
        kept = connection.execute(sa.select(harvest).where(harvest.c.id == number)).one()
    assert not kept.active
    assert "scope.max_hops" in kept.trouble
    entries, _ = Audit(world.database).page(Question(object_kind="harvest", object_id=str(number)), limit=5)
    assert [entry.action for entry in entries] == ["harvest.generation_failed"]


def test_a_run_without_any_domain_ends_without_jobs(world: World) -> None:
    run = world.generated(world.harvest("weekly", "selective"))

    assert (world.run_row(run).state, world.jobs(run)) == ("generated", [])


# --- made again


def test_a_job_made_again_has_the_seeds_limits_and_traps_of_today(world: World) -> None:
    number = world.domain("a.example", max_bytes=10)
    run = world.generated(world.harvest("weekly", "selective", (number,)))
    [old] = world.jobs(run)
    owner = world.owner(number)
    world.change(
        sa.update(seed_list).where(seed_list.c.domain == owner).values(seeds="http://new.a.example/"),
        sa.update(configuration).where(configuration.c.id == number).values(max_bytes=20),
        sa.update(domain).where(domain.c.id == owner).values(traps=["/new/"]),
    )

    with world.database.transaction() as connection:
        made = world.generator.remake(connection, SYSTEM, old.id)

    order = world.order(made)
    assert [seed.url for seed in order.seeds] == ["http://new.a.example/"]
    assert order.limits.sources["a.example"].max_bytes == 20
    assert order.scope.traps == {"a.example": ("/new/",)}
    assert world.order(old.id).scope.traps == {}
    again = world.jobs(run)[-1]
    assert (again.id, again.state, again.resubmission_of) == (made, "new", old.id)


def test_a_job_of_which_nothing_is_left_is_not_made_again(world: World) -> None:
    number = world.domain("a.example")
    [old] = world.jobs(world.generated(world.harvest("weekly", "selective", (number,))))
    world.change(sa.update(domain).values(active=False))

    with pytest.raises(Refused, match="Nothing is left"), world.database.transaction() as connection:
        world.generator.remake(connection, SYSTEM, old.id)


def test_a_job_whose_configurations_went_apart_is_not_made_again(world: World) -> None:
    first, second = world.domain("a.example"), world.domain("b.example")
    [old] = world.jobs(world.generated(world.harvest("weekly", "selective", (first, second))))
    other = sa.update(configuration).where(configuration.c.id == second)
    world.change(other.values(profile=world.profile("page")))

    with pytest.raises(Refused, match="no longer share"), world.database.transaction() as connection:
        world.generator.remake(connection, SYSTEM, old.id)


# --- the preview


def test_the_preview_compares_with_the_last_run(world: World) -> None:
    number = world.harvest("weekly", "selective", (world.domain("a.example"),))
    world.generated(number)
    world.generated(number, 2)
    world.change(sa.update(harvest_run).where(harvest_run.c.number == 1).values(jobs=99))

    before = world.generator.preview(number).before
    assert before is not None
    assert (before.number, before.jobs, before.configurations, before.objects) == (2, 1, 1, 5000)


def test_the_preview_of_jobs_knows_their_hours(world: World) -> None:
    """5000 objects of one domain, with the pause of the profile between them, cut at the time of a job."""
    number = world.harvest("weekly", "selective", (world.domain("a.example"),))
    assert world.generator.preview(number).seconds >= 5000 * 3

    world.change(sa.update(harvest).values(max_seconds=3600))
    assert world.generator.preview(number).seconds == 3600


def test_why_a_job_was_closed_is_kept_although_nothing_was_added_to_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Source, "rules", lambda _: Rules(most_open=1))
    world.settings = PlanningSettings(chunk_size=1)
    members = (world.domain("a.test"), world.domain("b.test", profile=world.profile("host")))
    run = world.generated(world.harvest("press", "selective", members))
    assert [made.split for made in world.jobs(run)] == ["open", "end"]


def test_jobs_share_the_total_budget_of_their_run_by_what_is_expected(world: World) -> None:
    whole = world.domain("whole.example", best_objects=300, best_bytes=3000, best_complete=True)
    page = world.domain("page.example", max_objects=110, profile=world.profile("page+1"))
    number = world.harvest("weekly", "selective", (whole, page))
    run = world.run(number)
    world.change(sa.update(harvest_run).values(total_objects=1000))

    world.generator.generate(run)

    estimates = [made.estimate for made in world.jobs(run)]
    with world.database.transaction() as connection:
        shares = connection.execute(sa.select(job_share).order_by(job_share.c.job)).all()
    assert sum(share.objects for share in shares) == 1000
    expected = [1000 * estimate // sum(estimates) for estimate in estimates]
    assert [share.objects for share in shares] == pytest.approx(expected, abs=1)
    assert {share.bytes for share in shares} == {None}
