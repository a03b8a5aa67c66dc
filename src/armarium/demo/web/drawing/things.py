"""Things on a table or on a wall: lanterns, loaves, bees, flowers, faces, clocks, books, umbrellas."""

import math
from collections.abc import Iterator

from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Dice, Disc, Polygon, Shape, box, mixed, oval
from armarium.demo.web.model import Colours


def wall(colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.soft, colours.paper, 0.4))
    yield box(0, 320, WIDTH, 80, mixed(colours.second, colours.ink, 0.25))
    yield box(0, 316, WIDTH, 6, mixed(colours.second, colours.ink, 0.5))


def lantern(dice: Dice, colours: Colours) -> Iterator[Shape]:
    dark = mixed(min(colours.ink, colours.paper), "#000000", 0.35)  # "#17…" is darker than "#f6…"
    yield box(0, 0, WIDTH, HEIGHT, dark)
    x, glow = 320.0, dice.pick(("#ffd36b", "#ffb454", "#ffe9a3", "#ff9d6b", "#bfe8d0"))
    for step in range(9):
        yield Disc(x, 215, 230 - 22 * step, mixed(dark, glow, 0.055 * (step + 1)))
    wide, high = dice.between(44, 78), dice.between(120, 180)
    top, foot = 215 - high / 2, 215 + high / 2
    metal = mixed(colours.accent, "#201810", dice.between(0.2, 0.6))
    yield from ring(x, top - 52, 24, 5, metal, mixed(dark, glow, 0.15))
    yield Polygon(((x - wide - 10, top), (x, top - 46), (x + wide + 10, top)), metal)
    yield box(x - wide, top, 2 * wide, high, mixed(glow, "#ffffff", 0.25))
    yield oval(x, 225, 15, 34, "#fff6d8")
    yield oval(x, 236, 8, 18, glow)
    bars = int(dice.between(2, 6))
    for bar in range(bars + 1):
        yield box(x - wide + 2 * wide * bar / bars - 3, top, 6, high, metal)
    yield box(x - wide - 12, foot, 2 * wide + 24, 16, metal)
    yield box(x - wide - 2, foot + 16, 2 * wide + 4, 8, mixed(metal, "#000000", 0.3))


def ring(x: float, y: float, radius: float, thick: float, colour: str, inside: str) -> Iterator[Shape]:
    yield Disc(x, y, radius, colour)
    yield Disc(x, y, radius - thick, inside)


def loaf(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield from wall(colours)
    crust = dice.pick(("#b5702c", "#9c5a24", "#c58a45", "#7d4a22"))
    wide, high = dice.between(130, 200), dice.between(56, 90)
    yield oval(320, 326, wide + 26, 20, mixed(colours.ink, colours.second, 0.5))
    yield oval(320, 318 - high * 0.9, wide, high, crust)
    yield oval(312, 306 - high * 0.95, wide * 0.9, high * 0.78, mixed(crust, "#ffe2b0", 0.3))
    cuts = int(dice.between(2, 6))
    for cut in range(cuts):
        x = 320 - wide * 0.6 + wide * 1.2 * (cut + 0.5) / cuts
        y = 300 - high
        yield Polygon(((x - 18, y + 26), (x + 10, y - 24), (x + 18, y - 20), (x - 8, y + 30)), "#f6dfb4")
    for _ in range(40):
        yield Disc(dice.between(100, 540), dice.between(330, 392), dice.between(1, 3), "#f6e7c8")


def bee(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.accent, "#ffffff", 0.55))
    for row in range(6):
        for column in range(10):
            x, y = 36 + 72 * column + (36 if row % 2 else 0), 24 + 70 * row
            share = dice.between(0.05, 0.5)
            yield hexagon(x, y, 38, mixed(colours.accent, "#fff4cf", share))
    for _ in range(int(dice.between(2, 5))):
        yield from _one_bee(dice.between(90, 550), dice.between(80, 330), dice.between(26, 54))


def hexagon(x: float, y: float, radius: float, colour: str) -> Shape:
    turns = [math.pi / 6 + math.pi / 3 * step for step in range(6)]
    return Polygon(
        tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns), colour
    )


def _one_bee(x: float, y: float, size: float) -> Iterator[Shape]:
    yield oval(x - size * 0.2, y - size * 0.6, size * 0.34, size * 0.5, "#f4fbff")
    yield oval(x + size * 0.35, y - size * 0.55, size * 0.3, size * 0.46, "#e2f1fa")
    yield oval(x, y, size, size * 0.55, "#f2b632")
    for stripe in (-0.45, 0.0, 0.45):
        half = size * 0.55 * math.sqrt(1 - stripe**2)
        yield box(x + size * stripe - size * 0.1, y - half, size * 0.2, 2 * half, "#2b2115")
    yield Disc(x + size * 0.95, y, size * 0.32, "#2b2115")
    yield Disc(x + size * 1.05, y - size * 0.08, size * 0.08, "#ffffff")


