"""Shapes as a PNG with a palette, written from scratch (PNG, third edition: https://www.w3.org/TR/png-3/)."""

import math
import zlib
from collections.abc import Sequence
from itertools import pairwise

from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Disc, Polygon, Shape, channels

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MOST_COLOURS = 256


def png(shapes: Sequence[Shape], width: int = WIDTH) -> bytes:
    """The picture, scaled to a width."""
    rows, palette = painted(shapes, width)
    header = width.to_bytes(4, "big") + len(rows).to_bytes(4, "big") + bytes((8, 3, 0, 0, 0))
    colours = b"".join(bytes(channels(colour)) for colour in palette)
    lines = b"".join(b"\0" + bytes(row) for row in rows)  # filter 0 before each line
    chunks = ((b"IHDR", header), (b"PLTE", colours), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def painted(shapes: Sequence[Shape], width: int) -> tuple[list[bytearray], list[str]]:
    """Rows of numbers of colours, and the colours."""
    scale = width / WIDTH
    rows = [bytearray(width) for _ in range(round(HEIGHT * scale))]
    palette: dict[str, int] = {}
    for shape in shapes:
        number = palette.setdefault(shape.colour, len(palette))
        if number >= _MOST_COLOURS:
            raise ValueError("The picture has more than 256 colours.")
        top, foot = _extent(shape)
        for y in range(max(0, int(top * scale)), min(len(rows), int(foot * scale) + 1)):
            for left, right in _spans(shape, (y + 0.5) / scale):
                start, end = max(0, round(left * scale)), min(width, round(right * scale))
                if end > start:
                    rows[y][start:end] = bytes((number,)) * (end - start)
    return rows, list(palette)


def _extent(shape: Shape) -> tuple[float, float]:
    if isinstance(shape, Disc):
        return shape.y - shape.radius, shape.y + shape.radius
    heights = [y for _, y in shape.points]
    return min(heights), max(heights)


def _spans(shape: Shape, y: float) -> list[tuple[float, float]]:
    """The stretches of a line that lie within the shape."""
    if isinstance(shape, Disc):
        half = shape.radius**2 - (y - shape.y) ** 2
        return [(shape.x - math.sqrt(half), shape.x + math.sqrt(half))] if half > 0 else []
    crossings = sorted(_crossings(shape, y))
    return [*zip(crossings[::2], crossings[1::2], strict=False)]


def _crossings(shape: Polygon, y: float) -> list[float]:
    found = []
    for (x1, y1), (x2, y2) in pairwise((*shape.points, shape.points[0])):
        if (y1 <= y) != (y2 <= y):
            found.append(x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    return found


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return len(data).to_bytes(4, "big") + kind + data + checksum.to_bytes(4, "big")
