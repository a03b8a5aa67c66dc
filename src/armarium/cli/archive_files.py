"""The W/ARC files that a command is given: opened in turn, every refusal told, and none of them the end."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import typer

from armarium.core.errors import Refused
from armarium.formats.problem import Problem, Severity
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from armarium.terminal.output import complain, on_terminal, standard_input
from armarium.workflow.packages import Inside, archives_in, is_package

STANDARD_INPUT = "-"
LARGE = 64 << 20  # bytes from which on people like to see that something happens
MOST_TOLD = 20  # problems of one file
_STEP = 4 << 20
_CLEAR_LINE = "\r\x1b[K"


class ArchiveFiles:
    """The files of one command. `trouble` says whether anything was wrong with any of them."""

    def __init__(self, paths: list[Path], *, silent: bool = False) -> None:
        """`silent`: nothing is written meanwhile, so that a terminal has room to show how far it is."""
        self.names = [str(path) for path in paths]
        self.trouble = False
        self._silent = silent

    def readers(self) -> Iterator[tuple[str, ArchiveReader]]:
        """Each file that can be opened. What is found wrong while reading is told when its turn is over."""
        for name in self.expanded():
            try:
                with opened(name, silent=self._silent) as file:
                    reader = ArchiveReader(file)
                    yield name, reader
                    self.tell(name, reader.problems)
            except Refused as refused:
                complain(str(refused))
                self.trouble = True

    def expanded(self) -> Iterator[str]:
        """The names, with those of its W/ARC files in the place of each package."""
        for name in self.names:
            try:
                yield from files_of(name)
            except Refused as refused:
                complain(str(refused))
                self.trouble = True

    def records(self, name: str, reader: ArchiveReader) -> Iterator[Record]:
        """The records of a file; errors in them are told at its end, and the first warning of each kind."""
        found: list[Problem] = []
        warnings: dict[str, Problem] = {}
        for record in reader:
            yield record
            record.finish()
            for problem in record.problems:
                if problem.severity is Severity.ERROR and len(found) <= MOST_TOLD:
                    found.append(problem)
                elif problem.severity is Severity.WARNING:
                    warnings.setdefault(problem.code, problem)
        self.tell(name, found)
        self.warn(name, warnings)

    def warn(self, name: str, warnings: Mapping[str, Problem]) -> None:
        """What is only odd is said, and is no trouble."""
        for problem in warnings.values():
            self._say(name, problem)

    def tell(self, name: str, problems: list[Problem]) -> None:
        for problem in problems[:MOST_TOLD]:
            self._say(name, problem)
        if len(problems) > MOST_TOLD:
            complain(f"{shown(name)}: there is more. `armarium warc validate` tells all.")
        self.trouble = self.trouble or bool(problems)

    def _say(self, name: str, problem: Problem) -> None:
        complain(f"{shown(name)}: at byte {problem.offset}: {problem.message} {problem.hint}".rstrip())

    def end(self) -> None:
        """Exit code 1 if anything was wrong."""
        if self.trouble:
            raise typer.Exit(1)


@contextmanager
def opened(name: str, *, silent: bool = False) -> Iterator[BinaryIO]:
    """The file of that name, or standard input for `-`; `Refused` says why it cannot be read."""
    with ExitStack() as stack:
        try:
            if name == STANDARD_INPUT:
                file: BinaryIO = standard_input()
            elif Path(name).is_dir():
                raise Refused(f"{name} is a folder. Name the files in it.")
            elif (package := _package_of(Path(name))) is not None:
                file = stack.enter_context(_found(package, name).open())
            else:
                file = stack.enter_context(Path(name).open("rb"))
        except OSError as error:
            raise _refused(name, error) from error
        yield cast("BinaryIO", _Input(file, name, watched=silent or not on_terminal(sys.stdout)))


def inside(name: str) -> list[str]:
    """The names of the W/ARC files in a package, by which `opened` opens them; none if it is no package."""
    if name == STANDARD_INPUT or not is_package(Path(name)):
        return []
    return [one.name for one in archives_in(Path(name))]


def files_of(name: str) -> list[str]:
    """The file itself, or those in the package that it is."""
    found = inside(name)
    if not found and name != STANDARD_INPUT and is_package(Path(name)):
        raise Refused(f"There is no W/ARC file in the package {name}.")
    return found or [name]


def _package_of(path: Path) -> Path | None:
    """The file in which such a name would lead on, as if it were a folder."""
    return next((one for one in path.parents if one.is_file()), None)


def _found(package: Path, name: str) -> Inside:
    for one in archives_in(package) if is_package(package) else ():
        if Path(one.name) == Path(name):
            return one
    raise Refused(f"There is no W/ARC file of this name in {package}: {name}.")


def shown(name: str) -> str:
    return "Standard input" if name == STANDARD_INPUT else name


def _refused(name: str, error: OSError) -> Refused:
    return Refused(f"{shown(name)} cannot be read: {error.strerror or error}.")


class _Input:
    """A file that fails only with a sentence, and that tells on a terminal how far a large one was read."""

    def __init__(self, file: BinaryIO, name: str, *, watched: bool) -> None:
        self._file = file
        self._name = name
        self._size = _size_worth_watching(name) if watched else 0
        self._next = 0

    def read(self, count: int = -1) -> bytes:
        try:
            piece = self._file.read(count)
        except OSError as error:  # a disk that fails, a folder as standard input
            raise _refused(self._name, error) from error
        if self._size:
            self._watch(ended=not piece)
        return piece

    def readinto(self, buffer: bytearray) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def seek(self, offset: int, whence: int = 0) -> int:
        try:
            return self._file.seek(offset, whence)
        except OSError as error:  # farther than a file of this disk can reach
            raise _refused(self._name, error) from error

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return self._file.seekable()

    def _watch(self, *, ended: bool) -> None:
        position = self._file.tell()
        if ended:
            sys.stderr.write(_CLEAR_LINE)
        elif position >= self._next:
            self._next = position + _STEP
            sys.stderr.write(f"{_CLEAR_LINE}{Path(self._name).name}: {100 * position // self._size} %")
        sys.stderr.flush()


def _size_worth_watching(name: str) -> int:
    """The size of a large file where a person looks on; 0 where nobody is to be told."""
    if name == STANDARD_INPUT or not on_terminal(sys.stderr):
        return 0
    path = Path(name)
    size = path.stat().st_size if path.is_file() else 0
    return size if size >= LARGE else 0
