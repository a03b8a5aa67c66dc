"""Scenes under the sky: hills, sea, town, night, forest, peaks, snow."""

import math
from collections.abc import Iterator

from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Dice, Disc, Polygon, Shape, box, mixed, oval
from armarium.demo.web.model import Colours

BANDS = 24


def sky(upper: str, lower: str) -> Iterator[Shape]:
    high = HEIGHT / BANDS
    for band in range(BANDS):
        yield box(0, band * high, WIDTH, high + 1, mixed(upper, lower, band / (BANDS - 1)))


def ridge(dice: Dice, base: float, rise: float, colour: str, waves: int = 3) -> Shape:
    """A line of hills from the left to the right edge, filled down to the bottom."""
    turns = [(dice.between(0, 6.3), dice.between(0.5, 1.0) / (wave + 1)) for wave in range(waves)]
    tops = []
    for x in range(0, WIDTH + 16, 16):
        height = sum(
            share * math.sin(start + x / WIDTH * 6.3 * (wave + 1))
            for wave, (start, share) in enumerate(turns)
        )
        tops.append((float(x), base - rise * height))
    return Polygon(((0.0, float(HEIGHT)), *tops, (float(WIDTH + 16), float(HEIGHT))), colour)


def hills(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield from sky(mixed(colours.second, "#ffffff", 0.35), mixed(colours.paper, "#ffffff", 0.4))
    yield Disc(dice.between(80, 560), dice.between(60, 130), dice.between(26, 44), colours.accent)
    for number in range(4):
        shade = mixed(colours.second, colours.ink, 0.15 + 0.2 * number)
        yield ridge(dice, 210 + 48 * number, 34 - 5 * number, shade)
    for _ in range(9):
        yield from fir(dice.between(10, 630), dice.between(340, 392), dice.between(18, 40), colours.ink)


def fir(x: float, foot: float, high: float, colour: str) -> Iterator[Shape]:
    for step in range(3):
        top = foot - high * (1 - step * 0.22)
        half = high * (0.2 + 0.08 * step)
        yield Polygon(((x, top), (x + half, top + high * 0.42), (x - half, top + high * 0.42)), colour)
    yield box(x - 2, foot - high * 0.16, 4, high * 0.16, colour)


def sea(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield from sky(mixed(colours.second, "#ffffff", 0.55), mixed(colours.accent, "#ffffff", 0.6))
    yield Disc(dice.between(120, 520), 190, 46, mixed(colours.accent, "#ffffff", 0.25))
    for number in range(8):
        shade = mixed(colours.second, colours.ink, number / 10)
        yield ridge(dice, 212 + 24 * number, 3 + number, shade, 4)
    for _ in range(3):
        yield from boat(dice.between(60, 560), dice.between(228, 320), dice.between(22, 52), colours)


def boat(x: float, y: float, size: float, colours: Colours) -> Iterator[Shape]:
    hull = ((x - size, y), (x + size, y), (x + size * 0.6, y + size * 0.4), (x - size * 0.6, y + size * 0.4))
    yield Polygon(hull, colours.ink)
    yield Polygon(((x, y - size * 1.6), (x, y - 4), (x - size * 0.8, y - 4)), colours.paper)
    yield Polygon(((x + 4, y - size * 1.3), (x + 4, y - 4), (x + size * 0.6, y - 4)), colours.accent)


def town(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield from sky(mixed(colours.accent, "#ffffff", 0.5), mixed(colours.paper, "#ffffff", 0.3))
    yield ridge(dice, 250, 26, mixed(colours.second, colours.paper, 0.4))
    x = -10.0
    while x < WIDTH:
        wide, high = dice.between(44, 84), dice.between(90, 190)
        yield from house(dice, x, 372, wide, high, colours)
        x += wide + dice.between(0, 5)
    yield box(0, 370, WIDTH, 30, mixed(colours.ink, colours.paper, 0.3))


def house(dice: Dice, x: float, foot: float, wide: float, high: float, colours: Colours) -> Iterator[Shape]:
    wall = dice.pick(
        (
            colours.soft,
            colours.paper,
            mixed(colours.accent, "#ffffff", 0.5),
            mixed(colours.second, "#ffffff", 0.45),
        )
    )
    top = foot - high
    yield Polygon(((x - 4, top), (x + wide / 2, top - wide * 0.5), (x + wide + 4, top)), colours.accent)
    yield box(x, top, wide, high, wall)
    for row in range(int(high // 38)):
        for column in range(2):
            lit = dice.share() < 0.35
            glass = "#ffe9a3" if lit else mixed(colours.ink, colours.second, 0.3)
            yield box(x + wide * (0.16 + 0.42 * column), top + 12 + 36 * row, wide * 0.24, 20, glass)
    yield box(x + wide * 0.38, foot - 26, wide * 0.24, 26, colours.ink)


def night(dice: Dice, colours: Colours) -> Iterator[Shape]:
    dark = mixed(min(colours.ink, colours.paper), "#000022", 0.6)
    yield from sky(dark, mixed(colours.second, dark, 0.45))
    for _ in range(110):
        yield Disc(dice.between(0, 640), dice.between(0, 290), dice.between(0.6, 2.4), "#fff8dd")
    x, y = dice.between(100, 540), dice.between(60, 120)
    yield Disc(x, y, 38, mixed(colours.accent, "#fffbe0", 0.8))
    yield Disc(x + 15, y - 7, 33, mixed(dark, colours.second, 0.1))
    yield ridge(dice, 320, 22, mixed(dark, "#000000", 0.3))
    yield ridge(dice, 360, 14, mixed(dark, "#000000", 0.6))


def forest(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield from sky(mixed(colours.second, "#ffffff", 0.75), mixed(colours.soft, "#ffffff", 0.2))
    for row in range(5):
        shade = mixed(mixed(colours.second, "#ffffff", 0.5), colours.ink, 0.18 * (row + 1))
        yield box(0, 262 + 32 * row, WIDTH, HEIGHT, shade)
        for _ in range(16 - 2 * row):
            yield from fir(dice.between(-10, 650), 272 + 32 * row, dice.between(60, 90) + 16 * row, shade)


def peak(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield from sky(mixed(colours.second, "#ffffff", 0.3), mixed(colours.paper, "#ffffff", 0.6))
    for number in range(5):
        x, top = dice.between(20, 620), dice.between(60, 170)
        half = dice.between(150, 260)
        shade = mixed(colours.second, colours.ink, 0.12 * number + 0.1)
        yield Polygon(((x, top), (x + half, 400.0), (x - half, 400.0)), shade)
        cap = 0.2
        left, right = x - half * cap, x + half * cap
        low = top + (400 - top) * cap
        zigzag = (
            (right, low),
            (x + half * 0.07, low - 14),
            (x, low + 8),
            (x - half * 0.08, low - 12),
            (left, low),
        )
        yield Polygon(((x, top), *zigzag), "#fdfdff")
    yield ridge(dice, 350, 16, mixed(colours.second, colours.ink, 0.75))


def pond(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield from sky(mixed(colours.soft, "#ffffff", 0.5), colours.paper)
    yield ridge(dice, 190, 18, mixed(colours.second, colours.ink, 0.3))
    yield oval(320, 310, 300, 84, mixed(colours.second, "#ffffff", 0.55))
    yield oval(310, 304, 270, 68, mixed(colours.second, "#ffffff", 0.7))
    for _ in range(12):
        x, y = dice.between(90, 540), dice.between(264, 352)
        yield oval(x, y, dice.between(12, 24), 7, mixed(colours.second, colours.ink, 0.35))
        if dice.share() < 0.5:
            yield Disc(x, y - 6, 6, colours.accent)
