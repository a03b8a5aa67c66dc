"""Visits and pages over time, as bars of a drawing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from armarium.access.reading.use.model import Stretch

WIDTH, HEIGHT, TOP = 720.0, 150.0, 10.0
GAP = 0.25  # of a bar's place that stays empty


@dataclass(frozen=True)
class Bar:
    stretch: Stretch
    x: float
    width: float
    shown: float  # heights
    refused: float


@dataclass(frozen=True)
class Drawing:
    bars: list[Bar]
    highest: int
    begin: date
    end: date

    WIDTH, HEIGHT = WIDTH, HEIGHT


def drawn(stretches: Sequence[Stretch]) -> Drawing | None:
    """None where nothing was read."""
    highest = max((one.pages + one.refused for one in stretches), default=0)
    if not highest:
        return None
    place = WIDTH / len(stretches)
    room = HEIGHT - TOP
    bars = [
        Bar(
            one,
            round(place * (number + GAP / 2), 2),
            round(place * (1 - GAP), 2),
            round(room * one.pages / highest, 2),
            round(room * one.refused / highest, 2),
        )
        for number, one in enumerate(stretches)
    ]
    return Drawing(bars, highest, stretches[0].begin, stretches[-1].begin)
