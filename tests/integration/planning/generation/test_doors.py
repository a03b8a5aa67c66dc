"""The preview and the generation through page, API, command and task."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from armarium.accounts.model import Role
from armarium.cli.main import app
from armarium.db.database import Database
from armarium.planning import tasks
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.harvests import harvest_run
from armarium.tasks.context import TaskContext
from armarium.tasks.model import TaskState, Wanted
from tests.integration.planning.generation.world import World
from tests.integration.web.steps import enter, execute
from tests.site import RunningSite, running_site


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path) as running:
        yield running


@pytest.fixture
def wary_site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    """On which every harvest counts as a large one."""
    with running_site(database, tmp_path, ARMARIUM_PLANNING_PREVIEW_AT_ONCE="0") as running:
        yield running


def weekly(world: World) -> int:
    members = (
        world.domain("first.example"),
        world.domain("second.example"),
        world.domain("no.example", seeds="#"),
    )
    return world.harvest("weekly", "selective", members)


def work(site: RunningSite) -> None:
    """What a worker would do with the tasks of generation that wait."""
    services = site.house.services()
    waiting, _ = site.house.tasks.page(Wanted(state=TaskState.WAITING), limit=50)
    for task in waiting:
        if task.name.startswith("planning."):
            run = site.house.tasks.kinds[task.name].run
            run(TaskContext(task.id, task.name, 1, services=services), **task.arguments)


def test_the_page_says_which_jobs_would_be_made_and_what_is_left_out(site: RunningSite, world: World) -> None:
    number = weekly(world)
    page = enter(site, "ada", Role.CURATOR).get(f"/planning/harvests/{number}/preview")

    assert page.status_code == 200
    for words in (
        "first.example, second.example",
        "It has no seed.",
        "10,000",
        "Run now",
        "There are no earlier results",
    ):
        assert words in page.text


def test_what_was_expected_and_what_came_stand_beside_each_other(site: RunningSite, world: World) -> None:
    number = weekly(world)
    ada = enter(site, "ada", Role.CURATOR)
    address = f"/planning/harvests/{number}/preview"
    for brought in (324, 15_000):
        ada.submit(f"{address}/generate")
        work(site)
        execute(
            site, "UPDATE job SET state = 'done', objects = :brought WHERE state <> 'done'", brought=brought
        )
    page = ada.get(address).text

    past = ada.get(f"{address}?csv=past").text.splitlines()
    assert past == [",Brought,Expected", "Run 1,324,10000", "Run 2,15000,10000"]
    assert "10,000 to 15,000 objects" in page  # the first run was planned by guesses
    plan = ada.get(f"/api/harvests/{number}/preview").json()["plan"]
    assert plan["likely"] == [10_000, 15_000]
    assert plan["past"][1] == {"number": 1, "expected": 10_000, "brought": 324}


def test_who_may_only_look_has_no_button(site: RunningSite, world: World) -> None:
    number = weekly(world)
    reader = enter(site, "bob", Role.LIBRARIAN)

    assert "Run now" not in reader.get(f"/planning/harvests/{number}/preview").text
    assert reader.submit(f"/planning/harvests/{number}/preview/generate").status_code == 403


def test_the_button_makes_a_run_and_the_page_shows_how_far_it_is(site: RunningSite, world: World) -> None:
    number = weekly(world)
    ada = enter(site, "ada", Role.CURATOR)
    address = f"/planning/harvests/{number}/preview"

    assert ada.submit(f"{address}/generate").status_code == 303
    assert "Run 1 is being created" in ada.get(address, headers={"X-Part": "1"}).text
    work(site)
    after = ada.get(address).text
    assert "is being created" not in after
    assert "last run: " in after
    [run] = [row.id for row in world_runs(world, number)]
    assert [job.state for job in world.jobs(run)] == ["new"]


def world_runs(world: World, number: int) -> list[sa.Row[tuple[int]]]:
    with world.database.transaction() as connection:
        return list(connection.execute(sa.select(harvest_run.c.id).where(harvest_run.c.harvest == number)))


def test_a_broad_harvest_has_the_button_only_once(site: RunningSite, world: World) -> None:
    world.domain("first.example")
    number = world.harvest("broad", "broad", active=False)
    ada = enter(site, "ada", Role.CURATOR)

    ada.submit(f"/planning/harvests/{number}/preview/generate")
    assert len(world_runs(world, number)) == 1
    assert "Run now" not in ada.get(f"/planning/harvests/{number}/preview").text


def test_a_large_plan_is_made_in_the_background(wary_site: RunningSite, world: World) -> None:
    number = weekly(world)
    ada = enter(wary_site, "ada", Role.CURATOR)
    address = f"/planning/harvests/{number}/preview"

    assert "No preview yet" in ada.get(address).text
    ada.submit(f"{address}/plan")
    ada.submit(f"{address}/plan")  # impatience makes no second one
    assert "The preview is being prepared" in ada.get(address).text
    work(wary_site)
    page = ada.get(address).text
    assert "first.example, second.example" in page
    assert "Prepare it again" in page


def test_the_api_gives_the_plan(site: RunningSite, world: World) -> None:
    number = weekly(world)
    ada = enter(site, "ada", Role.CURATOR)

    found = ada.get(f"/api/harvests/{number}/preview").json()
    assert (found["state"], found["large"], found["generating"]) == ("made", False, None)
    assert (found["plan"]["job_count"], found["plan"]["objects"]) == (1, 10_000)
    assert found["plan"]["left_out"]["no-seeds"] == 1
    assert found["plan"]["jobs"][0]["domains"] == ["first.example", "second.example"]
    assert ada.get("/api/harvests/999/preview").status_code == 404


def test_the_api_begins_a_run(site: RunningSite, world: World) -> None:
    number = weekly(world)
    ada = enter(site, "ada", Role.CURATOR)
    token = {"X-CSRF-Token": ada.token("/account")}

    begun = ada.post(f"/api/harvests/{number}/generate", headers=token)
    assert begun.status_code == 202, begun.text
    assert begun.json()["run"] == 1
    assert ada.get(f"/api/harvests/{number}/preview").json()["generating"]["run"] == 1


def test_the_commands_show_and_make_jobs(world: World, database_url: str, tmp_path: Path) -> None:
    number = weekly(world)

    def run(*words: str) -> str:
        environment = {"ARMARIUM_HOME": str(tmp_path), "ARMARIUM_DATABASE_URL": database_url}
        result = CliRunner().invoke(app, ["plan", *words], env=environment, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    told = run("harvests", "preview", "weekly")
    assert "It has no seed." in told
    assert "10000" in told
    assert json.loads(run("harvests", "preview", str(number), "--json"))["job_count"] == 1
    assert json.loads(run("harvests", "generate", "weekly", "--json")) == {"harvest": number, "run": 1}


def test_a_fault_that_comes_again_each_time_ends_the_run(site: RunningSite, world: World) -> None:
    number = weekly(world)
    run = world.run(number)
    services = site.house.services()
    execute(site, "ALTER TABLE job_order RENAME TO hidden")  # nobody's plan is wrong: something is broken

    for attempt in range(1, tasks.RETRY.attempts + 1):
        context = TaskContext(1, "planning.generate", attempt, services=services)
        with pytest.raises(sa.exc.ProgrammingError):
            tasks.generate(context, run)
        assert world.run_row(run).state == ("failed" if attempt == tasks.RETRY.attempts else "generating")
    sent, _ = site.house.notifications.page(limit=5)
    assert [str(one.notification.subject) for one in sent] == ["The harvest weekly was paused"]


def test_the_operators_hear_of_a_harvest_that_makes_no_jobs(site: RunningSite, world: World) -> None:
    run = world.run(world.harvest("empty", "selective"))
    site.house.generator.generate(run)

    sent, _ = site.house.notifications.page(limit=5)
    assert [str(one.notification.subject) for one in sent] == ["The harvest empty created no jobs"]


def test_the_settings_of_planning_are_those_of_the_sources() -> None:
    found = PlanningSettings()

    assert (found.max_total_size, found.max_relative_size_difference) == (8_000_000, 100)
    assert (found.min_absolute_size_difference, found.max_configurations) == (2000, 10_000)
