"""Runs that are due: begun once, caught up or skipped, and said."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from armarium.core.actor import SYSTEM
from armarium.planning.harvests.model import Missed
from armarium.planning.harvests.words import SCHEDULE_ENDED
from armarium.planning.schedules.model import Unit
from armarium.planning.schedules.service import Schedules
from armarium.server.assembly import House
from tests.integration.planning.harvests import world
from tests.integration.planning.harvests.world import DUE, NOW, due, rows, runs, waiting

DAY = timedelta(days=1)


def test_a_due_harvest_gets_one_run_and_its_next_date(house: House) -> None:
    press = waiting(house)
    assert due(house).begin(NOW) == 1
    assert runs(house, press.id) == [(4, "generating", DUE)]
    after = house.harvests.get(press.id)
    assert (after.runs, after.next_at, after.active) == (4, DUE + DAY, True)
    [(arguments,)] = rows(house, "SELECT args FROM procrastinate_jobs WHERE task_name = 'planning.generate'")
    [(run,)] = rows(house, "SELECT id FROM harvest_run")
    assert arguments == {"run": run}


def test_looking_again_begins_nothing_more(house: House) -> None:
    waiting(house)
    assert [due(house).begin(NOW) for _ in range(3)] == [1, 0, 0]


def test_eight_schedulers_at_once_begin_each_run_once(house: House) -> None:
    made = [waiting(house, f"press-{n}", schedule=None) for n in range(5)]
    daily = world.schedule(house)
    for harvest in made:
        world.change(house, harvest.id, schedule=daily)
    with ThreadPoolExecutor(8) as pool:
        begun = list(pool.map(lambda _: due(house).begin(NOW), range(8)))
    assert sum(begun) == 5
    assert all(len(runs(house, harvest.id)) == 1 for harvest in made)


def test_a_harvest_that_is_not_due_or_not_active_is_left_alone(house: House) -> None:
    waiting(house, "later", next_at=NOW + DAY)
    asleep = waiting(house, "asleep")
    house.harvests.deactivate(SYSTEM, asleep.id)
    assert due(house).begin(NOW) == 0


def test_a_paused_schedule_holds_its_harvests_back(house: House) -> None:
    press = waiting(house)
    world.rows(house, "UPDATE schedule SET active = false RETURNING id")
    assert due(house).begin(NOW) == 0
    assert house.harvests.get(press.id).active
    assert Schedules(house.database).get(press.schedule or 0).active is False


def test_skipped_dates_are_recorded_and_the_operators_are_told(house: House) -> None:
    press = waiting(house, next_at=DUE - 3 * DAY)
    assert due(house).begin(NOW) == 1
    assert runs(house, press.id) == [
        (None, "skipped", DUE - 3 * DAY),
        (None, "skipped", DUE - 2 * DAY),
        (None, "skipped", DUE - DAY),
        (4, "generating", DUE),
    ]
    [(subject,)] = rows(house, "SELECT subject->>'template' FROM notification")
    assert subject == "Runs missed: %(name)s"
    [(count,)] = rows(house, "SELECT after->>'skipped' FROM audit WHERE action = 'harvest.missed'")
    assert count == "3"


def test_missed_dates_are_caught_up_in_their_order(house: House) -> None:
    press = waiting(house, next_at=DUE - 3 * DAY, missed=Missed.CATCH_UP)
    assert due(house).begin(NOW) == 4
    assert [(number, date) for number, _, date in runs(house, press.id)] == [
        (4 + n, DUE - (3 - n) * DAY) for n in range(4)
    ]
    assert rows(house, "SELECT count(*) FROM notification") == [(0,)]
    assert house.harvests.get(press.id).runs == 7


def test_what_is_beyond_ten_caught_up_runs_is_skipped_and_said(house: House) -> None:
    press = waiting(house, next_at=DUE - 30 * DAY, missed=Missed.CATCH_UP)
    assert due(house).begin(NOW) == 11
    states = [state for _, state, _ in runs(house, press.id)]
    assert states == ["generating"] * 10 + ["skipped"] * 20 + ["generating"]
    assert rows(house, "SELECT count(*) FROM notification") == [(1,)]


def test_a_month_of_missed_minutes_takes_a_hundred_lines_and_one(house: House) -> None:
    minutes = world.schedule(house, "each minute", unit=Unit.MINUTE, hour=None, minute=None)
    press = waiting(house, next_at=DUE - 30 * DAY, schedule=minutes)
    assert due(house).begin(NOW) == 1
    _, total = house.harvests.runs(press.id, limit=1)
    assert total == 102  # the run that is on time, a hundred dates, and one line for all before
    counted = rows(house, "SELECT sum((left_out->>'missed')::int) FROM harvest_run WHERE state = 'skipped'")
    assert counted == [(30 * 1440,)]


def test_a_harvest_whose_schedule_ends_is_deactivated_with_a_sentence(house: House) -> None:
    last = world.schedule(house, "until tomorrow", ends_at=DUE + timedelta(hours=1))
    press = waiting(house, schedule=last)
    assert due(house).begin(NOW) == 1
    after = house.harvests.get(press.id)
    assert (after.active, after.next_at, after.trouble) == (False, None, str(SCHEDULE_ENDED))
    [(reason,)] = rows(house, "SELECT after->>'reason' FROM audit WHERE action = 'harvest.deactivated'")
    assert reason == str(SCHEDULE_ENDED)


def test_a_run_begins_although_the_one_before_has_not_ended(house: House) -> None:
    press = waiting(house)
    due(house).begin(NOW)
    assert due(house).begin(NOW + DAY) == 1
    assert house.harvests.under_way(press.id) == [4, 5]
