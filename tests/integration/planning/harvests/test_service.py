"""Definitions, their activation, and what the API and the calendar make of them."""

import time
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from armarium.accounts.model import Permission, Role
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.planning.harvests.calendar import Calendar
from armarium.planning.harvests.labels import RUN_ONCE, standing
from armarium.planning.harvests.members import HarvestDomains
from armarium.planning.harvests.model import Definition, Standing
from armarium.planning.harvests.queries import HarvestFilter, Order
from armarium.planning.model import HarvestKind
from armarium.planning.settings import PlanningSettings
from armarium.server.assembly import House
from tests.integration.planning.harvests import world
from tests.integration.planning.harvests.world import rows, runs, selective
from tests.integration.web.steps import enter, token_of
from tests.site import RunningSite


def broad(house: House, name: str = "broad", previous: int | None = None) -> int:
    return house.harvests.create(SYSTEM, Definition(name, HarvestKind.BROAD, previous=previous)).id


def test_a_new_definition_is_not_active_and_has_no_schedule(house: House) -> None:
    made = house.harvests.create(SYSTEM, Definition("press"))
    assert (made.active, made.schedule, made.next_at, made.runs) == (False, None, None, 0)


def test_a_broad_harvest_runs_once_when_it_is_activated(house: House) -> None:
    world.domains(house, "a.test")
    number = broad(house)
    after = house.harvests.activate(SYSTEM, number)
    assert (after.active, after.runs, after.trouble) == (False, 1, str(RUN_ONCE))
    assert [(run, state) for run, state, _ in runs(house, number)] == [(1, "generating")]
    with pytest.raises(Refused, match="runs once, and this one has"):
        house.harvests.activate(SYSTEM, number)
    with pytest.raises(Refused, match="runs once"):
        house.harvests.run_now(SYSTEM, number)


def test_a_broad_harvest_says_that_it_runs_how_many_jobs_are_left_and_that_it_is_done(house: House) -> None:
    world.domains(house, "a.test")
    number = broad(house)
    assert standing(house.harvests.activate(SYSTEM, number)) is Standing.RUNNING  # jobs are being made
    rows(house, "UPDATE harvest_run SET state = 'generated' RETURNING id")
    world.ended_run(house, number, days_ago=0, objects=1, size=1, state="started")
    [row], _ = house.harvests.search(HarvestFilter(), limit=10)
    assert (standing(row.harvest), row.harvest.jobs_left) == (Standing.RUNNING, 1)
    rows(house, "UPDATE job SET state = 'done' RETURNING id")
    assert standing(house.harvests.get(number)) is Standing.DONE


def test_the_list_begins_with_what_ran_last(house: House) -> None:
    for name, days_ago in (("a", 9), ("b", 1), ("never", 0), ("c", 5)):
        number = broad(house, name)
        if days_ago:
            world.ended_run(house, number, days_ago=days_ago, objects=1, size=1)
    found, _ = house.harvests.search(HarvestFilter(order=Order.LAST), limit=10)
    assert [row.harvest.name for row in found] == ["b", "c", "a", "never"]


def test_a_broad_harvest_whose_jobs_could_not_be_made_can_be_activated_again(house: House) -> None:
    world.domains(house, "a.test")
    number = broad(house)
    house.harvests.activate(SYSTEM, number)
    rows(house, "UPDATE harvest_run SET state = 'failed' RETURNING id")
    assert house.harvests.activate(SYSTEM, number).runs == 2


def test_a_continuation_waits_until_the_other_harvest_has_ended(house: House) -> None:
    world.domains(house, "a.test")
    first = broad(house, "first")
    second = broad(house, "second", previous=first)

    def reasons() -> list[str]:
        return [str(doubt.text) for doubt in house.harvests.doubts(second) if doubt.prevents]

    assert reasons() == ["The harvest that it continues has created no jobs."]
    world.ended_run(house, first, days_ago=1, objects=10, size=10, state="started")
    assert reasons() == ["The harvest that it continues has not ended: 1 of its jobs are waiting or running."]
    rows(house, "UPDATE job SET state = 'done' RETURNING id")
    assert reasons() == []
    assert house.harvests.activate(SYSTEM, second).runs == 1


