"""Shapes as a PNG with a palette, written from scratch (PNG, third edition: https://www.w3.org/TR/png-3/)."""

import math
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Disc, Polygon, Shape, channels

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
