"""A file to read and to seek in, over several copies: where one fails, the next goes on at the same byte."""

import io
from contextlib import suppress
from typing import BinaryIO

from typing_extensions import Buffer

from armarium.core.message import message
from armarium.storage.backends.place import Unreadable
from armarium.storage.files.copies import FAILURES, Copies, no_good_copy
from armarium.storage.files.model import Copy
from armarium.storage.model import File
from armarium.storage.replicas.service import Replicas


class Rope(io.RawIOBase):
    """Several strands; it holds as long as one of them does. Not to be shared between threads."""

    def __init__(self, file: File, copies: Copies, replicas: Replicas) -> None:
        super().__init__()
        self._file = file
        self._copies = copies
        self._replicas = replicas
        self._left = iter(copies.readable(file))
        self._copy: Copy | None = None
        self.used: list[Copy] = []  # copies from which something may have been read
        self._strand: BinaryIO | None = None
        self._position = 0
        self._next()  # so that a file of which nothing can be read is not opened

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._file.size}[whence]
        if base + offset < 0:
            raise ValueError(f"There is no byte {base + offset} in {self._file.name}.")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), self._file.size - self._position)
        if wanted <= 0:
            return 0
        data = self._read(wanted)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        if self._strand is not None:
            self._strand.close()
            self._strand = None
        super().close()

    def _read(self, wanted: int) -> bytes:
        while True:
            assert self._strand is not None, "`_next` found one, or raised"
            assert self._copy is not None, "it is a copy's"
            try:
                self._strand.seek(self._position)
                data = self._strand.read(wanted)
                if not data:
                    raise _too_short(self._file, self._copy, self._position)
            except (*FAILURES, OSError) as error:
                self._copies.note_bad(self._file, self._copy, error)
                self._next()
            else:
                return data

    def _next(self) -> None:
        """Take the next copy that can be opened."""
        if self._strand is not None:
            with suppress(OSError):
                self._strand.close()
            self._strand = None
        for copy in self._left:
            try:
                self._strand = self._replicas.place(copy.replica).open(self._file.name)
            except FAILURES as error:
                self._copies.note_bad(self._file, copy, error)
            else:
                self._copy = copy
                self.used.append(copy)
                return
        raise no_good_copy(self._file)


def _too_short(file: File, copy: Copy, position: int) -> Unreadable:
    return Unreadable(
        message(
            "The copy of %(name)s in replica %(replica)s ends at byte %(position)s; it should have %(size)s.",
            name=file.name,
            replica=copy.replica.name,
            position=position,
            size=file.size,
        )
    )
