"""The local file that is being put into a replica."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from armarium.core.message import message
from armarium.storage.backends.digesting import Digests
from armarium.storage.backends.place import PIECE, Altered, Facts, SourceUnreadable, Sums
from armarium.storage.backends.rate import ByteRate
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

SHOWN = 16  # hexadecimal digits of a checksum in a sentence


@dataclass(frozen=True)
class Source:
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
                    "%(path)s cannot be read, so it could not be stored: %(reason)s. "
                    "Look at the disk and at the permissions.",
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
