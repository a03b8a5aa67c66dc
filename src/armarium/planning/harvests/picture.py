"""The pictures of the calendar: where things stand in them. Drawn by the template, coloured by the style."""

from dataclasses import dataclass
from datetime import date

from armarium.planning.harvests.calendar import Month, Year
from armarium.planning.harvests.expected import Volume

LEVELS = 5
CELL, GAP = 20, 3  # of the days of a month, in units of the drawing
STEP = CELL + GAP
WIDTH, HEIGHT = 7 * STEP - GAP, 6 * STEP - GAP  # a month: weekdays × weeks
CURVE_WIDTH, CURVE_HEIGHT, CURVE_LEFT = 720, 200, 8


@dataclass(frozen=True)
class Cell:
    day: date
    x: int
    y: int
    level: int  # 0: nothing; 1 … LEVELS
    volume: Volume
    today: bool


def cells(year: Year, measure: str, first_weekday: int = 0) -> list[list[Cell]]:
    """The days of each month where a wall calendar has them; weeks begin on Monday (0) … Sunday (6)."""
    most = year.most(measure)
    return [_month(month, measure, most, first_weekday, year.today) for month in year.months]


def _month(month: Month, measure: str, most: float, first_weekday: int, today: date) -> list[Cell]:
    before = (month.first.weekday() - first_weekday) % 7
    return [
        Cell(
            day,
            place % 7 * STEP,
            place // 7 * STEP,
            level(float(getattr(volume, measure)), most),
            volume,
            day == today,
        )
        for place, (day, volume) in enumerate(month.days.items(), before)
    ]


def level(value: float, most: float) -> int:
    """A shade by the square root: a broad harvest must not make every other day look empty."""
    if value <= 0 or most <= 0:
        return 0
    return max(1, min(LEVELS, int((value / most) ** 0.5 * LEVELS + 0.999_999)))


@dataclass(frozen=True)
class Curve:
    """What has come together by the end of each month, against the budget."""

    points: str  # of an SVG polyline
    budget_y: float
    ends: list[tuple[float, float, float]]  # x, y and the sum at the end of each month
    over: int | None  # the month (1 … 12) in which the budget is passed


def curve(year: Year) -> Curve | None:
    if not year.budget:
        return None
    sums: list[float] = []
    for month in year.months:
        sums.append((sums[-1] if sums else 0.0) + month.total.bytes)
    top = max(sums[-1], year.budget) * 1.1
    step = (CURVE_WIDTH - 2 * CURVE_LEFT) / 12

    def height(value: float) -> float:
        return round(CURVE_HEIGHT * (1 - value / top), 1)

    ends = [(round(CURVE_LEFT + step * (n + 1), 1), height(value), value) for n, value in enumerate(sums)]
    points = " ".join([f"{CURVE_LEFT},{height(0)}", *(f"{x},{y}" for x, y, _ in ends)])
    over = next((n for n, value in enumerate(sums, 1) if value > year.budget), None)
    return Curve(points, height(year.budget), ends, over)
