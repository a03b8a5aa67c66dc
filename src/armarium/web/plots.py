"""A figure of the overview as the bars of a drawing: where they stand, and how high they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from armarium.web.overview import Figure

WIDTH, HEIGHT = 600, 120
TOP = 6
GAP = 0.25  # of the room of a day
LEAST = 2.0  # so high is the smallest bar that is there at all


@dataclass(frozen=True)
class Bar:
    tone: str
    y: float
    height: float


@dataclass(frozen=True)
class Day:
    """A column of the drawing: the bars of one day, from the ground up."""

    day: date
    x: float
    width: float
    values: tuple[int, ...]  # as the figure's series
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Drawing:
    days: tuple[Day, ...]
    highest: int  # of a day, its series together
    totals: tuple[int, ...]  # as the figure's series

    width: int = WIDTH
    height: int = HEIGHT
    top: int = TOP


def drawn(figure: Figure, days: Sequence[date]) -> Drawing:
    values = [tuple(series.values.get(day, 0) for series in figure.series) for day in days]
    highest = max((sum(of_day) for of_day in values), default=0)
    room = WIDTH / max(len(days), 1)
    tones = [series.tone for series in figure.series]
    columns = tuple(
        Day(
            day,
            round((at + GAP / 2) * room, 2),
            round(room * (1 - GAP), 2),
            of_day,
            _bars(of_day, tones, highest),
        )
        for at, (day, of_day) in enumerate(zip(days, values, strict=True))
    )
    totals = tuple(sum(of_series) for of_series in zip(*values, strict=True))
    return Drawing(columns, highest, totals)


def _bars(values: Sequence[int], tones: Sequence[str], highest: int) -> tuple[Bar, ...]:
    ground, bars = float(HEIGHT), []
    for value, tone in zip(values, tones, strict=True):
        if value:
            height = max((HEIGHT - TOP) * value / highest, LEAST)
            ground -= height
            bars.append(Bar(tone, round(ground, 2), round(height, 2)))
    return tuple(bars)
