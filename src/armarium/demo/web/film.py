"""Films in which things wander across a scene: drawn, cut into squares, and sent where they change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from armarium.demo.web.drawing import shapes
from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Disc, Painting, Shape, channels, mixed, painted
from armarium.demo.web.model import Colours

# --- H.264 in its plainest form: squares are sent as they are (I_PCM), or skipped where nothing moved.
#
# No transform, no prediction, no entropy tables: a whole encoder on one page, which every decoder
# understands, because the standard (ITU-T H.264, Constrained Baseline profile) demands both kinds of
# macroblock.


# --- Bits in the order in which H.264 writes them (ITU-T H.264, 7.2 and 9.1).


class Bits:
    def __init__(self) -> None:
        self._done = bytearray()
        self._value = 0
        self._count = 0

    def put(self, value: int, count: int) -> None:
        """u(n)"""
        self._value = (self._value << count) | value
        self._count += count
        while self._count >= 8:
            self._count -= 8
            self._done.append((self._value >> self._count) & 0xFF)
        self._value &= (1 << self._count) - 1

    def golomb(self, value: int) -> None:
        """ue(v): as many zeros as there are bits behind the first one of value + 1, then value + 1."""
        length = (value + 1).bit_length()
        self.put(0, length - 1)
        self.put(value + 1, length)

    def align(self) -> None:
        """Zeros up to the next byte."""
        if self._count:
            self.put(0, 8 - self._count)

    def raw(self, data: bytes) -> None:
        """Whole bytes; only after `align`."""
        self._done += data

    def ended(self) -> bytes:
        """rbsp_trailing_bits: a one, then zeros up to the next byte."""
        self.put(1, 1)
        self.align()
        return bytes(self._done)


# --- H.264 in its plainest form: squares are sent as they are (I_PCM), or skipped where nothing moved.


SIDE = 16  # of a macroblock
_IN_KEY_FRAME, _IN_OTHERS = 25, 30  # mb_type of I_PCM: table 7-11, and 5 more in P slices (table 7-13)
_FRAME_BITS = 8  # of frame_num


@dataclass(frozen=True)
class Picture:
    """Squares in reading order, each 256 bytes of brightness, then 64 of either colour difference."""

    columns: int
    rows: int
    squares: tuple[bytes, ...]


def parameter_sets(columns: int, rows: int) -> tuple[bytes, bytes]:
    """Sequence and picture parameter set, as NAL units (7.3.2.1, 7.3.2.2)."""
    sequence = Bits()
    for value in (66, 0b11000000, 30):  # Baseline, constrained, level 3
        sequence.put(value, 8)
    for value in (
        0,
        _FRAME_BITS - 4,
        2,
        1,
    ):  # id, length of frame_num, order of output as decoded, one reference
        sequence.golomb(value)
    sequence.put(0, 1)  # no gaps in frame_num
    sequence.golomb(columns - 1)
    sequence.golomb(rows - 1)
    sequence.put(0b1100, 4)  # frames only; direct_8x8; no cropping; no further words about use
    picture = Bits()
    picture.golomb(0)
    picture.golomb(0)
    picture.put(0b00, 2)  # CAVLC; no order of fields
    for value in (0, 0, 0):  # one slice group, one reference each
        picture.golomb(value)
    picture.put(0, 3)  # no weights
    for value in (0, 0, 0):  # quantisers: there is nothing to quantise
        picture.golomb(value)
    picture.put(0b100, 3)  # slices say that they want no deblocking; nothing else
    return _unit(0x67, sequence.ended()), _unit(0x68, picture.ended())


def frames(pictures: Sequence[Picture]) -> Iterator[bytes]:
    """A key frame, then frames that send only the squares that differ from the picture before."""
    before: Picture | None = None
    for number, picture in enumerate(pictures):
        yield _key_frame(picture) if before is None else _frame(picture, before, number)
        before = picture


def _key_frame(picture: Picture) -> bytes:
    bits = _slice_head(7, 0)
    bits.golomb(0)  # idr_pic_id
    bits.put(0, 2)  # dec_ref_pic_marking of an IDR picture
    _slice_end_of_head(bits)
    for square in picture.squares:
        bits.golomb(_IN_KEY_FRAME)
        bits.align()
        bits.raw(square)
    return _unit(0x65, bits.ended())


def _frame(picture: Picture, before: Picture, number: int) -> bytes:
    bits = _slice_head(5, number)
    bits.put(0, 3)  # as many references as said; no reordering; no marking of references
    _slice_end_of_head(bits)
    skipped = 0
    for square, old in zip(picture.squares, before.squares, strict=True):
        if square == old:
            skipped += 1
            continue
        bits.golomb(skipped)
        bits.golomb(_IN_OTHERS)
        bits.align()
        bits.raw(square)
        skipped = 0
    if skipped:
        bits.golomb(skipped)
    return _unit(0x41, bits.ended())


def _slice_head(kind: int, number: int) -> Bits:
    bits = Bits()
    for value in (0, kind, 0):  # from the first square; all slices of this kind; picture parameter set 0
        bits.golomb(value)
    bits.put(number % (1 << _FRAME_BITS), _FRAME_BITS)
    return bits


def _slice_end_of_head(bits: Bits) -> None:
    bits.golomb(0)  # slice_qp_delta
    bits.golomb(1)  # disable_deblocking_filter_idc


def _unit(head: int, payload: bytes) -> bytes:
    """A NAL unit; within it three bytes that look like a start code are broken up (7.4.1)."""
    written = bytearray((head,))
    zeros = 0
    for byte in payload:
        if zeros >= 2 and byte <= 3:
            written.append(3)
            zeros = 0
        written.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(written)


# --- Films in which things wander across a scene: drawn, cut into squares, and sent where they change.


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
