"""The lines of a file, made from the file itself."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from armarium.index.chain.children import Children
from armarium.index.chain.making import make_run
from armarium.index.chain.model import Indexed
from armarium.index.runs import RunFacts
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

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
