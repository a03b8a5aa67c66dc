"""Reading a run: any range of its lines, by one block of the index and the blocks of lines it needs."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from threading import local

import zstandard
from xxhash import xxh3_64_intdigest

from armarium.index.runs.facts import RunFacts, damaged, shown
from armarium.index.runs.layout import (
    FOOTER_GUESS,
    Block,
    Footer,
    IndexBlock,
    Unreadable,
    content_of,
    footer_bytes,
    start_of,
    unpack_footer,
    unpack_index,
)
from armarium.index.runs.place import BlockCache, RunPlace

FARTHEST = 1 << 20  # bytes read ahead at most, by those who read on and on
_PIECE = 4 << 20
_OBJECT = 40  # bytes that Python needs for a line beside its own
_of_thread = local()


class Run:
    """A published run, or a finished one in a folder. Several threads may use it."""

    def __init__(self, place: RunPlace, name: str, cache: BlockCache | None = None) -> None:
        self.place = place
        self.name = name
        self._cache = cache or BlockCache(data_bytes=8 << 20, index_bytes=32 << 20)
        self._size = place.size(name)
        self.footer = self._read_footer()
        self._tops = [part.start for part in self.footer.index]

    @property
    def facts(self) -> RunFacts:
        """What the footer says; the digest of the file is not in it."""
        footer = self.footer
        return RunFacts(footer.lines, self._size, "", shown(footer.first), shown(footer.last))

    def scan(self, start: bytes = b"", end: bytes | None = None, *, reverse: bool = False) -> Iterator[bytes]:
        """The lines from `start`, to before `end`, in order or from the last to the first."""
        if self._has_none(start, end):
            return
        if reverse:
            yield from self._backwards(start, end)
            return
        first = True
        for lines in self._forwards_from(start, end):
            low = bisect_left(lines, start) if first else 0
            high = len(lines) if end is None or lines[-1] < end else bisect_left(lines, end)
            first = first and low == len(lines)
            yield from lines[low:high] if low or high < len(lines) else lines
            if high < len(lines):
                return

    def prepare_index(self, start: bytes, end: bytes | None, *, reverse: bool) -> None:
        """Let the place fetch the part of the index that a scan will need first."""
        if not self._has_none(start, end):
            number = self._part_before(end if reverse else start_of(start))
            if self._key(number) not in self._cache.index:
                part = self.footer.index[number]
                self.place.prepare(self.name, part.offset, part.length)

    def prepare_lines(self, start: bytes, end: bytes | None, *, reverse: bool) -> None:
        """Let the place fetch the block of lines that a scan will need first."""
        if not self._has_none(start, end):
            part, number = self._last_before(end if reverse else start_of(start))
            block = self.index(part).block(number)
            if self._key(block.offset) not in self._cache.lines:
                self.place.prepare(self.name, block.offset, block.length)

    def verify(self) -> RunFacts:
        """Read every byte, and give the facts with the digest of the file; `DamagedRun` if it is not well."""
        sha256 = hashlib.sha256()
        for start in range(0, self._size, _PIECE):
            sha256.update(self.read(start, min(_PIECE, self._size - start)))
        lines = sum(1 for _ in self.scan())
        if lines != self.footer.lines:
            raise damaged(self.name, f"it has {lines} lines, not {self.footer.lines}")
        return replace(self.facts, sha256=sha256.hexdigest())

    def blocks(self, ahead: int) -> Iterator[tuple[Block, bytes]]:
        """All blocks with their bytes, of which about `ahead` are read at a time; `DamagedRun` at the first
        that is not what its index says."""
        for part in range(len(self.footer.index)):
            index = self.index(part)
            number = 0
            while number < len(index):
                end, begin = number + 1, index.offsets[number]
                while end < len(index) and index.offsets[end] + index.lengths[end] - begin <= ahead:
                    end += 1
                frames = memoryview(self.read(begin, index.offsets[end - 1] + index.lengths[end - 1] - begin))
                for block in map(index.block, range(number, end)):
                    frame = bytes(frames[block.offset - begin : block.offset - begin + block.length])
                    self._check(block, frame)
                    yield block, frame
                number = end

    def close(self) -> None:
        """Let the place hold nothing open. Whoever reads on opens it again, if it is still there."""
        self.place.release(self.name)

    def index(self, number: int) -> IndexBlock:
        """A part of the index, of 128 blocks."""
        part = self.footer.index[number]

        def load() -> tuple[IndexBlock, int]:
            frame = self.read(part.offset, part.length)
            self._check(part, frame)
            try:
                index = unpack_index(_decompressed(content_of(frame)))
            except (Unreadable, zstandard.ZstdError) as error:
                raise damaged(self.name, str(error)) from error
            return index, sum(map(len, index.starts)) + len(index) * 4 * _OBJECT

        return self._cache.index.get(self._key(number), load)

    def lines_of(self, block: Block, frame: bytes) -> list[bytes]:
        """The lines of a block whose bytes have been read."""
        lines = self.text_of(block, frame).split(b"\n")
        lines.pop()  # behind the last line's end
        if len(lines) != block.lines:
            raise damaged(
                self.name, f"the block at byte {block.offset} has {len(lines)} lines, not {block.lines}"
            )
        return lines

    def text_of(self, block: Block, frame: bytes) -> bytes:
        self._check(block, frame)
        try:
            return _decompressed(frame)
        except zstandard.ZstdError as error:
            raise damaged(
                self.name, f"the block at byte {block.offset} cannot be decoded ({error})"
            ) from error

    def read(self, offset: int, length: int) -> bytes:
        piece = self.place.read(self.name, offset, length)
        if len(piece) != length:
            raise damaged(self.name, f"it ends before byte {offset + length}")
        return piece

    def _read_footer(self) -> Footer:
        guess = min(FOOTER_GUESS, self._size)
        tail = self.read(self._size - guess, guess)
        try:
            needed = footer_bytes(tail, self._size)
            frame = tail[-needed:] if needed <= guess else self.read(self._size - needed, needed)
            return unpack_footer(frame, self._size)
        except Unreadable as error:
            raise damaged(self.name, str(error)) from error

    def _check(self, block: Block, frame: bytes) -> None:
        if xxh3_64_intdigest(frame) != block.checksum:
            raise damaged(
                self.name, f"the bytes from {block.offset} to {block.offset + block.length} were altered"
            )

    def _key(self, what: int) -> tuple[str, int, int]:
        """Under which the caches know it: the same bytes in whatever place have the same footer."""
        return self.name, self.footer.checksum, what

    def _has_none(self, start: bytes, end: bytes | None) -> bool:
        """Whether a range surely has no line here."""
        first, last = self.footer.first, self.footer.last
        return not self._tops or start_of(start) > last or (end is not None and end <= max(start, first))

    def _part_before(self, end: bytes | None) -> int:
        return len(self._tops) - 1 if end is None else max(bisect_left(self._tops, end) - 1, 0)

    def _last_before(self, end: bytes | None) -> tuple[int, int]:
        """Part and number of the last block that begins before `end`, or of the first of all."""
        part = self._part_before(end)
        starts = self.index(part).starts
        return part, len(starts) - 1 if end is None else max(bisect_left(starts, end) - 1, 0)

    def _forwards_from(self, start: bytes, end: bytes | None) -> Iterator[list[bytes]]:
        # The block before the first that begins at `start` or behind it may end with lines of the range.
        part, number = self._last_before(start_of(start))
        ahead = 1
        for current in range(part, len(self._tops)):
            index = self.index(current)
            # Blocks that begin at `end` or behind it have no line before it.
            stop = len(index) if end is None else bisect_left(index.starts, end)
            while number < stop:
                some = min(ahead, stop - number)
                yield from self._load(index, number, some)
                number += some
                ahead = min(ahead * 2, _blocks_ahead(index))
            if stop < len(index):
                return
            number = 0

    def _backwards(self, start: bytes, end: bytes | None) -> Iterator[bytes]:
        bottom = self._last_before(start_of(start))
        part, number = self._last_before(end)
        ahead = 1
        while (part, number) >= bottom:
            index = self.index(part)
            lowest = bottom[1] if part == bottom[0] else 0
            some = min(ahead, number - lowest + 1)
            for lines in reversed(list(self._load(index, number - some + 1, some))):
                low = bisect_left(lines, start) if lines[0] < start else 0
                high = len(lines) if end is None or lines[-1] < end else bisect_left(lines, end)
                yield from reversed(lines[low:high])
            number -= some
            ahead = min(ahead * 2, _blocks_ahead(index))
            if number < 0 and part > 0:
                part -= 1
                number = len(self.index(part)) - 1

    def _load(self, index: IndexBlock, number: int, count: int) -> Iterator[list[bytes]]:
        """The lines of blocks that lie side by side. One by itself is kept: others will ask for it, too."""
        block = index.block(number)
        if count == 1:
            yield self._cache.lines.get(self._key(block.offset), lambda: self._lines_and_weight(block))
            return
        last = number + count - 1
        frames = memoryview(self.read(block.offset, index.offsets[last] + index.lengths[last] - block.offset))
        for each in map(index.block, range(number, number + count)):
            begin = each.offset - block.offset
            yield self.lines_of(each, bytes(frames[begin : begin + each.length]))

    def _lines_and_weight(self, block: Block) -> tuple[list[bytes], int]:
        lines = self.lines_of(block, self.read(block.offset, block.length))
        return lines, sum(map(len, lines)) + len(lines) * _OBJECT


def _blocks_ahead(index: IndexBlock) -> int:
    return max(FARTHEST // max(index.lengths), 1)


def _decompressed(frame: bytes) -> bytes:
    decompressor: zstandard.ZstdDecompressor | None = getattr(_of_thread, "decompressor", None)
    if decompressor is None:
        decompressor = _of_thread.decompressor = zstandard.ZstdDecompressor()
    return decompressor.decompress(frame)
