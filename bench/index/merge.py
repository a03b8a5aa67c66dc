"""Merging the index, measured: time and memory, beside `sort -m -u`.

    python -m bench.index.merge [--lines 1000000] [--runs 20] [--shape mixed|daily] [--folder F] [--no-sort]

*mixed*: the lines are dealt out to so many runs. *daily*: one run has nearly all of them, the others are
those of days; that is what a big merge does. `sort` gets the same lines as text files. Each merges in a
process of its own.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from armarium.index.runs import Run, RunWriter, merge, sort_into_run
from armarium.index.runs.folder import FolderPlace
from bench.formats.__main__ import machine
from bench.index.lines import key_of, later_captures, sorted_lines

DAY = 0.004  # the lines of a day's run, as a part of all


class Cost(NamedTuple):
    seconds: float
    cpu: float
    mebibytes: float  # of memory, at most


def main() -> None:
    arguments = _arguments()
    if arguments.merge_here:
        place = FolderPlace(Path(arguments.merge_here))
        merge([Run(place, name) for name in _names(place)], place.folder / "merged.out")
        return
    print(machine())  # noqa: T201
    folder = Path(arguments.folder or tempfile.mkdtemp(prefix="bench-index-"))
    folder.mkdir(exist_ok=True)
    try:
        _make(folder, arguments.lines, arguments.runs, arguments.shape)
        _compare(folder, arguments.shape, with_sort=not arguments.no_sort)
    finally:
        if not arguments.folder:
            shutil.rmtree(folder)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Merging the index, measured.")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--shape", choices=["mixed", "daily"], default="mixed")
    parser.add_argument("--folder", help="where the runs are made, and left")
    parser.add_argument("--no-sort", action="store_true", help="merge with Armarium only")
    parser.add_argument("--merge-here", help=argparse.SUPPRESS)  # what the measured process does
    return parser.parse_args()


def _names(place: FolderPlace) -> list[str]:
    return sorted(name for name in place.names() if name.endswith(".run"))


def _make(folder: Path, count: int, runs: int, shape: str) -> None:
    if any(folder.glob("*.run")):
        return
    if shape == "daily":
        keys: list[str] = []
        with RunWriter(folder / "all.run") as writer:
            writer.add(_noting(sorted_lines(count), keys))
            writer.finish()
        for day in range(runs - 1):
            sort_into_run(later_captures(keys, int(count * DAY), day + 1), folder / f"day-{day}.run")
        return
    chance = random.Random(count)  # noqa: S311
    writers = [RunWriter(folder / f"part-{number}.run") for number in range(runs)]
    for line in sorted_lines(count):
        writers[chance.randrange(runs)].add_list([line])
    for writer in writers:
        writer.finish()


def _noting(lines: Iterator[bytes], keys: list[str]) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if number % 100 == 0:
            keys.append(key_of(line))
        yield line


def _compare(folder: Path, shape: str, *, with_sort: bool) -> None:
    place = FolderPlace(folder)
    runs = [Run(place, name) for name in _names(place)]
    lines = sum(run.facts.lines for run in runs)
    size = sum(run.facts.bytes for run in runs)
    print(f"\n{len(runs)} runs ({shape}), {lines:,} lines, {size / 2**20:,.0f} MiB")  # noqa: T201
    command = [sys.executable, "-m", "bench.index.merge", "--merge-here", str(folder)]
    _tell("Armarium", lines, _run(command))
    if not with_sort:
        return
    texts = []
    for run in runs:
        texts.append(str(folder / f"{run.name}.txt"))
        with Path(texts[-1]).open("wb") as file:
            file.writelines(line + b"\n" for line in run.scan())
    sorted_text = folder / "sorted.txt"
    _tell("sort -m -u", lines, _run(["sort", "-m", "-u", "-o", str(sorted_text), *texts]))
    with sorted_text.open("rb") as file:
        merged = Run(place, "merged.out").scan()
        same = all(line == text[:-1] for line, text in zip(merged, file, strict=True))
    print(f"  the same lines: {'yes' if same else 'NO'}")  # noqa: T201


def _run(command: list[str]) -> Cost:
    """Run a program to its end, and what it took."""
    begin = time.perf_counter()
    process = os.posix_spawnp(command[0], command, {**os.environ, "LC_ALL": "C"})
    memory = 0
    while True:
        # What wait4 says of memory counts this process, too, as the one from which the other began.
        memory = max(memory, _most_memory(process))
        time.sleep(0.02)
        ended, status, usage = os.wait4(process, os.WNOHANG)
        if ended:
            break
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{command[0]} failed")
    return Cost(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, memory / 1024)


def _most_memory(process: int) -> int:
    """In KiB, so far."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0  # it has just ended


def _tell(what: str, lines: int, cost: Cost) -> None:
    print(  # noqa: T201
        f"  {what:10} {cost.seconds:7.1f} s   {cost.cpu:7.1f} s CPU   "
        f"{lines / cost.seconds / 1e6:5.2f} M lines/s   {cost.mebibytes:6.0f} MiB of memory"
    )


if __name__ == "__main__":
    main()
