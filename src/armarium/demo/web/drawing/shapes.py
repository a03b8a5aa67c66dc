"""Pictures as lists of plain shapes on a sheet of 640 by 400, from which PNG and SVG are both made."""

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
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


# --- Shapes as a PNG with a palette, written from scratch (PNG, third edition: https://www.w3.org/TR/png-3/).


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MOST_COLOURS = 256

Painting = tuple[list[bytearray], list[str]]  # rows of numbers of colours, and the colours
Span = tuple[int, float, float]  # a line, and from where to where a shape covers it


def png(shapes: Sequence[Shape], width: int = WIDTH) -> bytes:
    """The picture, scaled to a width."""
    rows, palette = painted(shapes, width)
    header = width.to_bytes(4, "big") + len(rows).to_bytes(4, "big") + bytes((8, 3, 0, 0, 0))
    colours = b"".join(bytes(channels(colour)) for colour in palette)
    lines = b"".join(b"\0" + bytes(row) for row in rows)  # filter 0 before each line
    chunks = ((b"IHDR", header), (b"PLTE", colours), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def painted(shapes: Sequence[Shape], width: int, on: Painting | None = None) -> Painting:
    """On a blank sheet, or on what is painted already, which stays as it is."""
    scale = width / WIDTH
    blank = [bytearray(width) for _ in range(round(HEIGHT * scale))]
    rows = [bytearray(row) for row in on[0]] if on else blank
    palette = {colour: number for number, colour in enumerate(on[1])} if on else {}
    for shape in shapes:
        number = palette.setdefault(shape.colour, len(palette))
        if number >= _MOST_COLOURS:
            raise ValueError("The picture has more than 256 colours.")
        ink = bytes((number,)) * width
        for y, left, right in _spans(shape, scale, len(rows)):
            start, end = max(0, round(left * scale)), min(width, round(right * scale))
            if end > start:
                rows[y][start:end] = ink[start:end]
    return rows, list(palette)


def _lines(top: float, foot: float, scale: float, most: int) -> Iterator[tuple[int, float]]:
    """Lines of the picture between two heights, each with the height of its middle on the sheet."""
    for y in range(max(0, int(top * scale)), min(most, int(foot * scale) + 1)):
        yield y, (y + 0.5) / scale


def _spans(shape: Shape, scale: float, most: int) -> Iterator[Span]:
    return _disc_spans(shape, scale, most) if isinstance(shape, Disc) else _polygon_spans(shape, scale, most)


def _disc_spans(disc: Disc, scale: float, most: int) -> Iterator[Span]:
    for y, height in _lines(disc.y - disc.radius, disc.y + disc.radius, scale, most):
        half = disc.radius**2 - (height - disc.y) ** 2
        if half > 0:
            yield y, disc.x - math.sqrt(half), disc.x + math.sqrt(half)


def _polygon_spans(polygon: Polygon, scale: float, most: int) -> Iterator[Span]:
    """Edge by edge, not line by line: most edges of an oval cross few lines."""
    crossings: dict[int, list[float]] = {}
    for (x1, y1), (x2, y2) in pairwise((*polygon.points, polygon.points[0])):
        for y, height in _lines(min(y1, y2), max(y1, y2), scale, most):
            if (y1 <= height) != (y2 <= height):
                crossings.setdefault(y, []).append(x1 + (height - y1) * (x2 - x1) / (y2 - y1))
    for y, found in crossings.items():
        found.sort()
        for left, right in zip(found[::2], found[1::2], strict=False):
            yield y, left, right


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return len(data).to_bytes(4, "big") + kind + data + checksum.to_bytes(4, "big")
