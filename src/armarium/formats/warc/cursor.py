"""One stream of decoded bytes over members, frames or a plain file; it knows where in the file it stands."""

import enum
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from armarium.core.late import late
from armarium.formats.problem import Problem
from armarium.formats.source import Source
from armarium.formats.zstd.header import MAGIC as ZSTD_MAGIC
from armarium.formats.zstd.header import SKIPPABLE

if TYPE_CHECKING:
    from armarium.formats.gzip.members import Members
    from armarium.formats.zstd.frames import Frames
else:  # who writes files need not read any
    Members = late("armarium.formats.gzip.members:Members")
    Frames = late("armarium.formats.zstd.frames:Frames")


KEPT = 64 * 1024  # used bytes that stay at hand, to find a record that a wrong length ran over
SEEK_FROM = 1024 * 1024  # what is left of a block, from which seeking is cheaper than reading on


class Segment(Protocol):
    """A gzip member, a zstd frame, or a whole plain file."""

    plain: bool  # whether a position in it is a position in the file
    offset: int
    end: int  # in the file; 0 until its last bytes were read
    broken: bool  # whether it could not be decoded to its end

    @property
    def problems(self) -> Sequence[Problem]: ...

    def read(self) -> bytes:
        """The next decoded bytes; b"" at its end."""


class Coding(Protocol):
    """What a file is made of."""

    problems: list[Problem]

    def enter(self) -> tuple[Segment, bytes] | None:
        """The next segment that holds anything, with its first bytes, once the one before was read to
        its end.
        """


class PlainSegment:
    """A file that is not compressed, as one segment."""

    plain = True
    broken = False
    problems: tuple[Problem, ...] = ()

    def __init__(self, source: Source) -> None:
        self._source = source
        self.offset = source.offset
        self.end = 0

    def read(self) -> bytes:
        source = self._source
        if source.position >= len(source.data) and not source.more():
            self.end = source.offset
            return b""
        piece = source.data[source.position :]
        source.position = len(source.data)
        return piece

    def go_to(self, offset: int) -> bool:
        """Read on from an offset inside the file; False where that is not possible."""
        size = self._source.size()
        if size is None or offset > size or not self._source.go_to(offset):
            return False
        self.end = 0
        return True


class Plain:
    """The coding of a file that has none."""

    def __init__(self, source: Source) -> None:
        self._source: Source | None = source
        self.problems: list[Problem] = []

    def enter(self) -> tuple[Segment, bytes] | None:
        source, self._source = self._source, None
        if source is None:
            return None
        segment = PlainSegment(source)
        piece = segment.read()
        return (segment, piece) if piece else None


