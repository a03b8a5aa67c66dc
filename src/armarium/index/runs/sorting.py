"""Lines in any order become a run: as many as memory takes are sorted at a time, then merged."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from armarium.index.runs.facts import RunFacts
from armarium.index.runs.folder import FolderPlace
from armarium.index.runs.merging import merge, silent
from armarium.index.runs.reader import Run
from armarium.index.runs.writer import RunWriter
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

MEMORY = 256 << 20  # bytes
_OBJECT = 48  # bytes that Python needs for a line beside its own, and for its place in a list


def sort_into_run(
    lines: Iterable[bytes],
    target: Path,
    *,
    memory_bytes: int = MEMORY,
    stopping: Callable[[], bool] = never,
    progress: Callable[[int], None] = silent,
) -> RunFacts:
    """Write a run of these lines at `target`, equal ones once. Works in a folder beside it."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as folder:
        place = FolderPlace(Path(folder))
        names: list[str] = []
        some: list[bytes] = []
        room = memory_bytes
        for line in lines:
            some.append(line)
            room -= len(line) + _OBJECT
            if room <= 0:
                names.append(f"part-{len(names)}")
                _write(some, Path(folder) / names[-1])
                some, room = [], memory_bytes
                if stopping():
                    raise TaskStopped
        if not names:
            return _write(some, target)
        names.append(f"part-{len(names)}")
        _write(some, Path(folder) / names[-1])
        del some
        return merge([Run(place, name) for name in names], target, stopping=stopping, progress=progress)


def _write(lines: list[bytes], path: Path) -> RunFacts:
    lines.sort()
    with RunWriter(path) as writer:
        writer.add_list(lines)
        return writer.finish()
