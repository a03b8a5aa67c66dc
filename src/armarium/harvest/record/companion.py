"""The index that a sealed file is handed over with: `<name>.cdxj` beside it, sorted by bytes.

It is, byte for byte, what `armarium warc index --sort` makes of the file. It is on the disk before the file
gets its sealed name, so a sealed file always has its index; one that has no file yet is made anew.

    open file   |warcinfo| capture | capture | odd one | capture | group that failed half-way |
    known       |        |  line   |  line   |         |  line   |                            |
    gaps        |########|                   |#########|         |############################|

What the recorder knows of a capture makes its line at once, which saves a second pass over the file. Whatever
it is not sure of is a gap, which is read from the file by the indexer itself when the file is sealed.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.formats.warc.folder import keep_names
from armarium.formats.warc.writer import sealed_name

if TYPE_CHECKING:
    from armarium.formats.cdx.index import index
    from armarium.formats.warc.reader import ArchiveReader
else:
    index = late("armarium.formats.cdx.index:index")
    ArchiveReader = late("armarium.formats.warc.reader:ArchiveReader")

SUFFIX = ".cdxj"
_TO_THE_END = 1 << 62
Gap = tuple[int, int]  # where it begins and ends in the file


def companion_of(path: Path) -> Path:
    """Where the index of a file is, be the file open or sealed."""
    return path.with_name(sealed_name(path.name) + SUFFIX)


def index_whole(path: Path) -> None:
    """Make the index of a file of which nobody knows anything, before it is sealed."""
    _write(companion_of(path), _indexed(path, [(0, _TO_THE_END)]))


class FileIndex:
    """The index of the file that is being written."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._gaps: list[Gap] = []
        self._end = 0  # of what is indexed, or known to be a gap

    def add(self, line: bytes | None, begin: int, end: int) -> None:
        """The capture whose records stand between `begin` and `end`; None: its line is to be read."""
        if line is not None:
            self._skip_to(begin)
            self._lines.append(line)
            self._end = end
        else:
            self._skip_to(end)

    def _skip_to(self, place: int) -> None:
        """What lies before is a gap, if anything does: records of a group that was never finished, say."""
        if place > self._end:
            gaps = self._gaps
            if gaps and gaps[-1][1] == self._end:
                gaps[-1] = (gaps[-1][0], place)
            else:
                gaps.append((self._end, place))
            self._end = place

    def write(self, path: Path) -> None:
        """Leave the index beside the file, all of which is on the disk."""
        self._skip_to(path.stat().st_size)
        _write(companion_of(path), [*self._lines, *_indexed(path, self._gaps)])

    def clear(self) -> None:
        """The next file begins."""
        self._lines, self._gaps, self._end = [], [], 0


def _indexed(path: Path, gaps: Iterable[Gap]) -> Iterator[bytes]:
    """The lines of the records that begin in these gaps."""
    name = sealed_name(path.name)
    with path.open("rb") as file:
        for begin, end in gaps:
            for line in index(ArchiveReader(file, offset=begin), name):
                if (line.offset or 0) >= end:
                    break
                yield line.to_cdxj()


def _write(companion: Path, lines: Iterable[bytes]) -> None:
    """Whole or not at all, and safe from the death of the machine."""
    fresh = companion.with_name(f"{companion.name}.fresh")
    with fresh.open("wb") as file:
        file.writelines(line + b"\n" for line in sorted(lines))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(companion)
    keep_names(companion.parent)
