"""Files that were put together from differently compressed ones (`cat a.warc.gz b.warc`).

    gzip ──no member, but a record──▶ plain ──no record, but a member that holds one──▶ gzip

Comes in: a `Source`, and what begins a record.
Goes out: the segments of the file, whatever their coding, and a problem where the coding changes.
It must never take bytes for another coding unless a record comes out of them.
"""

import io
from collections.abc import Callable

import zstandard

from armarium.formats.gzip.members import Members
from armarium.formats.gzip.search import PROBE, START, first_inflated
from armarium.formats.problem import Problem
from armarium.formats.source import Source
from armarium.formats.warc.cursor import (
    GZIP_MAGIC,
    Coding,
    Compression,
    Cursor,
    Plain,
    PlainSegment,
    Segment,
    detect,
    foreign_compression,
)
from armarium.formats.warc.damage import DAMAGE
from armarium.formats.warc.grammar import ARC, BYTE_ORDER_MARK, WARC
from armarium.formats.zstd.frames import LARGEST_WINDOW, Frames
from armarium.formats.zstd.header import MAGIC as ZSTD_MAGIC
from armarium.formats.zstd.header import SKIPPABLE

MAX_PROBLEMS = 10_000  # more of them tell nothing more
LOOK = 4096  # bytes that must show what follows
SPOILT = 1 << 20  # bytes at the beginning of a file behind which a member is not looked for
MOST_TRIED = 100  # places in them that begin like one
_WORDS = {Compression.NONE: "not compressed", Compression.GZIP: "gzip", Compression.ZSTD: "zstd"}


class Codings:
    """The coding of a file; where files were joined, one after the other."""

    def __init__(self, source: Source, starts: Callable[[bytes], bool]) -> None:
        self._source = source
        self._starts = starts  # whether bytes begin a record
        self.compression, self._coding = detect(source, starts)
        if isinstance(self._coding, Plain) and self._begins_spoilt():
            self.compression, self._coding = Compression.GZIP, Members(source, starts)
        self.problems: list[Problem] = self._coding.problems
        self._segment: Segment | None = None
        self._stop_before_others()

    @property
    def members(self) -> Members | None:
        """The gzip members from here on; None where it is not gzip."""
        return self._coding if isinstance(self._coding, Members) else None

    def _begins_spoilt(self) -> bool:
        """Whether a file begins with nothing that is known, and goes on with members that hold records.

        One flipped bit in the magic number, or a block that was overwritten, must not cost all of them.
        """
        beginning = self._source.peek(LOOK)
        known = foreign_compression(beginning) or self._starts(
            beginning.removeprefix(BYTE_ORDER_MARK).lstrip()
        )
        if known or self._source.offset or not beginning:
            return False  # whoever asks for one record must not get another
        ahead, at = self._source.peek(SPOILT), -1
        for _ in range(MOST_TRIED):
            at = ahead.find(START, at + 1)
            if at < 0:
                return False
            if self._starts(first_inflated(ahead[at : at + PROBE])):
                before = ahead[:at]
                return not (WARC.search.search(before) or ARC.search.search(before))
        return False

    def enter(self) -> tuple[Segment, bytes] | None:
        """The next segment that holds anything, of this coding or of the one that follows it."""
        if isinstance(self._coding, Frames) and not self._is_frame_next():
            self._change()
        entered = self._coding.enter()
        while entered is None and self._change():
            entered = self._coding.enter()
        self._segment = entered[0] if entered else None
        return entered

    def turn(self, cursor: Cursor) -> bool:
        """End the plain part of a file where the cursor stands, if a compressed record begins there."""
        segment = cursor.segment
        if not isinstance(segment, PlainSegment):
            return False
        kind = self._kind(cursor.near(LOOK))
        if kind is None or kind is Compression.NONE:
            return False
        offset, source = cursor.place[0], self._source
        # What the cursor has read and not used goes back: a pipe cannot be read again.
        source.base, source.data, source.position = offset, cursor.buffer[cursor.position :], 0
        cursor.buffer = cursor.buffer[: cursor.position]
        segment.end = offset
        self._go_on(kind)
        return True

    def _change(self) -> bool:
        """Go on with another coding if a record of one begins where the source stands."""
        kind = None if isinstance(self._coding, Plain) else self._kind(self._source.peek(LOOK))
        if kind is None or kind is self._current:
            return False
        self._go_on(kind)
        return True

    @property
    def _current(self) -> Compression:
        if isinstance(self._coding, Members):
            return Compression.GZIP
        return Compression.ZSTD if isinstance(self._coding, Frames) else Compression.NONE

    def _go_on(self, kind: Compression) -> None:
        offset = self._source.offset
        facts = {"before": _WORDS[self._current], "after": _WORDS[kind]}
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(DAMAGE.problem("archive-compression-changes", offset, **facts))
        coding: Coding
        if kind is Compression.GZIP:
            coding = Members(self._source, self._starts, self.problems)
        else:
            coding = Plain(self._source) if kind is Compression.NONE else Frames(self._source, self._starts)
            coding.problems = self.problems
        self._coding = coding
        self._stop_before_others()

    def _stop_before_others(self) -> None:
        if isinstance(self._coding, Members):
            self._coding.stops = lambda: self._kind(self._source.peek(LOOK)) is not None

    def _is_frame_next(self) -> bool:
        """Whether a frame follows, or damage is to be searched first."""
        broken = self._segment is not None and self._segment.broken
        magic = self._source.peek(4)
        return broken or not magic or magic == ZSTD_MAGIC or magic in SKIPPABLE

    def _kind(self, ahead: bytes) -> Compression | None:
        """The coding of the record that begins so; None where none does."""
        if self._starts(ahead):
            return Compression.NONE
        if ahead.startswith(GZIP_MAGIC):
            return Compression.GZIP if self._starts(first_inflated(ahead)) else None
        if ahead.startswith(ZSTD_MAGIC):
            return Compression.ZSTD if self._starts(_first_of_frame(ahead)) else None
        return None


def _first_of_frame(data: bytes) -> bytes:
    """The first decoded bytes of a zstd frame that needs no dictionary; b"" where this is none."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    try:
        return decompressor.stream_reader(io.BytesIO(data)).read(LOOK)
    except zstandard.ZstdError:
        return b""
