"""Pictures as lists of plain shapes on a sheet of 640 by 400, from which PNG and SVG are both made."""

import math
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 400

Point = tuple[float, float]


@dataclass(frozen=True)
class Polygon:
    points: tuple[Point, ...]
    colour: str


@dataclass(frozen=True)
class Disc:
    x: float
    y: float
    radius: float
    colour: str


Shape = Polygon | Disc


def box(x: float, y: float, width: float, height: float, colour: str) -> Polygon:
    return Polygon(((x, y), (x + width, y), (x + width, y + height), (x, y + height)), colour)


def oval(x: float, y: float, wide: float, high: float, colour: str) -> Polygon:
    turns = [2 * math.pi * step / 36 for step in range(36)]
    return Polygon(tuple((x + wide * math.cos(turn), y + high * math.sin(turn)) for turn in turns), colour)


def mixed(one: str, other: str, share: float) -> str:
    """A colour between two: `share` of the second."""
    pairs = zip(channels(one), channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