def flower(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.soft, "#ffffff", 0.4))
    for number in range(5):
        x, y = 80 + 120 * number + dice.between(-24, 24), dice.between(100, 220)
        stem = mixed(colours.second, "#2f5d34", 0.6)
        yield Polygon(((x - 3, y), (x + 3, y), (x + 8, 400.0), (x, 400.0)), stem)
        yield oval(x + 24, dice.between(280, 340), 26, 9, stem)
        petals = int(dice.between(5, 10))
        petal = dice.pick((colours.accent, mixed(colours.accent, "#ffffff", 0.4), colours.second))
        for step in range(petals):
            turn = 2 * math.pi * step / petals
            yield Disc(x + 30 * math.cos(turn), y + 30 * math.sin(turn), 19, petal)
        yield Disc(x, y, 17, "#f7d154")


def face(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.second, colours.paper, 0.55))
    skin = dice.pick(("#f1c9a5", "#d9a066", "#8d5b3a", "#5f3b25", "#e8b58e"))
    hair = dice.pick(("#2a1b12", "#6b3f1d", "#c9a24a", "#8c8c8c", "#a33c1f"))
    yield oval(320, 420, 190, 130, dice.pick((colours.accent, colours.ink, colours.second)))
    yield box(286, 250, 68, 70, mixed(skin, "#000000", 0.12))
    yield oval(320, 160, 116, dice.between(110, 132), hair)
    yield oval(320, 190, 92, 112, skin)
    yield oval(320, 92, dice.between(70, 104), 40, hair)
    for side in (-1, 1):
        yield oval(320 + 36 * side, 180, 13, 9, "#ffffff")
        yield Disc(320 + 36 * side, 181, 6, "#22180f")
    if dice.share() < 0.5:
        for side in (-1, 1):
            yield from ring(320 + 36 * side, 181, 26, 4, colours.ink, skin)
            yield Disc(320 + 36 * side, 181, 6, "#22180f")
    yield Polygon(((320, 186), (332, 222), (308, 222)), mixed(skin, "#000000", 0.15))
    yield oval(320, 252, dice.between(22, 38), dice.between(5, 12), "#9c3d3a")


def clock(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield from wall(colours)
    yield from ring(
        320, 180, 150, 16, mixed(colours.accent, "#2b1a0c", 0.4), mixed(colours.paper, "#ffffff", 0.5)
    )
    for hour in range(12):
        turn = hour / 12 * 2 * math.pi
        yield Disc(
            320 + 116 * math.sin(turn), 180 - 116 * math.cos(turn), 7 if hour % 3 == 0 else 4, colours.ink
        )
    for length, half in ((66, 6.0), (104, 3.5)):
        turn = dice.between(0, 2 * math.pi)
        tip = (320 + length * math.sin(turn), 180 - length * math.cos(turn))
        across = (half * math.cos(turn), half * math.sin(turn))
        yield Polygon(
            ((320 - across[0], 180 - across[1]), tip, (320 + across[0], 180 + across[1])), colours.ink
        )
    yield Disc(320, 180, 10, colours.accent)


def books(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.ink, "#3a2414", 0.55))
    for shelf in (130, 256, 382):
        x = 12.0
        while x < 606:
            wide, high = dice.between(16, 40), dice.between(70, 108)
            cover = mixed(
                dice.pick((colours.accent, colours.second, colours.soft, "#8c2f2f")), "#000000", 0.15
            )
            yield box(x, shelf - high, wide, high, cover)
            yield box(x + 3, shelf - high * 0.8, wide - 6, 6, mixed(cover, "#ffffff", 0.6))
            x += wide + 2
        yield box(0, shelf, WIDTH, 12, mixed("#6b4423", colours.ink, 0.3))


def umbrella(dice: Dice, colours: Colours) -> Iterator[Shape]:
    yield box(0, 0, WIDTH, HEIGHT, mixed(colours.second, "#ffffff", 0.72))
    for _ in range(70):
        x, y = dice.between(0, 640), dice.between(0, 400)
        yield Polygon(
            ((x, y), (x + 2, y), (x - 4, y + 16), (x - 6, y + 16)), mixed(colours.second, "#ffffff", 0.4)
        )
    cloth = dice.pick((colours.accent, colours.second, colours.ink))
    ribs = 6
    for rib in range(ribs):
        left, right = 120 + 400 * rib / ribs, 120 + 400 * (rib + 1) / ribs
        shade = mixed(cloth, "#ffffff", 0.22) if rib % 2 else cloth
        yield Polygon(((320, 66), (left, 214), ((left + right) / 2, 196), (right, 214)), shade)
    yield box(316, 60, 8, 256, colours.ink)
    yield from ring(300, 316, 24, 8, colours.ink, mixed(colours.second, "#ffffff", 0.72))
    yield box(270, 284, 46, 32, mixed(colours.second, "#ffffff", 0.72))