def test_only_another_broad_harvest_can_be_continued(house: House) -> None:
    press = selective(house)
    with pytest.raises(Refused, match="Only another broad harvest"):
        broad(house, previous=press.id)
    with pytest.raises(Refused, match="Only a broad harvest can continue"):
        house.harvests.create(SYSTEM, Definition("x", previous=broad(house)))


def test_a_new_schedule_sets_the_next_date_anew(house: House) -> None:
    press = selective(house)
    before = house.harvests.activate(SYSTEM, press.id)
    yearly = world.schedule(house, "far", starts_at=datetime(2090, 1, 1, tzinfo=UTC))
    after = house.harvests.change(SYSTEM, press.id, Definition("press", schedule=yearly))
    assert before.next_at
    assert after.next_at == datetime(2090, 1, 1, 3, tzinfo=UTC)
    with pytest.raises(Refused, match="needs a schedule"):
        house.harvests.change(SYSTEM, press.id, Definition("press"))


def test_deactivation_forgets_the_next_date_and_is_audited(house: House) -> None:
    press = selective(house)
    house.harvests.activate(SYSTEM, press.id)
    after = house.harvests.deactivate(SYSTEM, press.id)
    assert (after.active, after.next_at, after.trouble) == (False, None, "")
    found = rows(house, "SELECT action FROM audit WHERE object_kind = 'harvest' ORDER BY id")
    assert [action for (action,) in found] == [
        "harvest.created",
        "harvest.domains_added",
        "harvest.activated",
        "harvest.deactivated",
    ]


def test_thousands_of_domains_are_added_and_paged(house: House) -> None:
    press = house.harvests.create(SYSTEM, Definition("press"))
    domains = HarvestDomains(house.database, house.domains)
    names = "\n".join(f"site-{n:05}.test" for n in range(3000))
    assert len(domains.add(SYSTEM, press.id, names).unknown) == 3000
    added = domains.add(SYSTEM, press.id, names, create=True)
    assert (added.added, added.known, added.unknown) == (3000, 0, ())
    assert domains.add(SYSTEM, press.id, names).known == 3000
    found, total = domains.page(press.id, "site-02", limit=50, offset=950)
    assert (total, found[0].domain_name, found[0].seeds) == (1000, "site-02950.test", 2)


def test_lists_and_calendar_are_fast_at_ten_thousand_definitions(house: House) -> None:
    daily = world.schedule(house)
    with house.database.transaction() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO harvest (name, kind, active, schedule, next_at, created_at, missed)"
                " SELECT 'harvest ' || n, 'selective', true, :daily, now() + n * interval '1 minute', now(),"
                " 'skip'"
                " FROM generate_series(1, 10000) n"
            ),
            {"daily": daily},
        )
        connection.execute(
            sa.text(
                "INSERT INTO harvest_run (harvest, number, state, due_at)"
                " SELECT id, n, 'generated', now() - n * interval '1 day'"
                " FROM harvest, generate_series(1, 5) n"
            )
        )
    began = time.monotonic()
    found, total = house.harvests.search(HarvestFilter(text="harvest 99"), limit=50)
    soonest, _ = house.harvests.search(HarvestFilter(order=Order.NEXT), limit=50)
    house.harvests.search(HarvestFilter(order=Order.LAST), limit=50)
    listed = time.monotonic() - began
    calendar = Calendar(house.database, house.settings[PlanningSettings])
    began = time.monotonic()
    year = calendar.year(clock.now().year, "Europe/Paris")
    drawn = time.monotonic() - began
    agenda = calendar.agenda()
    assert (total, len(found), len(agenda)) == (111, 50, 50)
    assert [row.harvest.name for row in soonest[:2]] == ["harvest 1", "harvest 2"]
    assert year.total.runs > 10_000
    # Many times what a quiet machine needs: a question for each harvest would take minutes.
    assert listed < 10
    assert drawn < 30


