"""Films in which things wander across a scene: drawn, cut into squares, and sent where they change."""

from collections.abc import Sequence
from functools import cache

from armarium.demo.web.drawing import shapes
from armarium.demo.web.drawing.png import Painting, painted
from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Disc, Shape, channels, mixed
from armarium.demo.web.media.h264 import SIDE, Picture, frames, parameter_sets
from armarium.demo.web.model import Colours

# --- The MP4 container around frames of H.264 (ISO/IEC 14496-12 and -15).


_UNITY = b"".join(value.to_bytes(4, "big") for value in (0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000))


def mp4(sets: tuple[bytes, bytes], frames: Sequence[bytes], width: int, height: int, rate: int) -> bytes:
    """`rate`: frames a second. The index comes first, so that it plays while it is loaded."""
    samples = [_number(len(frame)) + frame for frame in frames]
    opening = _box(b"ftyp", b"isom" + _number(512) + b"isomiso2avc1mp41")
    size = len(_film(sets, samples, width, height, rate, 0))
    film = _film(sets, samples, width, height, rate, len(opening) + size + 8)
    return opening + film + _box(b"mdat", b"".join(samples))


def _film(
    sets: tuple[bytes, bytes], samples: Sequence[bytes], width: int, height: int, rate: int, start: int
) -> bytes:
    length = len(samples)
    head = _full(
        b"mvhd",
        _number(0, 0, rate, length) + _number(0x10000, 0x1000000, 0, 0) + _UNITY + bytes(24) + _number(2),
    )
    track = _full(
        b"tkhd",
        _number(0, 0, 1, 0, length, 0, 0, 0, 0) + _UNITY + _number(width << 16, height << 16),
        flags=3,
    )
    media = _box(
        b"mdia",
        _full(b"mdhd", _number(0, 0, rate, length) + b"\x55\xc4\0\0"),
        _full(b"hdlr", _number(0) + b"vide" + bytes(12) + b"Film\0"),
        _box(
            b"minf",
            _full(b"vmhd", bytes(8), flags=1),
            _box(b"dinf", _full(b"dref", _number(1) + _full(b"url ", b"", flags=1))),
            _table(sets, samples, width, height, start),
        ),
    )
    return _box(b"moov", head, _box(b"trak", track, media))


def _table(sets: tuple[bytes, bytes], samples: Sequence[bytes], width: int, height: int, start: int) -> bytes:
    """Where each frame lies, and what a decoder must know before the first."""
    size = width.to_bytes(2, "big") + height.to_bytes(2, "big")
    entry = bytes(6) + b"\0\1" + bytes(16) + size + _number(0x480000, 0x480000, 0) + b"\0\1" + bytes(32)
    entry += b"\0\x18\xff\xff" + _box(b"avcC", _decoder(sets))
    return _box(
        b"stbl",
        _full(b"stsd", _number(1) + _box(b"avc1", entry)),
        _full(b"stts", _number(1, len(samples), 1)),
        _full(b"stss", _number(1, 1)),
        _full(b"stsc", _number(1, 1, len(samples), 1)),
        _full(b"stsz", _number(0, len(samples), *map(len, samples))),
        _full(b"stco", _number(1, start)),
    )


def _decoder(sets: tuple[bytes, bytes]) -> bytes:
    sequence, picture = sets
    return (
        b"\1" + sequence[1:4] + b"\xff\xe1" + len(sequence).to_bytes(2, "big") + sequence
        + b"\1" + len(picture).to_bytes(2, "big") + picture
    )  # fmt: skip


def _number(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "big") for value in values)


def _box(kind: bytes, *parts: bytes) -> bytes:
    data = b"".join(parts)
    return _number(len(data) + 8) + kind + data


def _full(kind: bytes, data: bytes, flags: int = 0) -> bytes:
    return _box(kind, _number(flags) + data)


# --- Films in which things wander across a scene: drawn, cut into squares, and sent where they change.


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
