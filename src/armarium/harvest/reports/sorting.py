"""Sorting of more rows than memory holds: sorted pieces on disk, merged."""

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

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
