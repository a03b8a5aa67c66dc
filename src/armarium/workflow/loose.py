"""W/ARC files without a house: indexed where they lie, and served."""

import io
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from armarium.access.model import EVERYTHING, WHOLE, Captures, Collection, Provenance
from armarium.core.errors import NotFound, Refused, Unavailable
from armarium.core.message import message
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from armarium.index.chain.children import make_run
from armarium.index.lookup import Lookup
from armarium.index.runs import BlockCache, Run, merge
from armarium.index.runs.folder import FolderPlace
from armarium.workflow.packages import Inside, archives_in, is_package

SHORT = 4 << 20  # bytes of a record that is read at a stroke
PIECE = 1 << 20  # bytes that are read at a time
MOST_RUNS = 8  # runs that one look-up reads; more of them are merged

Part = tuple[Path, Callable[[], BinaryIO]]  # a file, and how it is opened
Told = Callable[[Path, int, list[str]], None]  # a file, its lines, and what was wrong with it


def _silent(_file: Path, _lines: int, _problems: list[str]) -> None:
    """Nobody wants to hear."""


class LooseFiles:
    """An archive of some files, with its index in a folder of its own."""

    def __init__(self, files: Sequence[Path], folder: Path, told: Told = _silent) -> None:
        self._opening: dict[str, Callable[[], BinaryIO]] = {}
        self._place = FolderPlace(folder)
        self._folder = folder
        cache = BlockCache(data_bytes=64 << 20, index_bytes=16 << 20)
        names = self._index_all([part for file in files for part in self._parts(file, told)], told)
        self._runs = [Run(self._place, name, cache) for name in self._few(names)]
        self._lookup = Lookup(lambda: self._runs)

    @property
    def lines(self) -> int:
        return sum(run.facts.lines for run in self._runs)

    def _parts(self, file: Path, told: Told) -> Iterator[Part]:
        """The file itself, or those in the package that it is, each with how it is opened.

        What is in no state to be opened is told, and the others are served.
        """
        if not is_package(file):
            yield file, partial(_opened, file)
            return
        try:
            inside = archives_in(file)
        except Refused as refused:
            told(file, 0, [str(refused)])
            return
        for one in inside:
            try:
                yield Path(one.name), one.open if one.begin is not None else self._unpacked(one)
            except (Refused, OSError) as error:
                told(Path(one.name), 0, [str(error)])

    def _unpacked(self, packed: Inside) -> Callable[[], BinaryIO]:
        with packed.open() as source, tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as target:
            shutil.copyfileobj(source, target)
        return partial(_opened, Path(target.name))

    def _index_all(self, parts: Sequence[Part], told: Told) -> list[str]:
        """The names of the runs. Of what cannot be read there is none."""
        names = []
        for number, (file, opening) in enumerate(parts):
            name, known = f"file-{number}", file.name
            while known in self._opening:
                known = f"{number}-{known}"
            try:
                with opening() as opened:
                    facts, problems = make_run(opened, known, self._folder / name)
            except OSError as error:
                told(file, 0, [f"It cannot be read: {error.strerror or error}."])
                continue
            self._opening[known] = opening
            names.append(name)
            told(file, facts.lines, problems)
        return names

    def _few(self, names: list[str]) -> list[str]:
        if len(names) <= MOST_RUNS:
            return names
        merge([Run(self._place, name) for name in names], self._folder / "all")
        for name in names:
            (self._folder / name).unlink()
        return ["all"]

    def collections(self) -> Sequence[Collection]:
        return [WHOLE]

    def collection(self, name: str) -> Collection:
        if name != EVERYTHING:
            raise NotFound(message("There is no collection %(name)s.", name=name[:100]))
        return WHOLE

    def captures(self, collection: Collection) -> Captures:  # noqa: ARG002  (there is but one)
        return self._lookup

    def record(self, filename: str, offset: int, length: int | None) -> Record:
        try:
            opened = self._opening[filename]()
            if length is not None and length <= SHORT:
                with opened:
                    opened.seek(offset)
                    found = next(iter(ArchiveReader(io.BytesIO(opened.read(length)))), None)
            else:
                found = next(iter(ArchiveReader(opened, offset=offset)), None)
        except (KeyError, OSError) as error:
            raise Unavailable(message("%(name)s cannot be read any more.", name=filename)) from error
        if found is None:
            raise NotFound(message("The record is not where the index says."))
        return found

    def record_pieces(
        self, filename: str, offset: int, length: int, first: int = 0, last: int | None = None
    ) -> Iterator[bytes]:
        try:
            opened = self._opening[filename]()
        except (KeyError, OSError) as error:
            raise Unavailable(message("%(name)s cannot be read any more.", name=filename)) from error
        return _stretch(opened, offset + first, (length if last is None else last + 1) - first)

    def provenance(self, filename: str) -> Provenance:
        return Provenance(filename)


def _opened(path: Path) -> BinaryIO:
    return path.open("rb")


def _stretch(opened: BinaryIO, start: int, length: int) -> Iterator[bytes]:
    with opened:
        opened.seek(start)
        while length > 0 and (piece := opened.read(min(PIECE, length))):
            length -= len(piece)
            yield piece
