"""Children that index: processes that stay, for starting one takes as long as indexing a small file.

A child reads from its standard input, for each file: a line of JSON that says what is wanted, the bytes in
pieces, each behind its length, and a length of 0. It answers with a line of JSON. When its input ends,
because whoever started it has closed it or died, it ends too.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import LifoQueue
from typing import IO, Any, BinaryIO

from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.formats.cdx.index import index
from armarium.formats.cdx.line import CdxLine
from armarium.formats.cdx.parsing import LONGEST_LINE
from armarium.formats.warc.reader import ArchiveReader
from armarium.index.chain.model import Indexed
from armarium.index.runs import RunFacts, sort_into_run
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

KEPT_PROBLEMS = 20
SORTED_IN_MEMORY = 128 << 20  # bytes
_OFTEN = 1000  # lines between two looks at whether to stop


def make_run(
    file: BinaryIO, name: str, target: Path, stopping: Callable[[], bool] = never
) -> tuple[RunFacts, list[str]]:
    """The run of a file at `target`, and the first problems that the file has."""
    reader = ArchiveReader(file)
    lines = index(reader, name, requests=True)  # what a form brought is found by what was sent
    too_long: list[str] = []
    facts = sort_into_run(_written(iter(lines), too_long, stopping), target, memory_bytes=SORTED_IN_MEMORY)
    found = [
        f"{problem.code} at byte {problem.offset}: {problem.message}"
        for problem in (*reader.problems, *lines.problems)
    ]
    return facts, [*too_long, *found][:KEPT_PROBLEMS]


def _written(lines: Iterator[CdxLine], too_long: list[str], stopping: Callable[[], bool]) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if number % _OFTEN == 0 and stopping():
            raise TaskStopped
        written = line.to_cdxj()
        if len(written) <= LONGEST_LINE:
            yield written
        else:  # no index can hold it: the other captures of the file must not suffer for that
            too_long.append(f"cdx-too-long at byte {line.offset}: The address is longer than a line may be.")


LENGTH = 4  # bytes that say how long a piece is
CHILD = "armarium.index.chain.child"


class Children:
    """At most so many at a time; who comes later waits. Several threads may use it."""

    def __init__(self, most: int) -> None:
        self._free: LifoQueue[subprocess.Popen[bytes] | None] = LifoQueue()
        for _ in range(most):
            self._free.put(None)

    def make(self, pieces: Iterable[bytes], name: str, target: Path) -> tuple[RunFacts, list[str]]:
        """Let a child make the run of a file at `target`; the first problems of the file."""
        child = self._free.get()
        try:
            child = child or _started()
            answer = _asked(child, pieces, name, target)
        except BaseException:
            if child is not None:  # in the middle of a file: of no use for another one
                _end(child)
            child = None
            raise
        finally:
            self._free.put(child)
        return RunFacts(**answer["facts"]), answer["problems"]

    def close(self) -> None:
        """End those that are free."""
        for _ in range(self._free.qsize()):
            child = self._free.get()
            if child is not None:
                _end(child)
            self._free.put(None)


def _started() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", CHILD]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603


def _asked(
    child: subprocess.Popen[bytes], pieces: Iterable[bytes], name: str, target: Path
) -> dict[str, Any]:
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        _tell(child.stdin, pieces, name, target)
        answer = child.stdout.readline()
    except BrokenPipeError:
        answer = b""
    if not answer:
        raise Unavailable(
            message(
                "The process that indexed %(name)s ended in the middle. It will be tried again.", name=name
            )
        )
    told: dict[str, Any] = json.loads(answer)
    return told


def _tell(stdin: IO[bytes], pieces: Iterable[bytes], name: str, target: Path) -> None:
    stdin.write(json.dumps({"name": name, "target": str(target)}).encode() + b"\n")
    for piece in pieces:
        if piece:
            stdin.write(len(piece).to_bytes(LENGTH, "big"))
            stdin.write(piece)
    stdin.write(bytes(LENGTH))
    stdin.flush()


def _end(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


WORTH_A_CHILD = 4 << 20  # bytes: telling a child about a smaller file costs more than it saves
PIECE = 1 << 20


class Indexer:
    """Makes runs of files: small ones here, larger ones in a child, for Python uses one core in a process."""

    def __init__(self, most_children: int = 2) -> None:
        self._children = Children(most_children)

    def make(
        self,
        open_file: Callable[[], BinaryIO],
        name: str,
        size: int,
        target: Path,
        stopping: Callable[[], bool] = never,
    ) -> tuple[RunFacts, Indexed]:
        if size >= WORTH_A_CHILD:
            with open_file() as file:
                facts, problems = self._children.make(_pieces(file, stopping), name, target)
            if not problems:
                return facts, Indexed(facts.lines, "file")
            # A child reads a stream. What is damaged is understood better by one who can go back in it.
            target.unlink(missing_ok=True)
        with open_file() as file:
            facts, problems = make_run(file, name, target, stopping)
        return facts, Indexed(facts.lines, "file", tuple(problems))

    def close(self) -> None:
        self._children.close()


def _pieces(file: BinaryIO, stopping: Callable[[], bool]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        if stopping():
            raise TaskStopped
        yield piece
