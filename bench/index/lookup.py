"""Look-ups in the index, measured: warm and cold, beside pywb where it can be had.

    python -m bench.index.lookup [--lines 1000000] [--days 7] [--questions 1000] [--folder F] [--pywb PYTHON]

One large run of so many lines and a run for each of some days are made in a folder (and removed, unless it
was named). *warm*: the second time that all questions are asked, with a cache that holds part of the blocks.
*cold*: before each question the files are dropped from the memory of the system, and the caches are empty;
what the machine below keeps is beyond reach. `--pywb` names the Python of an environment in which pywb is
installed: it gets the same lines as CDXJ and as ZipNum.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from armarium.formats.cdx.query import Match, Query
from armarium.index.exchange import Form, export_text, export_zipnum
from armarium.index.lookup import Lookup
from armarium.index.runs import BlockCache, Run, RunWriter, sort_into_run
from armarium.index.runs.folder import FolderPlace
from bench.formats.__main__ import machine
from bench.index.lines import SEED, key_of, later_captures, sorted_lines, url_of

DAY = 0.004  # the lines of a day's run, as a part of all
KEYS = 20_000  # pages that are asked for, and that are captured again


def main() -> None:
    arguments = _arguments()
    print(machine())  # noqa: T201
    folder = Path(arguments.folder or tempfile.mkdtemp(prefix="bench-index-"))
    folder.mkdir(exist_ok=True)
    try:
        keys = _made(folder, arguments.lines, arguments.days)
        _measure(folder, keys, arguments.questions)
        if arguments.pywb:
            _measure_pywb(folder, keys, arguments.questions, arguments.pywb)
    finally:
        if not arguments.folder:
            shutil.rmtree(folder)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Look-ups in the index, measured.")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--folder", help="where the runs are made, and left")
    parser.add_argument("--pywb", help="the Python of an environment with pywb")
    return parser.parse_args()


def _made(folder: Path, count: int, days: int) -> list[str]:
    """The runs, if they are not there from an earlier time; and some of the keys in them."""
    noted = folder / "keys.json"
    if noted.exists():
        known: list[str] = json.loads(noted.read_text())
        return known
    keys: list[str] = []
    begin = time.perf_counter()
    with RunWriter(folder / "all.run") as writer:
        writer.add(_noting(sorted_lines(count), max(count // KEYS, 1), keys))
        facts = writer.finish()
    seconds = time.perf_counter() - begin
    share = facts.bytes / facts.lines
    print(f"made {facts.lines:,} lines, {share:.1f} bytes each in the run, in {seconds:.0f} s")  # noqa: T201
    for day in range(days):
        sort_into_run(later_captures(keys, max(int(count * DAY), 1), day + 1), folder / f"day-{day}.run")
    noted.write_text(json.dumps(keys))
    return keys


def _noting(lines: Iterator[bytes], step: int, keys: list[str]) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if number % step == 0:
            keys.append(key_of(line))
        yield line


def _questions(keys: list[str], count: int) -> dict[str, list[Query]]:
    chosen = random.Random(SEED).choices(keys, k=count)  # noqa: S311
    return {
        "exact": [Query(url_of(key)) for key in chosen],
        "closest": [Query(url_of(key), closest="2016", limit=1) for key in chosen],
        "prefix": [
            Query(url_of(key.rpartition("/")[0] + "/"), match=Match.PREFIX, limit=100) for key in chosen
        ],
        "unknown": [Query(url_of(key + "x")) for key in chosen],
    }


def _measure(folder: Path, keys: list[str], count: int) -> None:
    place, cache = FolderPlace(folder), BlockCache()
    runs = [Run(place, path.name, cache) for path in sorted(folder.glob("*.run"))]
    lookup = Lookup(lambda: runs)
    lines, size = sum(run.facts.lines for run in runs), sum(run.facts.bytes for run in runs)
    print(f"\nArmarium, {len(runs)} runs, {lines:,} lines, {size / 2**20:,.0f} MiB")  # noqa: T201

    def forget() -> None:
        cache.clear()
        for path in folder.glob("*.run"):
            _drop(path)

    for kind, queries in _questions(keys, count).items():
        cold = _times(lookup.search, queries, forget)
        _times(lookup.search, queries)
        _tell(kind, "cold", cold)
        _tell(kind, "warm", _times(lookup.search, queries))


def _times(
    ask: Callable[[Query], object], queries: list[Query], before: Callable[[], None] | None = None
) -> list[float]:
    times = []
    for query in queries:
        if before is not None:
            before()
        begin = time.perf_counter()
        ask(query)
        times.append((time.perf_counter() - begin) * 1000)
    return times


def _tell(kind: str, state: str, times: list[float]) -> None:
    cuts = statistics.quantiles(times, n=100)
    print(f"  {kind:8} {state}  p50 {cuts[49]:7.3f} ms   p99 {cuts[98]:7.3f} ms   most {max(times):7.3f} ms")  # noqa: T201


def _drop(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def _measure_pywb(folder: Path, keys: list[str], count: int, python: str) -> None:
    lookup = Lookup(lambda: [Run(FolderPlace(folder), path.name) for path in sorted(folder.glob("*.run"))])
    everything = Query(match=Match.RANGE)
    if not (folder / "all.cdxj").exists():
        with (folder / "all.cdxj").open("wb") as file:
            export_text(lookup.raw(everything), Form.CDXJ, file)
            os.fsync(file.fileno())
        export_zipnum(lookup.raw(everything), folder, "cluster")
    asked = {
        kind: [[query.url, query.match.value] for query in queries]
        for kind, queries in _questions(keys, count).items()
        if kind in ("exact", "unknown")
    }
    (folder / "questions.json").write_text(json.dumps(asked))
    script = Path(__file__).with_name("pywb_lookup.py")
    answer = subprocess.run([python, script, folder], check=True, capture_output=True, text=True).stdout  # noqa: S603
    for source, kinds in json.loads(answer).items():
        print(f"\npywb, {source}")  # noqa: T201
        for kind, states in kinds.items():
            for state, times in states.items():
                _tell(kind, state, times)


if __name__ == "__main__":
    main()
