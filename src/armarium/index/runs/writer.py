"""Writing a run, in one pass and with the memory of a few blocks."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from operator import lt
from pathlib import Path
from types import TracebackType

from xxhash import xxh3_64_intdigest

from armarium.formats.cdx.parsing import LONGEST_LINE
from armarium.index.runs.facts import OutOfOrder, RunFacts, shown
from armarium.index.runs.layout import (
    ENTRIES,
    HEAD,
    Block,
    Footer,
    compressor,
    pack_index,
    skippable,
    start_of,
)

# Where a block of lines ends: told by its own lines and by nothing else.
#
# So the same lines make the same blocks, however they came together, and behind a place where lines were
# put in or taken out the ends soon fall where they fell before. A merge copies such blocks without looking
# into them.


LEAST = 64  # lines; half of these would be found a little sooner, and merged more slowly
MOST = 256
MASK = 63  # one line in 64 ends a block that has the least
LARGEST = 256 * 1024  # bytes: the line that reaches them ends the block


def block_end(lines: Sequence[bytes], start: int) -> int | None:
    """The end of the block that begins at `start`; None if it depends on lines still to come."""
    least = start + LEAST - 1
    size = sum(map(len, lines[start:least])) + LEAST - 1
    if size >= LARGEST:
        return _large_end(lines, start)
    most = start + MOST
    for position in range(least, min(most, len(lines))):
        line = lines[position]
        size += len(line) + 1
        if not xxh3_64_intdigest(line) & MASK or size >= LARGEST:
            return position + 1
    return most if len(lines) >= most else None


def _large_end(lines: Sequence[bytes], start: int) -> int | None:
    size = 0
    for position in range(start, min(start + LEAST - 1, len(lines))):
        size += len(lines[position]) + 1
        if size >= LARGEST:
            return position + 1
    return None


# The writer


BATCH = 4096  # lines taken of an endless source at a time


class RunWriter:
    """Writes the file at `path`, which is of no use before `finish`, and durable behind it.

    `path` is a working file: what a killed attempt left there is removed. `RunPlace.publish` makes it a run.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # Not written over: the same file may have been published under another name.
        path.unlink(missing_ok=True)
        self._file = path.open("xb")
        self._sha256 = hashlib.sha256()
        self._compressor = compressor()
        self._size = 0
        self._lines = 0
        self._blocks = 0
        self._entries: list[Block] = []  # of the block of the index that is being filled
        self._index: list[Block] = []  # blocks of the index: one for some 60,000 lines
        self._waiting: list[bytes] = []  # lines of which the block's end is not known yet
        self._last: bytes | None = None
        self._write(HEAD)

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def lines(self) -> int:
        """Written so far."""
        return self._lines

    def add(self, lines: Iterable[bytes]) -> None:
        """Append lines, without their ends; equal ones are written once."""
        source = iter(lines)
        while batch := list(islice(source, BATCH)):
            self.add_list(batch)

    def add_list(self, lines: list[bytes]) -> None:
        """Append lines that are at hand as a list."""
        if not lines:
            return
        if self._last is not None and lines[0] <= self._last:
            lines = self._behind_last(lines)
        if not all(map(lt, lines, islice(lines, 1, None))):
            lines = _distinct(lines)
        if lines:
            self._last = lines[-1]
            self._waiting += lines
            if len(self._waiting) >= MOST:
                self._settle()

    def aligned(self) -> bool:
        """Whether a block ends behind the last line, so that `copy` may follow."""
        self._settle()
        return not self._waiting

    def copy(self, block: Block, frame: bytes, last: bytes | None = None) -> None:
        """Append a block of another run as it is. It must have ended there as it would end here.

        Whoever has not looked into it does not know its `last` line, and must let lines follow.
        """
        self._close_block(block.start, block.lines, frame, block.checksum)
        self._last = last or block.start

    def finish(self) -> RunFacts:
        self._settle()
        if self._waiting:
            self._write_block(self._waiting)
            self._waiting = []
        last = b"" if self._last is None else start_of(self._last)
        if self._entries:
            self._pack_entries()
        self._write(Footer(self._lines, self._blocks, last, tuple(self._index)).pack())
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        first = self._index[0].start if self._index else b""
        return RunFacts(self._lines, self._size, self._sha256.hexdigest(), shown(first), shown(last))

    def _behind_last(self, lines: list[bytes]) -> list[bytes]:
        assert self._last is not None
        if lines[0] < self._last:
            raise _out_of_order(self._last, lines[0])
        return lines[1:]

    def _settle(self) -> None:
        """Write every block whose end is known."""
        begin = 0
        while (end := block_end(self._waiting, begin)) is not None:
            self._write_block(self._waiting[begin:end])
            begin = end
        if begin:
            del self._waiting[:begin]

    def _write_block(self, lines: list[bytes]) -> None:
        data = b"\n".join(lines) + b"\n"
        if data.count(b"\n") != len(lines):
            raise ValueError(f"A line of {self._path} has a line feed inside; write each line by itself.")
        if len(data) > LONGEST_LINE and max(map(len, lines)) > LONGEST_LINE:
            raise ValueError(f"A line of {self._path} has more than {LONGEST_LINE} bytes; leave it out.")
        frame = self._compressor.compress(data)
        self._close_block(start_of(lines[0]), len(lines), frame, xxh3_64_intdigest(frame))

    def _close_block(self, start: bytes, lines: int, frame: bytes, checksum: int) -> None:
        self._entries.append(Block(start, self._size, len(frame), lines, checksum))
        self._write(frame)
        self._lines += lines
        self._blocks += 1
        if len(self._entries) == ENTRIES:
            self._pack_entries()

    def _pack_entries(self) -> None:
        entries, self._entries = self._entries, []
        frame = skippable(self._compressor.compress(pack_index(entries)))
        checksum = xxh3_64_intdigest(frame)
        self._index.append(Block(entries[0].start, self._size, len(frame), len(entries), checksum))
        self._write(frame)

    def _write(self, piece: bytes) -> None:
        self._file.write(piece)
        self._sha256.update(piece)
        self._size += len(piece)


def _distinct(lines: list[bytes]) -> list[bytes]:
    for one, next_one in pairwise(lines):
        if next_one < one:
            raise _out_of_order(one, next_one)
    return list(dict.fromkeys(lines))


def _out_of_order(before: bytes, line: bytes) -> OutOfOrder:
    return OutOfOrder(
        f"“{shown(start_of(line))}” was to be written behind “{shown(start_of(before))}”: sort by bytes."
    )
