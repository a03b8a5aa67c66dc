"""H.264 in its plainest form: squares are sent as they are (I_PCM), or skipped where nothing moved.

No transform, no prediction, no entropy tables: a whole encoder on one page, which every decoder understands,
because the standard (ITU-T H.264, Constrained Baseline profile) demands both kinds of macroblock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
