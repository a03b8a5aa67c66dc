"""Films in which things wander across a scene: drawn, cut into squares, and sent where they change."""

from collections.abc import Sequence
from functools import cache

from armarium.demo.web.drawing import shapes
from armarium.demo.web.drawing.png import Painting, painted
from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Disc, Shape, channels, mixed
from armarium.demo.web.media.h264 import SIDE, Picture, frames, parameter_sets
from armarium.demo.web.media.mp4 import mp4
from armarium.demo.web.model import Colours

COLUMNS, ROWS = 16, 10  # 256 by 160
WIDE = COLUMNS * SIDE
FRAMES, RATE = 48, 12


@cache
def film(scene: str, words: str, colours: Colours) -> bytes:
    """Four seconds: something bright crosses the scene, with a trail behind it."""
    ground = painted(shapes(scene, words, colours), WIDE)
    pictures = [_cut(painted(_wanderer(step, colours), WIDE, ground)) for step in range(FRAMES)]
    sent = [*frames(pictures)]
    return mp4(parameter_sets(COLUMNS, ROWS), sent, WIDE, ROWS * SIDE, RATE)


def _wanderer(step: int, colours: Colours) -> Sequence[Shape]:
    at = step / (FRAMES - 1)
    x, y = 40 + (WIDTH - 80) * at, HEIGHT * (0.55 - 1.4 * at * (1 - at))
    bright = mixed(colours.accent, "#ffffff", 0.35)
    return [Disc(x - 14, y + 5, 12, colours.accent), Disc(x, y, 18, bright), Disc(x + 4, y - 3, 8, "#ffffff")]


def _cut(painting: Painting) -> Picture:
    rows, palette = painting
    tables = [bytes(plane) for plane in zip(*map(_video_colour, palette), strict=True)]
    bright, blue, red = (
        [bytes(row).translate(table + bytes(256 - len(table))) for row in rows] for table in tables
    )
    squares = []
    for top in range(0, ROWS * SIDE, SIDE):
        for left in range(0, WIDE, SIDE):
            lines = range(top, top + SIDE)
            full = b"".join(bright[y][left : left + SIDE] for y in lines)
            halves = (plane[y][left : left + SIDE : 2] for plane in (blue, red) for y in lines[::2])
            squares.append(full + b"".join(halves))
    return Picture(COLUMNS, ROWS, tuple(squares))


def _video_colour(colour: str) -> tuple[int, int, int]:
    """Brightness and colour differences in the range of television (ITU-R BT.601)."""
    red, green, blue = channels(colour)
    return (
        round(16 + (65.481 * red + 128.553 * green + 24.966 * blue) / 255),
        round(128 + (-37.797 * red - 74.203 * green + 112.0 * blue) / 255),
        round(128 + (112.0 * red - 93.786 * green - 18.214 * blue) / 255),
    )
