"""Checksums of files, read once whatever is asked for.

Files are read, not mapped into memory: a mapped page that the disk cannot deliver ends the process (SIGBUS),
and an audit meets such pages. Reading into one buffer is not slower.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from blake3 import blake3
from typing_extensions import Buffer

from armarium.storage.backends.place import PIECE, Sums
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