def test_a_job_that_was_done_again_counts_once(house: House) -> None:
    press = world.waiting(house, next_at=clock.now() + timedelta(days=400))
    world.ended_run(house, press.id, days_ago=0, objects=50_000, size=1000, state="resubmitted")
    copied = "harvest, run, channel, profile_version, created_at, started_at, ended_at, objects, bytes"
    for state, files in (("done", 1), ("failed", 0)):
        rows(
            house,
            f"INSERT INTO job ({copied}, state, files)"
            f" SELECT {copied}, '{state}', {files} FROM job WHERE state = 'resubmitted' RETURNING id",
        )
    [run], _ = house.harvests.runs(press.id, limit=1)
    assert (run.jobs, run.objects, run.bytes) == (3, 50_000, 1000)
    calendar = Calendar(house.database, house.settings[PlanningSettings])
    today = calendar.today("UTC")
    volume = calendar.month(today.year, today.month, "UTC").days[today]
    assert (volume.runs, volume.objects) == (1, 50_000)
    [line] = calendar.agenda(1)
    assert line.expected.objects == 50_000


def test_an_active_harvest_cannot_follow_a_schedule_without_dates(house: House) -> None:
    press = selective(house)
    house.harvests.activate(SYSTEM, press.id)
    ended = world.schedule(house, "ended", ends_at=datetime(2020, 1, 1, tzinfo=UTC))
    with pytest.raises(Refused, match="no date left"):
        house.harvests.change(SYSTEM, press.id, Definition("press", schedule=ended))


def test_another_schedule_leaves_an_overdue_date_alone(house: House) -> None:
    press = world.waiting(house)
    after = house.harvests.change(SYSTEM, press.id, Definition("press", schedule=world.schedule(house)))
    assert after.next_at == press.next_at


def test_programs_define_and_begin_an_event_harvest(site: RunningSite, house: House) -> None:
    enter(site, "cleo", Role.CURATOR)
    secret = token_of(site, "cleo", Permission.PLANNING_VIEW, Permission.PLANNING_EDIT)
    program = site.client()
    program.headers["Authorization"] = f"Bearer {secret}"
    [(profile,)] = rows(house, "SELECT id FROM profile WHERE name = 'page'")
    [(once,)] = rows(house, "SELECT id FROM schedule WHERE name = 'once'")
    body = {"name": "Flood", "seeds": ["https://a.test/", "?"], "profile": profile, "schedule": once}
    made = program.post("/api/harvests/event", json=body)
    assert made.status_code == 201, made.text
    assert [line["result"] for line in made.json()["lines"]] == ["taken", "refused"]
    number = made.json()["harvest"]["id"]
    assert program.get(f"/api/harvests/{number}/runs").json()["items"][0]["state"] == "generating"
    assert program.get("/api/harvests?kind=event").json()["total"] == 1
    changed = program.patch(f"/api/harvests/{number}", json={"comments": "now"})
    assert changed.json()["comments"] == "now"
    assert changed.json()["schedule"] == once
    assert program.post(f"/api/harvests/{number}/run").json() == {"run": 2}
    body = {"total_objects": 500, "total_bytes": 10**9}
    assert program.patch(f"/api/harvests/{number}", json=body).json()["total_objects"] == 500
    program.post(f"/api/harvests/{number}/run")
    raised = program.post(f"/api/harvests/{number}/runs/3/budget", json={"total_objects": 575}).json()
    assert (raised["total_objects"], raised["left_objects"], raised["total_bytes"]) == (575, 575, 10**9)
    assert program.post(f"/api/harvests/{number}/runs/2/budget", json={"total_bytes": 5}).status_code == 422
    assert program.get("/api/agenda").json() == []
    assert program.get("/api/calendar/2026?zone=Mars").status_code == 422
    assert program.get(f"/api/harvests/{number}/configurations").json()["total"] == 1
