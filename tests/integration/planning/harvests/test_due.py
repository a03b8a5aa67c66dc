"""Runs that are due: begun once, caught up or skipped, and said."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.planning.generation.service import CANCELLED, StuckRuns
from armarium.planning.harvests.labels import SCHEDULE_ENDED
from armarium.planning.model import Missed, Unit
from armarium.planning.schedules.service import Schedules
from armarium.server.assembly import House
from tests.integration.planning.harvests import world
from tests.integration.planning.harvests.world import DUE, NOW, due, rows, runs, waiting

DAY = timedelta(days=1)
LATER = clock.now() + timedelta(minutes=30)


def stuck(house: House) -> StuckRuns:
    return StuckRuns(house.database, house.tasks, house.generator)


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


def test_missed_dates_are_caught_up_in_their_order_when_the_jobs_before_have_ended(house: House) -> None:
    press = waiting(house, next_at=DUE - 2 * DAY, missed=Missed.CATCH_UP)
    late = NOW + timedelta(hours=5)
    for made in range(1, 4):
        assert [due(house).begin(late) for _ in range(2)] == [1, 0]
        assert len(runs(house, press.id)) == made
        rows(house, "UPDATE harvest_run SET state = 'generated' RETURNING id")
    assert due(house).begin(late) == 0
    assert [(number, date) for number, _, date in runs(house, press.id)] == [
        (4 + n, DUE - (2 - n) * DAY) for n in range(3)
    ]
    assert rows(house, "SELECT count(*) FROM notification") == [(0,)]
    after = house.harvests.get(press.id)
    assert (after.runs, after.scheduled_runs, after.next_at) == (6, 6, DUE + DAY)


def test_what_is_before_ten_caught_up_runs_is_skipped_and_said_once(house: House) -> None:
    press = waiting(house, next_at=DUE - 30 * DAY, missed=Missed.CATCH_UP)
    assert [due(house).begin(NOW) for _ in range(2)] == [1, 0]
    states = [state for _, state, _ in runs(house, press.id)]
    assert states == ["skipped"] * 20 + ["generating"]
    assert house.harvests.get(press.id).next_at == DUE - 9 * DAY
    assert rows(house, "SELECT count(*) FROM notification") == [(1,)]


def test_a_date_that_was_overdue_when_its_schedule_paused_is_caught_up_afterwards(house: House) -> None:
    press = waiting(house, next_at=DUE - DAY, missed=Missed.CATCH_UP)
    schedules = Schedules(house.database)
    schedules.set_active(SYSTEM, press.schedule or 0, False)
    assert due(house).begin(NOW) == 0
    schedules.set_active(SYSTEM, press.schedule or 0, True)
    assert due(house).begin(NOW) == 1
    assert [date for _, _, date in runs(house, press.id)] == [DUE - DAY]


def test_runs_begun_by_hand_take_none_away_from_the_schedule(house: House) -> None:
    once = world.schedule(house, "once more", unit=Unit.ONCE, hour=None, minute=None)
    press = world.selective(house, schedule=once)
    house.harvests.run_now(SYSTEM, press.id)
    after = house.harvests.activate(SYSTEM, press.id)
    assert [(number, state) for number, state, _ in runs(house, press.id)] == [
        (1, "generating"),
        (2, "generating"),
    ]
    assert (after.runs, after.scheduled_runs, after.trouble) == (2, 1, str(SCHEDULE_ENDED))


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


def test_a_run_whose_task_is_alive_is_left_alone(house: House) -> None:
    waiting(house)
    due(house).begin(NOW)
    assert stuck(house).free(LATER) == 0


def test_a_run_whose_task_was_cancelled_ends_and_says_why(house: House) -> None:
    press = waiting(house)
    due(house).begin(NOW)
    rows(house, "UPDATE procrastinate_jobs SET status = 'cancelled' RETURNING id")
    assert [stuck(house).free(LATER) for _ in range(2)] == [1, 0]
    [(_, state, _)] = runs(house, press.id)
    after = house.harvests.get(press.id)
    assert (state, after.active, after.trouble) == ("failed", False, str(CANCELLED))
    assert rows(house, "SELECT count(*) FROM notification") == [(1,)]


def test_a_run_whose_task_is_gone_gets_another_one(house: House) -> None:
    press = waiting(house)
    due(house).begin(NOW)
    rows(house, "DELETE FROM procrastinate_jobs RETURNING id")
    assert [stuck(house).free(LATER) for _ in range(2)] == [1, 0]
    [(_, state, _)] = runs(house, press.id)
    [(status,)] = rows(house, "SELECT status::text FROM procrastinate_jobs")
    assert (state, status) == ("generating", "todo")
