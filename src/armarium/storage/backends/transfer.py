"""Bytes on their way: read once, no faster than is allowed, with all checksums that are asked for.

Files are read, not mapped into memory: a mapped page that the disk cannot deliver ends the process (SIGBUS),
and an audit meets such pages. Reading into one buffer is not slower.
"""

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from blake3 import blake3
from typing_extensions import Buffer

from armarium.core.message import message
from armarium.storage.backends.place import PIECE, Altered, Facts, SourceUnreadable, Sums
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped


class Digest(Protocol):
    def update(self, data: Buffer, /) -> object: ...

    def hexdigest(self) -> str: ...


ALGORITHMS: dict[str, Callable[[], Digest]] = {
    "sha256": hashlib.sha256,
    "blake3": partial(blake3, max_threads=blake3.AUTO),
}
SHARED = 4 * PIECE  # read at once where only BLAKE3 is asked for, which divides it among the cores


class Digests:
    """The sums of bytes that come by in pieces."""

    def __init__(self, algorithms: Sequence[str]) -> None:
        self._digests = {name: ALGORITHMS[name]() for name in algorithms}
        self.size = 0

    def update(self, piece: Buffer) -> None:
        self.size += memoryview(piece).nbytes
        for digest in self._digests.values():
            digest.update(piece)

    def sums(self) -> Sums:
        given = {name: digest.hexdigest() for name, digest in self._digests.items()}
        return Sums(self.size, given.get("sha256", ""), given.get("blake3", ""))


def digest_pieces(pieces: Iterable[Buffer], algorithms: Sequence[str] = ("sha256",)) -> Sums:
    digests = Digests(algorithms)
    for piece in pieces:
        digests.update(piece)
    return digests.sums()


def digest_path(
    path: Path, algorithms: Sequence[str] = ("sha256",), *, stopping: Callable[[], bool] = never
) -> Sums:
    """The sums of a local file; raises what `open` and `read` raise."""
    digests = Digests(algorithms)
    buffer = bytearray(PIECE if "sha256" in algorithms else SHARED)
    view = memoryview(buffer)
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            if stopping():
                raise TaskStopped
            digests.update(view[:count])
    return digests.sums()


NAP = 0.5  # seconds after which a sleeper asks whether it should stop


class ByteRate:
    """A limit on bytes a second, shared by the threads that use one place.

    Each piece is given its moment, one piece's time behind the piece before: no bursts, no starvation.
    """

    def __init__(
        self,
        bytes_per_second: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._bytes_per_second = bytes_per_second
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._free_at = clock()

    def take(self, count: int, stopping: Callable[[], bool] = never) -> None:
        """Wait until so many bytes may move; raises `TaskStopped` if the task is to stop meanwhile."""
        if self._bytes_per_second <= 0:
            return
        with self._lock:
            moment = max(self._free_at, self._clock())
            self._free_at = moment + count / self._bytes_per_second
        while (left := moment - self._clock()) > 0:
            if stopping():
                raise TaskStopped
            self._sleep(min(left, NAP))


SHOWN = 16  # hexadecimal digits of a checksum in a sentence


@dataclass(frozen=True)
class Source:
    """The local file that is being put into a replica."""

    facts: Facts
    path: Path
    rate: ByteRate
    stopping: Callable[[], bool] = never

    def pieces(self) -> Iterator[bytes]:
        """Every byte; ends by raising `Altered` if they were not those of the facts.

        Whoever takes the pieces gives them a name only after the last: bytes that changed since they were
        registered (a bad disk of the collector, a file still being written) so never get one.
        """
        digests = Digests(("sha256",))
        for piece in self._read():
            digests.update(piece)
            yield piece
        self.compare(digests.sums())

    def compare(self, found: Sums) -> None:
        facts = self.facts
        if found.size != facts.size or found.sha256 != facts.sha256:
            raise Altered(
                message(
                    "%(path)s is not the file that was registered as %(name)s: it has %(found)s bytes with "
                    "SHA-256 %(sum)s…, not %(size)s bytes with %(right)s…. Nothing was stored. "
                    "Find out what changed it, or get the file again from where it came.",
                    path=self.path,
                    name=facts.name,
                    found=found.size,
                    sum=found.sha256[:SHOWN],
                    size=facts.size,
                    right=facts.sha256[:SHOWN],
                )
            )

    def _read(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb", buffering=0) as file:
                while piece := self._next(file.read):
                    yield piece
        except OSError as error:
            raise SourceUnreadable(
                message(
                    "%(path)s cannot be read, so it could not be stored: %(reason)s. Check the disk and the "
                    "permissions.",
                    path=self.path,
                    reason=error.strerror,
                )
            ) from error

    def _next(self, read: Callable[[int], bytes | None]) -> bytes:
        if self.stopping():
            raise TaskStopped
        piece = read(PIECE) or b""
        self.rate.take(len(piece), self.stopping)
        return piece