class Cursor:
    """`buffer[position:]` is decoded and not yet used; `base` is where `buffer[0]` stands in the segment."""

    __slots__ = (
        "_ahead",
        "_before",
        "_coding",
        "_starts",
        "base",
        "buffer",
        "position",
        "segment",
        "segments",
    )

    def __init__(self, coding: Coding, starts: Callable[[bytes], bool]) -> None:
        self._coding = coding
        self._starts = starts  # whether a segment that begins so begins with a record
        self._ahead: tuple[Segment, bytes] | None = None
        self.segment: Segment | None = None
        self.segments = 0  # compressed ones that held anything, so far
        self.buffer = b""
        self._before = b""  # what the buffer held before, as long as it stands directly before `buffer[0]`
        self.position = 0
        self.base = 0

    @property
    def place(self) -> tuple[int, int]:
        """Offset in the file, and position in the segment where the offset is only that of the segment."""
        segment = self.segment
        assert segment is not None, "nobody asks for a place before the first segment"
        inner = self.base + self.position
        return (segment.offset + inner, 0) if segment.plain else (segment.offset, inner)

    def fill(self) -> bool:
        """Add the segment's next bytes to what is left; False at its end."""
        segment = self.segment
        if segment is None or segment.end:
            return False
        fresh = segment.read()
        if not fresh:
            return False
        position, buffer = self.position, self.buffer
        if position >= len(buffer):
            self._before, self.buffer = buffer, fresh
            self.base += position
            self.position = 0
            return True
        dropped = position - KEPT if position > KEPT else 0
        if dropped:
            self._before = b""
        self.buffer = buffer[dropped:] + fresh
        self.base += dropped
        self.position = position - dropped
        return True

    def extend(self) -> bool:
        """Add next bytes inside a record, from the next segment too unless a record begins there."""
        return self.fill() or self._cross()

    def enter_next(self) -> bool:
        """Go to the start of the next segment that holds anything; False at the end of the file."""
        ahead = self._ahead
        if ahead is None:
            ahead = self._coding.enter()
            if ahead is None:
                return False
        else:
            self._ahead = None
        self.adopt(*ahead)
        return True

    @property
    def at_end(self) -> bool:
        """Whether all of the segment was used, and nothing behind it was looked at."""
        ended = self.segment is None or self.segment.end > 0
        return ended and self._ahead is None and self.position >= len(self.buffer)

    def adopt(self, segment: Segment, content: bytes) -> None:
        """Go to the start of a segment that somebody else entered."""
        self.segment, self.buffer = segment, content
        self._before = b""
        self.base = self.position = 0
        self.segments += not segment.plain

    def _cross(self) -> bool:
        ahead = self._ahead = self._ahead or self._coding.enter()
        if ahead is None or self._starts(ahead[1]):
            return False
        rest = self.buffer[self.position :]
        self.enter_next()
        self.buffer = rest + self.buffer
        self.base = -len(rest)
        return True

    def take(self, count: int) -> bytes:
        """Up to `count` next bytes of a block; b"" where it ends early."""
        if self.position >= len(self.buffer) and not self.extend():
            return b""
        position = self.position
        piece = self.buffer[position : position + count]
        self.position = position + len(piece)
        return piece

    def look(self, count: int) -> bytes:
        """Up to `count` next bytes of a block without taking them."""
        while len(self.buffer) - self.position < count and self.extend():
            pass
        return self.buffer[self.position : self.position + count]

    def near(self, count: int) -> bytes:
        """Up to `count` next bytes of this segment without taking them."""
        while len(self.buffer) - self.position < count and self.fill():
            pass
        return self.buffer[self.position : self.position + count]

    def pass_over(self, count: int) -> int:
        """Leave `count` bytes of a block behind; how many there were."""
        left = count
        while left:
            step = min(left, len(self.buffer) - self.position)
            self.position += step
            left -= step
            if left >= SEEK_FROM and self.go_to(self.base + self.position + left):
                left = 0
            if left and not self.extend():
                break
        return count - left

    def used(self, count: int) -> bytes:
        """The last `count` bytes before this place, as far as they are at hand."""
        missing = count - self.position
        before = self._before[-missing:] if missing > 0 else b""
        return before + self.buffer[max(-missing, 0) : self.position]

    def go_to(self, inner: int) -> bool:
        """Stand at a position of a plain segment; False where it cannot be reached."""
        if self.base - len(self._before) <= inner < self.base:
            self.buffer = self._before[inner - self.base :] + self.buffer
            self.base, self._before = inner, b""
        if self.base <= inner <= self.base + len(self.buffer):
            self.position = inner - self.base
            return True
        segment = self.segment
        if not isinstance(segment, PlainSegment) or not segment.go_to(segment.offset + inner):
            return False
        self.buffer, self._before, self.position, self.base = b"", b"", 0, inner
        return True


# --- What a file is, by its first bytes: names lie.


GZIP_MAGIC = b"\x1f\x8b"
# Compressions in which W/ARC files are met although no standard knows them.
FOREIGN = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x04\x22\x4d\x18": "LZ4",
    b"PK\x03\x04": "zip",
    b"\x1f\x9d": "compress",
}


class Compression(enum.StrEnum):
    """How the records of a file are compressed."""

    NONE = "none"
    GZIP = "gzip"
    ZSTD = "zstd"


def detect(source: Source, starts_record: Callable[[bytes], bool]) -> tuple[Compression, Coding]:
    """The compression of a file, and its segments."""
    beginning = source.peek(8)
    if beginning.startswith(GZIP_MAGIC):
        return Compression.GZIP, Members(source, starts_record)
    if beginning.startswith(ZSTD_MAGIC) or beginning[:4] in SKIPPABLE:
        return Compression.ZSTD, Frames(source, starts_record)
    return Compression.NONE, Plain(source)


def foreign_compression(beginning: bytes) -> str | None:
    """The name of a compression that W/ARC files must not have."""
    return next((name for magic, name in FOREIGN.items() if beginning.startswith(magic)), None)
