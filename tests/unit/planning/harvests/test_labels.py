"""Where a harvest stands is one word, and the end of a schedule is no trouble."""

import pytest

from armarium.planning.harvests.labels import RUN_ONCE, SCHEDULE_ENDED, note_of, standing, trouble_of
from armarium.planning.harvests.model import Harvest, Standing

ONCE = str(RUN_ONCE)


@pytest.mark.parametrize(
    ("harvest", "expected"),
    [
        (Harvest("new"), Standing.DRAFT),
        (Harvest("daily", active=True, runs=3), Standing.WAITING),
        (Harvest("daily", active=True, paused=True), Standing.PAUSED),
        (Harvest("daily", active=True, under_way=True, jobs_left=2), Standing.RUNNING),
        (Harvest("broad", runs=1, trouble=ONCE, under_way=True, jobs_left=2), Standing.RUNNING),
        (Harvest("broad", runs=1, trouble=ONCE), Standing.DONE),
        (Harvest("once", runs=1, trouble=str(SCHEDULE_ENDED)), Standing.DONE),
        (Harvest("daily", runs=3, scheduled_runs=3), Standing.STOPPED),
        (Harvest("run by hand", runs=1), Standing.DRAFT),
        (Harvest("broad", runs=1, trouble="The profile is wrong."), Standing.STOPPED),
    ],
)
def test_a_harvest_stands_where_its_dates_and_jobs_leave_it(harvest: Harvest, expected: Standing) -> None:
    assert standing(harvest) is expected


def test_coming_to_an_end_in_order_is_no_trouble() -> None:
    through, wrong = Harvest("a", trouble=ONCE), Harvest("b", trouble="The profile is wrong.")

    assert (trouble_of(through), note_of(through)) == ("", ONCE)
    assert (trouble_of(wrong), note_of(wrong)) == ("The profile is wrong.", "")
