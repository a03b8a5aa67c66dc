"""The block of a record, as a stream that is never held in memory as a whole."""

from collections.abc import Iterator
from typing import Protocol

CHUNK = 64 * 1024


class Stream(Protocol):
    """Where a block takes its bytes from."""

    def take(self, count: int) -> bytes:
        """Up to `count` next bytes, at least one; b"" when there are no more."""

    def look(self, count: int) -> bytes:
        """Up to `count` next bytes without taking them; fewer only where the stream ends."""

    def pass_over(self, count: int) -> int:
        """Leave `count` bytes behind; how many there were."""


class Block:
    """The bytes between the header and the next record. Read it before the next record is asked for."""

    __slots__ = ("_stream", "length", "position")

    def __init__(self, stream: Stream, length: int) -> None:
        self._stream: Stream | None = stream
        self.length = length  # as the header says; fewer bytes come where the file is cut or the header lies
        self.position = 0

    @property
    def remaining(self) -> int:
        """Bytes not yet read, if the header tells the truth."""
        return self.length - self.position

    def read(self, count: int = -1) -> bytes:
        """Exactly `count` bytes, or fewer at the end; all that remain without a count."""
        wanted = self.length - self.position
        if 0 <= count < wanted:
            wanted = count
        stream = self._stream or self._open()
        if not wanted:
            return b""
        piece = stream.take(wanted)
        self.position += len(piece)
        if len(piece) == wanted or not piece:
            return piece
        pieces = [piece]
        missing = wanted - len(piece)
        while missing and (piece := self._take(missing)):
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def __iter__(self) -> Iterator[bytes]:
        """What remains, in pieces of no certain size."""
        while self.remaining and (piece := self._take(min(CHUNK, self.remaining))):
            yield piece

    def peek(self, count: int) -> bytes:
        """The next bytes without reading them; fewer than `count` only at the end of the block."""
        return self._open().look(min(count, self.remaining))

    def skip(self) -> None:
        """Pass over what remains."""
        if self.remaining:
            self.position += self._open().pass_over(self.remaining)

    def pass_over(self, count: int) -> int:
        """Leave `count` bytes behind, or as many as there are; how many. A plain file is not read for it."""
        count = self._open().pass_over(min(count, self.remaining))
        self.position += count
        return count

    def close(self) -> None:
        """The reader went on: these bytes are no longer to be had."""
        self._stream = None

    def _take(self, count: int) -> bytes:
        if not count:
            return b""
        piece = self._open().take(count)
        self.position += len(piece)
        return piece

    def _open(self) -> Stream:
        if self._stream is None:
            raise gone()
        return self._stream


def gone() -> ValueError:
    """Somebody reads a block too late."""
    return ValueError(
        "The block of this record is gone: the next record was asked for. "
        "Read a block before going on, or open the archive again at the record's offset."
    )


class WholeBlock(Block):
    """A block that is at hand as a whole, inside the bytes of its record."""

    __slots__ = ("_data", "_end")

    def __init__(self, data: bytes, begin: int, length: int) -> None:
        self._data: bytes | None = data
        self._end = begin + length
        self.length = length
        self.position = 0

    def whole(self) -> tuple[bytes, int, int]:
        """The bytes among which the block stands, and its begin and end in them: to look without copying."""
        if self._data is None:
            raise gone()
        return self._data, self._end - self.length, self._end

    def read(self, count: int = -1) -> bytes:
        data = self._data
        if data is None:
            raise gone()
        begin = self._end - self.length + self.position
        if 0 <= count < self.length - self.position:
            self.position += count
            return data[begin : begin + count]
        self.position = self.length
        return data[begin : self._end]

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.read(CHUNK):
            yield piece

    def peek(self, count: int) -> bytes:
        position = self.position
        piece = self.read(max(count, 0))
        self.position = position
        return piece

    def skip(self) -> None:
        self.position = self.length

    def pass_over(self, count: int) -> int:
        count = min(count, self.length - self.position)
        self.position += count
        return count

    def close(self) -> None:
        self._data = None
