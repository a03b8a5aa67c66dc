"""Several runs read as if they were one, though some of them may vanish on the way."""

import heapq
from collections.abc import Callable, Iterator, Sequence

from armarium.index.runs import BadRun, MissingRun, Run

_PATIENCE = 5  # times in a row that a run may have vanished before its first line


def nobody(_: BadRun) -> None:
    """Nobody wants to know."""


class Union:
    """`runs` gives the runs of this moment; `tell` hears of those that cannot be read.

    While an answer is read, runs may be merged and the old ones deleted. The lines stay the same, so reading
    goes on behind the last one, with the runs that are there then.
    """

    def __init__(self, runs: Callable[[], Sequence[Run]], tell: Callable[[BadRun], None] = nobody) -> None:
        self._runs = runs
        self._tell = tell

    def scan(self, start: bytes, end: bytes | None, *, reverse: bool = False) -> Iterator[bytes]:
        """The lines from `start`, to before `end`, each once, in order or from the last to the first."""
        vanished = 0
        while True:
            try:
                for line in _merged(self._runs(), start, end, reverse=reverse):
                    yield line
                    vanished = 0
                    if reverse:
                        end = line
                    else:
                        start = line + b"\0"  # the next that can be
            except BadRun as bad:
                vanished += 1
                if vanished > _PATIENCE or not isinstance(bad, MissingRun):
                    self._tell(bad)
                    raise
            else:
                return


def _merged(runs: Sequence[Run], start: bytes, end: bytes | None, *, reverse: bool) -> Iterator[bytes]:
    if len(runs) > 1:
        # First all that have to be waited for are asked, then each is waited for.
        for run in runs:
            run.prepare_index(start, end, reverse=reverse)
        for run in runs:
            run.prepare_lines(start, end, reverse=reverse)
    scans = [run.scan(start, end, reverse=reverse) for run in runs]
    if len(scans) == 1:
        yield from scans[0]
        return
    last: bytes | None = None
    for line in heapq.merge(*scans, reverse=reverse):
        if line != last:
            yield line
        last = line
