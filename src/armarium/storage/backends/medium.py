"""What lies under a place: a folder or a bucket, addressed by keys such as `files/4f/name.warc.gz`.

A medium knows no replica and judges nothing: it raises `FileNotFoundError`, `FileExistsError` and other
`OSError`, and the place that stands on it finds out what they mean.
"""

import errno
import io
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol

from typing_extensions import Buffer

from armarium.storage.backends.transfer import Source, digest_pieces

INCOMING = "incoming"
ASIDE = "aside"


@dataclass(frozen=True)
class Entry:
    key: str
    size: int  # -1: a folder
    modified: datetime


class Reader(Protocol):
    """An object that is being read, with the size that it had when it was opened."""

    @property
    def size(self) -> int: ...

    @property
    def window(self) -> int: ...  # bytes that are best asked for at once

    def at(self, start: int, length: int) -> memoryview: ...  # all of them, or an OSError

    def forget(self) -> None: ...  # keep nothing of it in memory: the next audit shall ask the disk

    def close(self) -> None: ...


class Medium(Protocol):
    def prepare(self) -> None: ...  # before the marker is written; refuses what could overwrite

    def glance(self, key: str) -> bytes: ...  # a small object, with little patience

    def create(self, key: str, source: Source) -> None: ...  # durable when it returns

    def create_small(self, key: str, content: bytes) -> None: ...

    def settle(self, key: str) -> None: ...  # make durable what is there already

    def look(self, key: str) -> Entry | None: ...

    def read(self, key: str, start: int, length: int) -> bytes: ...  # fewer at the end

    def reader(self, key: str) -> Reader: ...

    def open(self, key: str) -> BinaryIO: ...

    def top(self) -> Iterator[Entry]: ...  # what lies beside the marker; folders, too

    def entries(self, prefix: str, after: str = "") -> Iterator[Entry]: ...  # in the order of the keys

    def duplicate(self, key: str, other: str) -> None: ...  # FileExistsError if the other is taken

    def move_folder(self, key: str, other: str) -> bool: ...  # False: there is none; else as `duplicate`

    def alike(self, key: str, other: str) -> bool: ...

    def delete(self, key: str) -> None: ...

    def address(self, key: str) -> str: ...


def windows(reader: Reader) -> Iterator[memoryview]:
    for start in range(0, reader.size, reader.window):
        yield reader.at(start, min(reader.window, reader.size - start))


def same_bytes(medium: Medium, key: str, other: str) -> bool:
    """Read both, every byte."""
    with closing(medium.reader(key)) as one, closing(medium.reader(other)) as two:
        return one.size == two.size and digest_pieces(windows(one)) == digest_pieces(windows(two))


def ended_early(key: str, start: int, length: int, came: int) -> OSError:
    return OSError(errno.EIO, f"of {length} bytes from {start} on only {came} came", key)


class Ranges(io.RawIOBase):
    """An object of a bucket as a file that can be sought in. Each read is a request: wrap it in a buffer."""

    def __init__(self, opened: Reader) -> None:
        self._opened = opened
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._opened.size}[whence]
        if start + offset < 0:
            raise ValueError(f"There is no position {start + offset} in a file.")
        self._position = start + offset
        return self._position

    def readall(self) -> bytes:
        """In as few requests as it takes; the inherited one asks for 8 KiB at a time."""
        rest = bytearray(max(0, self._opened.size - self._position))
        view = memoryview(rest)
        for start in range(0, len(rest), self._opened.window):
            self.readinto(view[start : start + self._opened.window])
        return bytes(rest)

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer).cast("B")
        count = max(0, min(len(view), self._opened.size - self._position))
        if count:
            view[:count] = self._opened.at(self._position, count)
            self._position += count
        return count
