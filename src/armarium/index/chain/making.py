"""A run of one file: its lines, sorted. Small in what it imports, for a child begins with it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from armarium.formats.cdx.index import index
from armarium.formats.cdx.line import CdxLine
from armarium.formats.cdx.parsing import LONGEST_LINE
from armarium.formats.warc.reader import ArchiveReader
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
