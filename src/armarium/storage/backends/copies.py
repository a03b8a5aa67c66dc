"""A replica that holds the bytes: in a folder or in a bucket."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import BinaryIO

from armarium.core.message import message
from armarium.storage.backends.base import SHOWN, BasePlace, object_key
from armarium.storage.backends.medium import Reader
from armarium.storage.backends.place import (
    PIECE,
    Different,
    Facts,
    Held,
    Stopping,
    Strange,
    Sums,
    ignored,
)
from armarium.storage.backends.transfer import Digests, Source
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

FILES = "files"
UNREAD = "unread"  # the label of a copy moved aside whose bytes nobody could read


class DataPlace(BasePlace):
    @property
    def holds_bytes(self) -> bool:
        return True

    def put(self, file: Facts, source: Path, *, stopping: Stopping = never) -> None:
        """Give the file its name here once all its bytes are durable; a second time changes nothing."""
        key = self.key(file.name)
        held = self.look(file.name)
        if held is None:
            try:
                with self.taking(file.name):
                    self.medium.create(key, Source(file, source, self.rate, stopping))
            except FileExistsError:
                # Taken by somebody else in this moment, or by our own request whose answer got lost.
                held = self.look(file.name)
            else:
                self.check_now()  # it lies on the disk of this replica, and not where that was mounted
                return
        self._compare(file, held, stopping)
        with self.taking(file.name):
            self.medium.settle(key)

    def sums(self, name: str, *, algorithms: Sequence[str] = ("sha256",), stopping: Stopping = never) -> Sums:
        """Read every byte of the copy: from the disk, if the last read of it was ours."""
        digests = Digests(algorithms)
        with closing(self._reader(name)) as reader:
            for piece in self._windows(name, reader, 0, reader.size, stopping):
                digests.update(piece)
            reader.forget()
        return digests.sums()

    def look(self, name: str) -> Held | None:
        key = self.key(name)
        entry = self.attempt(name, partial(self.medium.look, key))
        if entry is None:
            self.check_now()  # nothing is called missing where the disk is
            return None
        return Held(name, entry.size, entry.modified)

    def read(self, name: str, start: int, length: int) -> bytes:
        """A stretch of the copy; fewer bytes where it ends."""
        return self.attempt(name, partial(self.medium.read, self.key(name), start, length))

    def pieces(self, name: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        with closing(self._reader(name)) as reader:
            end = reader.size if length is None else min(reader.size, start + length)
            for window in self._windows(name, reader, start, end):
                for at in range(0, len(window), PIECE):
                    yield bytes(window[at : at + PIECE])

    def open(self, name: str) -> BinaryIO:
        """The copy as a file, to read and to seek in; later errors of it are an `OSError`."""
        return self.attempt(name, partial(self.medium.open, self.key(name)))

    def names(self, after: str = "", strange: Strange = ignored) -> Iterator[Held]:
        """Every copy, in the order of the keys; `after` need not be there any more."""
        for name, entry in self.named_entries(FILES, "", after, strange):
            yield Held(name, entry.size, entry.modified)

    def set_aside(self, name: str, *, sha256: str) -> str:
        """Move the copy that was found bad, and has this sum (`""`: cannot be read), out of the way."""
        self.same_as_judged(name, sha256, partial(self.sums, name))
        return self.move_aside(name, self.key(name), sha256[:SHOWN] or UNREAD)

    def key(self, name: str) -> str:
        return object_key(FILES, name)

    def _reader(self, name: str) -> Reader:
        return self.attempt(name, partial(self.medium.reader, self.key(name)))

    def _windows(
        self, name: str, reader: Reader, start: int, end: int, stopping: Stopping = never
    ) -> Iterator[memoryview]:
        while start < end:
            if stopping():
                raise TaskStopped
            length = min(reader.window, end - start)
            self.rate.take(length, stopping)
            yield self.attempt(name, partial(reader.at, start, length))
            start += length

    def _compare(self, file: Facts, held: Held | None, stopping: Stopping) -> None:
        if held is not None and held.size == file.size:
            found = self.sums(file.name, stopping=stopping)
            if found.sha256 == file.sha256:
                return
        if held is not None and held.size < 0:
            raise Different(
                message(
                    "In replica %(replica)s there is a folder where %(name)s belongs, so the file was not "
                    "stored there. Move the folder: %(address)s.",
                    replica=self.replica.name,
                    name=file.name,
                    address=self.address(file.name),
                )
            )
        raise Different(
            message(
                "Replica %(replica)s has another file under the name %(name)s (of %(size)s bytes), so "
                "this one was not stored there. Find out which of the two is right.",
                replica=self.replica.name,
                name=file.name,
                size=held.size if held else "?",
            )
        )
