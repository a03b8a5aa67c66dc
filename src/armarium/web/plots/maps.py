"""Where the parts of a whole and the cells of a map stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armarium.web.plots.model import HeatMap, Part, Shares, Treemap

WIDTH, HEIGHT = 600.0, 240.0
BAR = 600.0
CELL = 10.0
TONES = ("first", "second", "third", "fourth", "fifth", "soft")
SHADES = 5
FEWEST = 3


@dataclass(frozen=True)
class Stretch:
    """A part of a bar."""

    part: Part
    tone: str
    x: float
    width: float
    percent: float


@dataclass(frozen=True)
class Box:
    """A part of an area."""

    part: Part
    tone: str
    x: float
    y: float
    width: float
    height: float
    percent: float


@dataclass(frozen=True)
class Cell:
    row: int
    column: int
    shade: int  # 0: nothing … SHADES: the most


def tone(at: int, part: Part) -> str:
    return part.tone or TONES[min(at, len(TONES) - 1)]


def stretches(shares: Shares) -> tuple[Stretch, ...]:
    whole = sum(part.value for part in shares.parts) or 1
    x, found = 0.0, []
    for at, part in enumerate(shares.parts):
        width = BAR * part.value / whole
        found.append(Stretch(part, tone(at, part), round(x, 2), round(width, 2), 100 * part.value / whole))
        x += width
    return tuple(found)


def boxes(treemap: Treemap) -> tuple[Box, ...]:
    """The largest first, in rows as near to squares as may be."""
    parts = sorted((part for part in treemap.parts if part.value > 0), key=lambda part: -part.value)
    whole = sum(part.value for part in parts) or 1
    areas = [part.value / whole * WIDTH * HEIGHT for part in parts]
    places = _squarified(areas, 0, 0, WIDTH, HEIGHT)
    return tuple(
        Box(part, tone(at, part), *_rounded(place), 100 * part.value / whole)
        for at, (part, place) in enumerate(zip(parts, places, strict=True))
    )


Rectangle = tuple[float, float, float, float]


def _squarified(
    areas: Sequence[float], x: float, y: float, width: float, height: float
) -> Iterator[Rectangle]:
    """Rows along the shorter side of what is left; a part joins a row as long as that makes it no thinner."""
    left = list(areas)
    while left:
        side = min(width, height) or 1e-9
        taken = 1
        while taken < len(left) and _worst(left[: taken + 1], side) <= _worst(left[:taken], side):
            taken += 1
        row, left = left[:taken], left[taken:]
        depth = sum(row) / side
        along = 0.0
        for area in row:
            length = area / depth if depth else 0
            yield (x, y + along, depth, length) if width >= height else (x + along, y, length, depth)
            along += length
        if width >= height:
            x, width = x + depth, max(width - depth, 0)
        else:
            y, height = y + depth, max(height - depth, 0)


def _rounded(place: Rectangle) -> Rectangle:
    x, y, width, height = place
    return round(x, 2), round(y, 2), round(width, 2), round(height, 2)


def _worst(row: Sequence[float], side: float) -> float:
    """How far the thinnest of a row is from a square."""
    total = sum(row)
    return max(max(side**2 * area / total**2, total**2 / (side**2 * area)) for area in row)


def cells(heat: HeatMap) -> tuple[Cell, ...]:
    highest = max((value or 0 for row in heat.values for value in row), default=0) or 1
    return tuple(
        Cell(at, column, _shade(value, highest))
        for at, row in enumerate(heat.values)
        for column, value in enumerate(row)
        if value is not None
    )


def _shade(value: float, highest: float) -> int:
    """Of five, the lightest for all that is more than nothing."""
    return 0 if value <= 0 else max(1, round(SHADES * value / highest))
