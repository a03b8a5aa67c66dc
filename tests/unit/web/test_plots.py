"""Bars of the overview: as high as their share, seen however small, upon each other."""

from datetime import date, timedelta

from armarium.core.message import message
from armarium.web.home import HEIGHT, LEAST, TOP, WIDTH, drawn
from armarium.web.overview import Figure, Series

FIRST = date(2026, 5, 1)
DAYS = tuple(FIRST + timedelta(days=number) for number in range(30))


def figure(*values: dict[date, int]) -> Figure:
    series = tuple(Series(message("Things"), one) for one in values)
    return Figure("things", message("Things"), series)


def test_the_highest_day_fills_the_room_and_others_their_share() -> None:
    drawing = drawn(figure({DAYS[0]: 100, DAYS[29]: 50}), DAYS)
    assert drawing.highest == 100
    assert drawing.days[0].bars[0].height == HEIGHT - TOP
    assert drawing.days[29].bars[0].height == (HEIGHT - TOP) / 2
    assert drawing.days[29].x + drawing.days[29].width <= WIDTH
    assert drawing.days[1].bars == ()


def test_what_is_there_is_seen_however_little_it_is() -> None:
    drawing = drawn(figure({DAYS[0]: 1_000_000, DAYS[1]: 1}), DAYS)
    assert drawing.days[1].bars[0].height == LEAST


def test_series_stand_upon_each_other_and_are_summed_apart() -> None:
    drawing = drawn(figure({DAYS[3]: 30}, {DAYS[3]: 10}), DAYS)
    below, above = drawing.days[3].bars
    assert below.y + below.height == HEIGHT
    assert above.y + above.height == below.y
    assert drawing.highest == 40
    assert drawing.totals == (30, 10)


def test_days_outside_the_month_are_not_drawn() -> None:
    drawing = drawn(figure({FIRST - timedelta(days=1): 9, DAYS[2]: 1}), DAYS)
    assert drawing.totals == (1,)
    assert len(drawing.days) == 30


def test_nothing_at_all_is_drawn_without_trouble() -> None:
    assert drawn(figure({}), DAYS).highest == 0
