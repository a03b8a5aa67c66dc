"""Flat ornament: quilts, notes, charts, stamps, banners, maps, boards, fish."""

import math
from collections.abc import Iterator

from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Dice, Disc, Polygon, Shape, box, mixed, oval
from armarium.demo.web.model import Colours


def quilt(dice: Dice, colours: Colours) -> Iterator[Shape]:
    choice = (
        colours.paper,
        colours.accent,
        colours.second,
        colours.soft,
        mixed(colours.accent, "#ffffff", 0.5),
    )
    for row in range(5):
        for column in range(8):
            x, y = 80.0 * column, 80.0 * row
            yield box(x, y, 80, 80, dice.pick(choice))
            corners = ((x, y), (x + 80, y), (x + 80, y + 80), (x, y + 80))
            start = int(dice.between(0, 4))
            yield Polygon(tuple(corners[(start + step) % 4] for step in range(3)), dice.pick(choice))


def notes(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.paper, "#ffffff", 0.5))
    for staff in (70, 190, 310):
        for line in range(5):
            yield box(30, staff + 14 * line, 580, 2, colours.ink)
        for beat in range(12):
            x, y = 70 + 46 * beat, staff + 7 * int(dice.between(-1, 9))
            colour = colours.accent if dice.share() < 0.2 else colours.ink
            yield oval(x, y, 10, 7, colour)
            yield box(x + 8, y - 40, 2.5, 40, colour)


def chart(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.paper, "#ffffff", 0.6))
    for line in range(6):
        yield box(50, 50 + 60 * line, 560, 1, mixed(colours.ink, colours.paper, 0.7))
    for column in range(12):
        high = dice.between(40, 280)
        yield box(62 + 46 * column, 350 - high, 30, high, colours.second if column % 2 else colours.accent)
    yield box(48, 350, 564, 3, colours.ink)


def banner(dice: Dice, colours: Colours) -> Iterator[Shape]:
    """Broad stripes and circles, for heads of pages."""
    yield box(0, 0, WIDTH, HEIGHT, colours.second)
    for number in range(7):
        x = dice.between(-80, 640)
        shade = mixed(colours.second, colours.accent, dice.between(0.1, 0.7))
        yield Polygon(((x, 0.0), (x + 120, 0.0), (x - 60, 400.0), (x - 180, 400.0)), shade)
        yield Disc(dice.between(0, 640), dice.between(0, 400), 16 + 8 * number, mixed(shade, "#ffffff", 0.25))


def chart_of_the_sea(dice: Dice, colours: Colours) -> Iterator[Shape]:
    """A map with islands, depths and a rose."""
    water = mixed(colours.second, "#ffffff", 0.7)
    yield box(0, 0, WIDTH, HEIGHT, water)
    for line in range(1, 8):
        yield box(80 * line, 0, 1, HEIGHT, mixed(water, colours.ink, 0.2))
        yield box(0, 50 * line, WIDTH, 1, mixed(water, colours.ink, 0.2))
    for _ in range(7):
        x, y, size = dice.between(60, 580), dice.between(50, 350), dice.between(18, 62)
        for share, shade in (
            (1.45, mixed(water, "#ffffff", 0.4)),
            (1.0, colours.soft),
            (0.6, colours.accent),
        ):
            yield coast(dice, x, y, size * share, shade)
    for point in range(8):
        turn, length = math.pi / 4 * point, 44 if point % 2 == 0 else 24
        left, right = turn - 0.35, turn + 0.35
        tip = (560 + length * math.sin(turn), 330 - length * math.cos(turn))
        sides = [(560 + 10 * math.sin(side), 330 - 10 * math.cos(side)) for side in (left, right)]
        yield Polygon((sides[0], tip, sides[1]), colours.ink)


def coast(dice: Dice, x: float, y: float, size: float, colour: str) -> Shape:
    points = []
    for step in range(20):
        turn, far = 2 * math.pi * step / 20, size * dice.between(0.75, 1.15)
        points.append((x + far * math.cos(turn), y + 0.75 * far * math.sin(turn)))
    return Polygon(tuple(points), colour)


def board(dice: Dice, colours: Colours) -> Iterator[Shape]:
    """A game of chess in a late hour."""
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.ink, colours.second, 0.3))
    taken = {(int(dice.between(0, 8)), int(dice.between(0, 8))) for _ in range(13)}
    for row in range(8):
        for column in range(8):
            x, y = 136 + 46 * column, 16 + 46 * row
            yield box(x, y, 46, 46, colours.paper if (row + column) % 2 == 0 else colours.second)
            if (row, column) in taken:
                piece = "#fffaf0" if dice.share() < 0.5 else "#1e1712"
                yield Polygon(((x + 10, y + 40), (x + 36, y + 40), (x + 28, y + 18), (x + 18, y + 18)), piece)
                yield Disc(x + 23, y + 14, 9, piece)


def fish(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.second, "#ffffff", 0.3))
    for _ in range(9):
        x, y, size = dice.between(60, 580), dice.between(40, 360), dice.between(20, 50)
        body = dice.pick((colours.accent, colours.paper, colours.soft))
        yield Polygon(
            ((x - size * 0.8, y), (x - size * 1.5, y - size * 0.5), (x - size * 1.5, y + size * 0.5)), body
        )
        yield oval(x, y, size, size * 0.5, body)
        yield Disc(x + size * 0.55, y - size * 0.1, size * 0.1, colours.ink)
    for _ in range(26):
        yield Disc(
            dice.between(0, 640),
            dice.between(0, 400),
            dice.between(2, 7),
            mixed(colours.second, "#ffffff", 0.7),
        )


def stamp(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.paper, colours.ink, 0.12))
    yield box(140, 30, 360, 340, "#fffdf6")
    for hole in range(13):
        for x, y in (
            (140 + 30 * hole, 30),
            (140 + 30 * hole, 370),
            (140, 30 + 28.3 * hole),
            (500, 30 + 28.3 * hole),
        ):
            yield Disc(x, y, 9, mixed(colours.paper, colours.ink, 0.12))
    yield box(168, 58, 304, 284, dice.pick((colours.accent, colours.second)))
    for step in range(6):
        yield Disc(320, 200, 118 - 20 * step, mixed(colours.soft, colours.ink, dice.between(0, 0.6)))
