"""Pictures as lists of plain shapes on a sheet of 640 by 400, from which PNG and SVG are both made."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

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


# --- Chance that always falls the same way: each number follows from the words that it was made of.


T = TypeVar("T")


class Dice:
    def __init__(self, words: str) -> None:
        self._words = words
        self._thrown = 0

    def share(self) -> float:
        """From 0 up to, not including, 1."""
        self._thrown += 1
        digest = sha256(f"{self._words}/{self._thrown}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / (1 << 48)

    def between(self, least: float, most: float) -> float:
        return least + self.share() * (most - least)

    def pick(self, things: Sequence[T]) -> T:
        return things[int(self.share() * len(things))]


# --- Shapes as SVG.


def svg(shapes: Sequence[Shape]) -> bytes:
    drawn = "\n".join(_element(shape) for shape in shapes)
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
    return f"{opening}\n{drawn}\n</svg>\n".encode()


def _element(shape: Shape) -> str:
    if isinstance(shape, Disc):
        return f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:.1f}" fill="{shape.colour}"/>'
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
    return f'<polygon points="{points}" fill="{shape.colour}"/>'
