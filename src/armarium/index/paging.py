"""Where a page of answers ended, and how the next one begins behind it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from urllib.parse import quote_from_bytes, unquote_to_bytes

from xxhash import xxh3_64_hexdigest

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.index.runs.layout import start_of


@dataclass(frozen=True)
class Mark:
    """A line: its key and timestamp, and a digest, because several lines may have the same of those."""

    start: bytes
    digest: str

    @classmethod
    def at(cls, line: bytes) -> "Mark":
        return cls(start_of(line), xxh3_64_hexdigest(line))

    @classmethod
    def parse(cls, text: str) -> "Mark":
        start, separator, digest = text.rpartition("!")
        if not separator:
            raise Refused(message("No answer ended there; ask again from the beginning."), field="resume")
        return cls(unquote_to_bytes(start), digest)

    def __str__(self) -> str:
        return f"{quote_from_bytes(self.start)}!{self.digest}"

    def is_at(self, line: bytes) -> bool:
        return line.startswith(self.start) and xxh3_64_hexdigest(line) == self.digest

    def rank(self, line: bytes) -> int:
        """Where a line lies that does not come before all of the mark's key and timestamp: see `behind`."""
        return int(start_of(line) != self.start)


def behind(
    lines: Iterator[bytes], mark: Mark, rank: Callable[[bytes], int]
) -> tuple[bytes | None, Iterator[bytes]]:
    """The marked line, and those behind it.

    `rank` is below 0 for lines that surely come before it, above 0 for those that surely come behind it, and
    0 for its neighbours and itself. If a merge has dropped it meanwhile, its neighbours come again: better
    twice than never.
    """
    neighbours: list[bytes] = []
    for line in lines:
        if mark.is_at(line):
            return line, lines
        place = rank(line)
        if place >= 0:
            neighbours.append(line)
        if place > 0:
            break
    return None, chain(neighbours, lines)
