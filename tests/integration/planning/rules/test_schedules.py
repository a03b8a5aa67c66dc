"""Schedules, and what becomes of the harvests that follow them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.planning.harvests.labels import SCHEDULE_ENDED
from armarium.planning.harvests.next_dates import date_anew
from armarium.planning.model import Unit
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.service import Schedules
from tests.integration.web.steps import audited, enter, token_of, with_token
from tests.site import RunningSite

SCHEDULES = "/planning/schedules"
NIGHTLY = {
    "name": "nightly",
    "unit": "day",
    "every": "1",
    "hour": "2",
    "minute": "30",
    "zone": "Europe/Paris",
}


def follow(
    database: Database, schedule: int, name: str, *, next_at: str = "2090-01-01", **facts: object
) -> None:
    values = {"active": True, "next_by_hand": False, **facts}
    with database.transaction() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO harvest (name, kind, schedule, next_at, created_at, active, next_by_hand)"
                " VALUES (:name, 'selective', :schedule, :next_at, now(), :active, :next_by_hand)"
            ),
            {"name": name, "schedule": schedule, "next_at": f"{next_at} 00:00Z", **values},
        )


def next_dates(database: Database) -> dict[str, datetime | None]:
    with database.transaction() as connection:
        found = connection.execute(sa.text("SELECT name, next_at FROM harvest"))
        return {row[0]: row[1] for row in found}


def test_a_changed_schedule_gives_its_harvests_new_dates(database: Database) -> None:
    schedules = Schedules(database, date_anew)
    daily = schedules.named("daily")
    follow(database, daily.id, "press")
    follow(database, daily.id, "idle", active=False)
    follow(database, daily.id, "moved", next_by_hand=True)
    follow(database, daily.id, "overdue", next_at="2020-01-01")
    follow(database, schedules.named("weekly").id, "other")
    before = next_dates(database)
    schedules.change(SYSTEM, daily.id, replace(daily, hour=5, comments=""))
    dates = next_dates(database)
    press = dates.pop("press")
    assert press is not None
    assert (press.hour, press.year < 2090) == (5, True)
    # What somebody set holds once; what is overdue is for the scheduler to catch up or to skip.
    assert dates == {name: before[name] for name in dates}


def test_a_paused_schedule_keeps_the_dates_until_it_goes_on(database: Database) -> None:
    schedules = Schedules(database, date_anew)
    daily = schedules.named("daily")
    follow(database, daily.id, "press", next_at="2020-01-01")
    before = next_dates(database)
    schedules.set_active(SYSTEM, daily.id, False)
    assert "daily" not in [one.name for one in schedules.active()]
    assert next_dates(database) == before
    schedules.set_active(SYSTEM, daily.id, True)
    assert next_dates(database) == before


def test_a_schedule_that_is_ended_deactivates_its_harvests_and_says_so(database: Database) -> None:
    schedules = Schedules(database, date_anew)
    daily = schedules.named("daily")
    follow(database, daily.id, "press")
    past = datetime(2020, 1, 1, tzinfo=UTC)
    schedules.change(SYSTEM, daily.id, replace(daily, ends_at=past, comments=""))
    with database.transaction() as connection:
        [row] = connection.execute(sa.text("SELECT active, next_at, trouble FROM harvest")).all()
        told = connection.scalar(
            sa.text("SELECT after->>'reason' FROM audit WHERE action = 'harvest.deactivated'")
        )
    assert tuple(row) == (False, None, str(SCHEDULE_ENDED))
    assert told == str(SCHEDULE_ENDED)


def test_another_comment_leaves_the_dates_alone(database: Database) -> None:
    schedules = Schedules(database, date_anew)
    daily = schedules.named("daily")
    follow(database, daily.id, "press")
    before = next_dates(database)
    schedules.change(SYSTEM, daily.id, replace(daily, name="every night", comments="At three."))
    assert next_dates(database) == before


def test_names_are_unique_and_what_changed_meanwhile_is_not_undone(database: Database) -> None:
    schedules = Schedules(database, date_anew)
    with pytest.raises(Refused, match="already"):
        schedules.create(SYSTEM, Schedule(Unit.DAY, name="daily"))
    daily = schedules.named("daily")
    with pytest.raises(Refused, match="already"):
        schedules.change(SYSTEM, daily.id, replace(daily, name="weekly"))
    schedules.change(SYSTEM, daily.id, replace(daily, hour=5), seen=daily.mark)
    with pytest.raises(Refused, match="meanwhile"):
        schedules.change(SYSTEM, daily.id, replace(daily, hour=6), seen=daily.mark)


def test_the_next_ten_runs_are_shown_before_anything_is_saved(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    preview = curator.submit(f"{SCHEDULES}/new", {**NIGHTLY, "preview": "yes"})
    assert preview.status_code == 200
    assert preview.text.count(" 02:30</time>") == 10
    assert 'value="nightly"' in preview.text
    assert "nightly" not in curator.get(SCHEDULES).text
    answer = curator.submit(f"{SCHEDULES}/new", NIGHTLY)
    assert answer.status_code == 303
    page = curator.get(answer.headers["location"]).text
    assert "Every day at 02:30, Europe/Paris" in page
    assert page.count(" 02:30</time>") == 10


def test_what_is_wrong_is_said_at_its_field(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    for wrong, field in (({"hour": "25"}, "hour"), ({"unit": "year"}, "unit"), ({"name": " "}, "name")):
        answer = curator.submit(f"{SCHEDULES}/new", {**NIGHTLY, **wrong})
        assert answer.status_code == 422
        assert f'id="{field}-wrong"' in answer.text


def test_a_page_pauses_a_schedule_and_names_its_harvests(site: RunningSite) -> None:
    database = site.house.database
    number = Schedules(database, date_anew).named("daily").id
    follow(database, number, "Press of the day")
    curator = enter(site, "cora", Role.CURATOR)
    assert "Press of the day" in curator.get(f"{SCHEDULES}/{number}").text
    assert curator.submit(f"{SCHEDULES}/{number}/pause").status_code == 303
    assert "Paused" in curator.get(f"{SCHEDULES}/{number}").text
    curator.submit(f"{SCHEDULES}/{number}/resume")
    actions = [(entry.before["active"], entry.after["active"]) for entry in audited(site, "schedule.changed")]
    assert actions == [(True, False), (False, True)]
    reader = enter(site, "lib", Role.LIBRARIAN)
    assert reader.submit(f"{SCHEDULES}/{number}/pause").status_code == 403


def test_programs_make_schedules_and_ask_for_their_runs(site: RunningSite) -> None:
    enter(site, "cora", Role.CURATOR)
    secret = token_of(site, "cora", Permission.PLANNING_VIEW, Permission.PLANNING_RULES)
    program = with_token(site, secret)
    given = {"name": "nightly", "unit": "day", "hour": 2, "minute": 30, "zone": "Europe/Paris"}
    made = program.post("/api/schedules", json=given)
    assert made.status_code == 201
    address = f"/api/schedules/{made.json()['id']}"
    assert len(program.get(f"{address}/runs", params={"most": 25}).json()) == 25
    assert program.put(address, json={**given, "max_runs": 2}).json()["max_runs"] == 2
    assert len(program.get(f"{address}/runs").json()) == 2
    assert program.post(f"{address}/pause").json()["active"] is False
    assert program.get(f"{address}/runs").json() == []
    assert program.post("/api/schedules", json={**given, "zone": "Atlantis"}).status_code == 422
