"""Where bars, lines and areas stand, in a drawing of fixed size that is stretched to its place."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armarium.web.plots.model import Plot, Series, Shape, Value

WIDTH, HEIGHT = 600.0, 120.0
GAP = 0.25  # between bars, of the room of one
LEAST = 1.5  # so high is the smallest bar that is there at all
FEWEST = 3  # points: fewer are said, not drawn
STEPS = (1, 2, 2.5, 5, 10)  # of a scale that people can halve in their heads


@dataclass(frozen=True)
class Bar:
    tone: str
    y: float
    height: float


@dataclass(frozen=True)
class Point:
    """All that one label has: its room, and the bars in it from the ground up."""

    at: int
    x: float
    width: float
    bars: tuple[Bar, ...]

    @property
    def bar_x(self) -> float:
        return round(self.x + self.width * GAP / 2, 2)

    @property
    def bar_width(self) -> float:
        return round(self.width * (1 - GAP), 2)


@dataclass(frozen=True)
class Path:
    """A line through the known values, or the area below them."""

    tone: str
    line: str
    area: str = ""


@dataclass(frozen=True)
class Drawing:
    points: tuple[Point, ...]
    paths: tuple[Path, ...]
    top: float  # of the scale
    width: float = WIDTH
    height: float = HEIGHT

    @property
    def ticks(self) -> tuple[float, float, float]:
        return self.top, self.top / 2, 0


def enough(plot: Plot) -> bool:
    """Whether there is something to draw: three labels with a value."""
    known = [any(value is not None for value in of) for of in zip(*_values(plot), strict=True)]
    return sum(known) >= FEWEST


def drawn(plot: Plot) -> Drawing:
    top = scale(_highest(plot))
    room = WIDTH / max(len(plot.labels), 1)
    bars = [one for one in plot.series if plot.shape is Shape.BARS and not one.line]
    points = tuple(
        Point(at, round(at * room, 2), round(room, 2), tuple(_bars(bars, at, top)))
        for at in range(len(plot.labels))
    )
    return Drawing(points, tuple(_paths(plot, top, room)), top)


def scale(highest: float) -> float:
    """The end of an axis: the next round number."""
    if highest <= 0:
        return 1
    power = 10.0 ** math.floor(math.log10(highest))
    return next(step * power for step in STEPS if highest <= step * power * (1 + 1e-9))


def line(values: Sequence[Value], top: float, width: float = WIDTH, height: float = HEIGHT) -> str:
    """A line through the middle of each value's room; it breaks off where nothing is known."""
    room = width / max(len(values), 1)
    places = [_place(value, at, room, top, height) for at, value in enumerate(values)]
    return " ".join(_steps(places))


def _values(plot: Plot) -> list[Sequence[Value]]:
    return [one.values for one in plot.series]


def _highest(plot: Plot) -> float:
    single = [value or 0 for one in plot.series for value in one.values]
    if plot.shape is Shape.LINES:
        return max(single, default=0)
    stacked = [one.values for one in plot.series if not one.line]
    sums = [sum(value or 0 for value in of) for of in zip(*stacked, strict=True)]
    return max((*sums, *single), default=0)


def _bars(series: Sequence[Series], at: int, top: float) -> Iterator[Bar]:
    ground = HEIGHT
    for one in series:
        if value := one.values[at]:
            height = max(HEIGHT * value / top, LEAST)
            ground = max(ground - height, 0)
            yield Bar(one.tone, round(ground, 2), round(height, 2))


def _paths(plot: Plot, top: float, room: float) -> Iterator[Path]:
    if plot.shape is Shape.AREAS:
        yield from _areas(plot, top, room)
        return
    for one in plot.series:
        if one.line or plot.shape is Shape.LINES:
            yield Path(one.tone, line(one.values, top))


def _areas(plot: Plot, top: float, room: float) -> Iterator[Path]:
    """The highest first, so that those below it are painted over it."""
    sums: list[float] = [0] * len(plot.labels)
    found = []
    for one in plot.series:
        sums = [so_far + (value or 0) for so_far, value in zip(sums, one.values, strict=True)]
        ends = f"L{_short((len(sums) - 0.5) * room)} {HEIGHT:g} L{_short(room / 2)} {HEIGHT:g}Z"
        edge = line(sums, top)
        found.append(Path(one.tone, edge, f"{edge} {ends}"))
    yield from reversed(found)


def _place(value: Value, at: int, room: float, top: float, height: float) -> str | None:
    if value is None:
        return None
    return f"{_short((at + 0.5) * room)} {_short(height - height * min(value / top, 1))}"


def _steps(places: Sequence[str | None]) -> Iterator[str]:
    before = None
    for at, place in enumerate(places):
        if place is not None:
            yield f"{'M' if before is None else 'L'}{place}"
            if before is None and (at + 1 == len(places) or places[at + 1] is None):
                yield "h0.01"  # alone between gaps: a dot, by the round ends of its line
        before = place


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
