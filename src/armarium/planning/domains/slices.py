"""A file of domains in slices, so that no more of it than one is ever in memory or in a transaction."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from armarium.planning.domains.lines import Fault, Line, lines_of

SLICE = 10_000  # lines, or domains


@dataclass
class Slice:
    """So many lines of a file, after those that were read before."""

    begin: int  # lines before it
    end: int = 0
    good: list[Line] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def skipped(self) -> int:
        """Lines that are empty, a comment, or the heading."""
        return self.end - self.begin - len(self.good) - len(self.faults)

    def note(self, found: Line | Fault) -> None:
        if isinstance(found, Fault):
            self.faults.append(found)
        else:
            self.good.append(found)


@dataclass
class Counted:
    """Lines that are counted while they are read."""

    text: Iterable[str]
    number: int = 0

    def __iter__(self) -> Iterator[str]:
        for self.number, line in enumerate(self.text, 1):  # noqa: B020  (the count is what it is for)
            yield line


def slices_of(text: Iterable[str], passed: int = 0) -> Iterator[Slice]:
    """The slices of a file; of its first lines, which were `passed` already, only the heading counts."""
    lines, part = Counted(text), Slice(passed)
    for found in lines_of(lines, passed):
        part.note(found)
        if lines.number >= part.begin + SLICE:
            part.end = lines.number
            yield part
            part = Slice(part.end)
    part.end = lines.number
    yield part
