"""Output of the commands on W/ARC files: large, sometimes binary, and written as it is made."""

import heapq
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from armarium.core.errors import Refused
from armarium.formats.cdx.index import distinct
from armarium.terminal.output import standard_output

_BUFFER = 64 << 10
_SORTED_IN_MEMORY = 64 << 20  # bytes of lines; more are sorted in pieces on disk


class Output:
    """Bytes to standard output. A reader who left (`… | head`) ends the command in peace."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self._file = file
        self._waiting: list[bytes] = []
        self._size = 0

    def write(self, piece: bytes) -> None:
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size >= _BUFFER:
            self.flush()

    def line(self, text: str) -> None:
        self.write(f"{_legible(text)}\n".encode("utf-8", "replace"))

    def flush(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        if self._file is not None:
            self._file.write(b"".join(waiting))
            self._file.flush()
            return
        with standard_output() as output:
            output.buffer.write(b"".join(waiting))
            output.buffer.flush()


def _legible(text: str) -> str:
    """Without characters that move the cursor: addresses and types are what a server wrote."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "�" for letter in text)


class JsonList:
    """A JSON array, written element by element: a list of a million records needs no memory."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._joint = b"[\n"

    def add(self, element: object) -> None:
        text = json.dumps(element, ensure_ascii=False)
        # A file name may hold bytes that are no text: they become \udcXX, which JSON allows.
        self._output.write(self._joint + text.encode("utf-8", "backslashreplace"))
        self._joint = b",\n"

    def end(self) -> None:
        self._output.write(b"[]\n" if self._joint == b"[\n" else b"\n]\n")
        self._output.flush()


@contextmanager
def written_to(path: Path | None) -> Iterator[Output]:
    """Standard output, or a file that appears under its name only when it is whole."""
    if path is None:
        output = Output()
        yield output
        output.flush()
        return
    try:
        if path.exists() and not path.is_file():  # a pipe or a device: nothing to be made whole
            with path.open("wb") as device:
                output = Output(device)
                yield output
                output.flush()
            return
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
            unfinished = Path(file.name)
            try:
                output = Output(file)  # type: ignore[arg-type]
                yield output
                output.flush()
                unfinished.chmod(0o666 & ~_mask())
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror or error}.") from error


def _mask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sorted_lines(lines: Iterable[bytes], room: int = _SORTED_IN_MEMORY) -> Iterator[bytes]:
    """Distinct lines in the order of LC_ALL=C; what does not fit into `room` is sorted in temporary files."""
    with ExitStack() as stack:
        runs: list[Iterable[bytes]] = []
        waiting: list[bytes] = []
        size = 0
        for line in lines:
            waiting.append(line)
            size += len(line) + 40  # what Python adds to each
            if size >= room:
                run = stack.enter_context(tempfile.TemporaryFile())
                run.writelines(kept + b"\n" for kept in sorted(waiting))
                run.seek(0)
                runs.append(map(_bare, run))
                waiting, size = [], 0
        waiting.sort()
        yield from distinct(heapq.merge(*runs, waiting) if runs else waiting)


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\n")
