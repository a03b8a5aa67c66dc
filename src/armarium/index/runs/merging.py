"""Many runs become one, as `LC_ALL=C sort -m -u` would make it, but mostly without looking at the lines.

A block that lies between the lines of the other runs is copied as it is, once its checksum has been compared:
a damaged one would have the right digest in its new place. Elsewhere the blocks that overlap are put together
up to the smallest of their last lines, and sorted: Python's sort merges what is in order. Memory holds one
block and some bytes read ahead of each run.
"""

import heapq
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Sequence, Sized
from pathlib import Path

from armarium.index.runs.facts import RunFacts, filenames_in, kept
from armarium.index.runs.folder import FolderPlace
from armarium.index.runs.layout import Block, start_of
from armarium.index.runs.reader import Run
from armarium.index.runs.writer import RunWriter
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

FAN_IN = 200  # runs merged at a time
READ_AHEAD = 64 << 20  # bytes, for all runs together
_LEAST_AHEAD, _MOST_AHEAD = 64 << 10, 4 << 20
_OFTEN = 256  # steps between two looks at whether to stop


def silent(_lines: int) -> None:
    """Nobody wants to know how far it is."""


def merge(
    runs: Sequence[Run],
    target: Path,
    *,
    without: Container[str] = (),
    stopping: Callable[[], bool] = never,
    progress: Callable[[int], None] = silent,
    fan_in: int = FAN_IN,
) -> RunFacts:
    """Write one run of many at `target`; equal lines once, lines of the files `without` not at all.

    More than `fan_in` runs are merged by way of runs in a folder beside `target`. `progress` hears how many
    lines have been written of the run at work. Raises `TaskStopped` if it is to stop; what it has written
    then is of no use. The same lines make the same file, whatever runs they came from.
    """
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as folder:
        place = FolderPlace(Path(folder))
        waiting = sorted(runs, key=lambda run: run.facts.bytes)
        steps = 0
        while len(waiting) > fan_in:
            # The small ones first, and no more than needed: so the large ones are read once.
            some = min(fan_in, len(waiting) - fan_in + 1)
            name = f"step-{steps}"
            _merge(waiting[:some], Path(folder) / name, without, stopping, progress)
            waiting = sorted([*waiting[some:], Run(place, name)], key=lambda run: run.facts.bytes)
            steps += 1
        return _merge(waiting, target, without, stopping, progress)


def _merge(
    runs: Sequence[Run],
    target: Path,
    without: Container[str],
    stopping: Callable[[], bool],
    progress: Callable[[int], None],
) -> RunFacts:
    ahead = min(max(READ_AHEAD // max(len(runs), 1), _LEAST_AHEAD), _MOST_AHEAD)
    with RunWriter(target) as writer:
        merging = _Merging([_Source(run, ahead) for run in runs], writer, without)
        steps = 0
        while merging.step():
            steps += 1
            if steps % _OFTEN == 0:
                progress(writer.lines)
                if stopping():
                    raise TaskStopped
        facts = writer.finish()
    progress(facts.lines)
    return facts


class _Source:
    """A run that is read once from its first block to its last.

    At each moment either a block that was not looked into lies before us, or the lines left of one that was.
    """

    def __init__(self, run: Run, ahead: int) -> None:
        self._run = run
        self._blocks = run.blocks(ahead)
        self._upcoming = next(self._blocks, None)
        self.lines: list[bytes] = []  # of the block that was opened, from `position`
        self.position = 0
        self.block: Block | None = None
        self.frame = b""
        self.start = b""  # of the next line
        self.advance()

    @property
    def ended(self) -> bool:
        return self.block is None

    @property
    def bound(self) -> bytes | None:
        """The start of the block after this one: no line here is behind it. None if this is the last."""
        return self._upcoming[0].start if self._upcoming else None

    def advance(self) -> None:
        """To the next block."""
        self.lines, self.position = [], 0
        self.block, self.frame = self._upcoming or (None, b"")
        self._upcoming = next(self._blocks, None) if self._upcoming else None
        self.start = self.block.start if self.block else b""

    def opened(self) -> list[bytes]:
        """The lines before us; the block is opened if it was not."""
        if not self.lines:
            assert self.block is not None
            self.lines = self._run.lines_of(self.block, self.frame)
        return self.lines

    def text(self) -> bytes:
        """The lines of a block that was not opened, as one text."""
        assert self.block is not None
        return self._run.text_of(self.block, self.frame)

    def take(self, last: bytes) -> list[bytes]:
        """The lines up to `last`, which are then behind us."""
        end = bisect_right(self.lines, last, self.position)
        taken = self.lines[self.position : end]
        if end == len(self.lines):
            self.advance()
        else:
            self.position = end
            self.start = start_of(self.lines[end])
        return taken


class _Merging:
    def __init__(self, sources: Sequence[_Source], writer: RunWriter, without: Container[str]) -> None:
        self._sources = sources
        self._writer = writer
        self._without = without
        self._withdrawing = not isinstance(without, Sized) or len(without) > 0
        # The source that comes next is on top.
        self._order = [(source.start, number) for number, source in enumerate(sources) if not source.ended]
        heapq.heapify(self._order)

    def step(self) -> bool:
        """Write some more lines; False if there are none."""
        if not self._order:
            return False
        if not self._copied():
            self._write_up_to_smallest_last()
        return True

    def _copied(self) -> bool:
        """Copy the next block as it is, if it lies before all other lines and the writer is at an end."""
        number = self._order[0][1]
        source = self._sources[number]
        if source.lines or source.block is None or source.bound is None:
            return False  # opened already; or the last of its run, which ended where its lines did
        # Of equal starts nothing is known: the lines may be in any order.
        if any(other[0] <= source.bound for other in self._order[1:3]) or not self._writer.aligned():
            return False
        last = None
        if self._withdrawing:
            text = source.text()
            if any(name in self._without for name in filenames_in(text)):
                return False
            last = text[text.rfind(b"\n", 0, -1) + 1 : -1]
        self._writer.copy(source.block, source.frame, last)
        source.advance()
        self._put_back(number, replace=True)
        return True

    def _write_up_to_smallest_last(self) -> None:
        taking: list[int] = []
        last: bytes | None = None
        while self._order and (last is None or self._order[0][0] <= last):
            number = heapq.heappop(self._order)[1]
            lines = self._sources[number].opened()
            last = lines[-1] if last is None else min(last, lines[-1])
            taking.append(number)
        assert last is not None
        together: list[bytes] = []
        for number in taking:
            together += self._sources[number].take(last)
            self._put_back(number)
        if len(taking) > 1:
            together.sort()
        self._writer.add_list(kept(together, self._without) if self._withdrawing else together)

    def _put_back(self, number: int, *, replace: bool = False) -> None:
        source = self._sources[number]
        if not source.ended:
            entry = (source.start, number)
            if replace:
                heapq.heapreplace(self._order, entry)
            else:
                heapq.heappush(self._order, entry)
        elif replace:
            heapq.heappop(self._order)


# Lines in any order become a run: as many as memory takes are sorted at a time, then merged


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
