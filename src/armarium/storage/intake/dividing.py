"""One CDX for a whole collection, divided into one for each file: the index wants a companion a file."""

import gzip
import zlib
from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from armarium.core.errors import Refused
from armarium.core.folders import make_private
from armarium.core.message import message
from armarium.formats.cdx.columns import Layout
from armarium.formats.cdx.line import CdxLine
from armarium.formats.cdx.parsing import LONGEST_LINE, parse_line

GZIP = b"\x1f\x8b"
MOST_OPEN = 200  # files at a time


class Shelf:
    """Writes lines to one of very many files; the order of each stays that of the whole."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self._folder = folder
        self._suffix = suffix
        self._open: OrderedDict[str, BinaryIO] = OrderedDict()
        self.names: set[str] = set()

    def write(self, name: str, line: bytes, legend: bytes) -> None:
        if name in self._open:
            self._open.move_to_end(name)
        else:
            if len(self._open) >= MOST_OPEN:
                self._open.popitem(last=False)[1].close()
            self._open[name] = self.path(name).open("ab")
        if name not in self.names and legend:
            self._open[name].write(legend)
        self.names.add(name)
        self._open[name].write(line)

    def path(self, name: str) -> Path:
        return self._folder / f"{name}{self._suffix}"

    def close(self) -> None:
        for file in self._open.values():
            file.close()


def divide(cdx: Path, names: Collection[str], folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Write the lines of these files into the folder; where they are, and which files were not named.

    Written beside and then given their names: what an interrupted import left is replaced, not added to.
    """
    wanted, foreign = frozenset(names), set[str]()
    beside = folder / "incoming"
    make_private(beside)
    for leftover in beside.iterdir():
        leftover.unlink()
    with ExitStack() as stack:
        shelf = Shelf(beside, ".cdxj" if ".cdxj" in cdx.name.lower() else ".cdx")
        stack.callback(shelf.close)
        for name, line, legend in _named_lines(cdx):
            if name in wanted:
                shelf.write(name, line, legend)
            elif len(foreign) < MOST_OPEN:
                foreign.add(name)
    made = {name: shelf.path(name).replace(folder / shelf.path(name).name) for name in shelf.names}
    beside.rmdir()
    return made, sorted(foreign)


def _named_lines(cdx: Path) -> Iterator[tuple[str, bytes, bytes]]:
    """Each line with the file it speaks of, without folders, and the legend under which it stands."""
    legend, layout = b"", None
    for line in _lines(cdx):
        parsed = parse_line(line, layout)
        if isinstance(parsed, Layout):
            legend, layout = line, parsed
        elif isinstance(parsed, CdxLine) and parsed.filename:
            yield parsed.filename.replace("\\", "/").rpartition("/")[2], line, legend


def _lines(cdx: Path) -> Iterator[bytes]:
    try:
        with ExitStack() as stack:
            file: BinaryIO = stack.enter_context(cdx.open("rb"))
            packed = file.read(2) == GZIP
            file.seek(0)
            lines = stack.enter_context(gzip.open(file)) if packed else file
            while line := lines.readline(LONGEST_LINE):
                yield line
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(
            message(
                "The index %(path)s cannot be read: %(reason)s. Mend it, or import without it: the files "
                "are then indexed from their own content.",
                path=cdx,
                reason=error,
            ),
            field="cdx",
        ) from error
