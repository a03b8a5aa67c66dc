"""Counts for as many names as a crawl meets, in bounded memory: what is too much goes to disk, in runs."""

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

# --- Sorting of more rows than memory holds: sorted pieces on disk, merged.


Row = tuple[str, list[int]]  # a name and its numbers


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Whole or not at all."""
    fresh = path.with_suffix(".fresh")
    with fresh.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for row in rows:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
    fresh.replace(path)


def read_rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            name, numbers = json.loads(line)
            yield name, numbers


def summed(sources: Sequence[Iterable[Row]]) -> Iterator[Row]:
    """The rows of sources that are each sorted by name; those of one name are added up."""
    current: Row | None = None
    for name, numbers in heapq.merge(*sources, key=lambda row: row[0]):
        if current is not None and current[0] == name:
            current = (name, [one + other for one, other in zip(current[1], numbers, strict=True)])
            continue
        if current is not None:
            yield current
        current = (name, numbers)
    if current is not None:
        yield current


def ordered(
    rows: Iterable[Row], key: Callable[[Row], tuple[int, str]], folder: Path, limit: int
) -> Iterator[Row]:
    """The rows in the order of the key, with no more than `limit` of them in memory."""
    pieces: list[Path] = []
    held: list[Row] = []
    for row in rows:
        held.append(row)
        if len(held) >= limit:
            pieces.append(folder / f"sorting-{len(pieces):05d}.rows")
            write_rows(pieces[-1], sorted(held, key=key))
            held.clear()
    held.sort(key=key)
    try:
        yield from heapq.merge(*map(read_rows, pieces), held, key=key)
    finally:
        for piece in pieces:
            piece.unlink(missing_ok=True)


# --- Counts for as many names as a crawl meets, in bounded memory: what is too much goes to disk, in runs.


MOST_IN_MEMORY = 100_000  # names; about 30 MB


class Tally:
    """For each name some numbers that only grow. The first one decides the order of reports."""

    def __init__(self, folder: Path, kind: str, width: int, *, limit: int = MOST_IN_MEMORY) -> None:
        self._folder = folder
        self._kind = kind
        self._width = width
        self._limit = limit
        self._held: dict[str, list[int]] = {}
        self._runs = 0

    def row(self, name: str) -> list[int]:
        """The numbers of a name, to be added to at once: they are not to be kept."""
        numbers = self._held.get(name)
        if numbers is None:
            if len(self._held) >= self._limit:
                with suppress(OSError):  # the disk is full: they stay in memory until it takes them
                    self._spill()
            numbers = self._held[name] = [0] * self._width
        return numbers

    def by_name(self) -> Iterator[Row]:
        runs = [read_rows(self._run(number)) for number in range(self._runs)]
        return summed([*runs, sorted(self._held.items())])

    def by_count(self) -> Iterator[Row]:
        """The largest first, as the reports have it."""
        if not self._runs:
            return iter(sorted(self._held.items(), key=_largest_first))
        return ordered(self.by_name(), _largest_first, self._folder, self._limit)

    def state(self) -> dict[str, object]:
        """What JSON must keep; the runs are on disk already."""
        return {"runs": self._runs, "held": self._held}

    def restore(self, runs: int, held: dict[str, list[int]]) -> None:
        self._runs, self._held = runs, held
        for number in range(runs, runs + 1_000_000):  # runs of a time that the state does not know
            if not self._run(number).exists():
                break
            self._run(number).unlink()

    def discard(self) -> None:
        """Remove what is on disk."""
        self.restore(0, {})

    def _spill(self) -> None:
        write_rows(self._run(self._runs), sorted(self._held.items()))
        self._runs += 1
        self._held = {}

    def _run(self, number: int) -> Path:
        return self._folder / f"{self._kind}-{number:05d}.rows"


def _largest_first(row: Row) -> tuple[int, str]:
    return -row[1][0], row[0]


def totals(rows: Iterator[Row], width: int) -> Sequence[int]:
    sums = [0] * width
    for _, numbers in rows:
        for place, number in enumerate(numbers):
            sums[place] += number
    return sums
