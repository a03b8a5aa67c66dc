"""From a W/ARC file to a sorted run of CDXJ, side by side with cdxj-indexer; and what a day of files costs.

    python -m bench.index.indexing             all of it
    python -m bench.index.indexing scaling …   these parts: indexing, scaling, companion, digests, day

Times are of CPU unless it says otherwise. Wall-clock times mean something on a quiet machine only: the load
is printed with them.
"""

import hashlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from armarium.core.storing import StoredFile
from armarium.formats.cdx.index import index
from armarium.formats.warc.reader import ArchiveReader
from armarium.index.chain.children import Indexer, make_run
from armarium.index.chain.companions import use_companion
from armarium.index.runs import Run
from armarium.index.runs.folder import FolderPlace
from bench.formats.corpus import gzip_members
from bench.index import day, digests

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the patterns of surt are not raw strings
    from cdxj_indexer.main import CDXJIndexer

CAPTURES = 3600  # about 50 MB
ROUNDS = 3
NAME = "bench.warc.gz"
FILES = 4  # of the measure of two processes
QUIET = 0.5  # load under which a comparison by the clock means something
SAMPLE = 20  # lines of a companion that are compared: as the settings ship


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextmanager
def corpus(count: int = CAPTURES) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        with path.open("wb") as file:
            file.writelines(gzip_members(count))
        yield path


def best(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Seconds of CPU: the best of several, because other programs disturb but never help."""
    found = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        work()
        found = min(found, time.process_time() - begun)
    return found


def ours(path: Path) -> None:
    with path.open("rb") as file:
        make_run(file, NAME, path.with_name("run"))


def theirs(path: Path) -> None:
    with path.with_name("cdxj").open("w") as output:
        CDXJIndexer(output, [str(path)], sort=True).process_all()


def sorted_lines(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        return sorted(line.to_cdxj() for line in index(ArchiveReader(file), NAME))


def indexing() -> None:
    with corpus() as path:
        ours(path)
        theirs(path)
        lines = list(Run(FolderPlace(path.parent), "run").scan())
        assert lines == sorted(path.with_name("cdxj").read_bytes().splitlines()), "the lines differ"
        megabytes = path.stat().st_size / 1e6
        own, other = best(lambda: ours(path)), best(lambda: theirs(path))
    say(f"foreign WARC → sorted lines, {megabytes:.0f} MB, {len(lines)} captures")
    say(f"  armarium, as a run    {own:6.2f} CPU s {megabytes / own:7.1f} MB/s")
    say(f"  cdxj-indexer --sort   {other:6.2f} CPU s {megabytes / other:7.1f} MB/s")
    say(f"  ratio {other / own:.2f} (target 2.5)")


def scaling() -> None:
    """Wall-clock time for several files with one child that indexes, and with two."""
    before = os.getloadavg()[0]
    with corpus() as path:
        found = [(_wall(path, 1), _wall(path, 2)) for _ in range(ROUNDS)]
    one, two = (min(walls) for walls in zip(*found, strict=True))
    say(f"{FILES} files, wall clock, load of the machine before {before:.1f}")
    if before > QUIET:
        say("  others are at work on this machine: the figure says nothing, measure again when they are not")
    say(f"  one process {one:.2f} s, two {two:.2f} s: {one / two:.2f} times as fast (target 1.8)")


def _wall(path: Path, children: int) -> float:
    indexer = Indexer(children)

    def one(number: int) -> None:
        target = path.with_name(f"run-{number}")
        indexer.make(lambda: path.open("rb"), NAME, path.stat().st_size, target)

    with ThreadPoolExecutor(children) as threads:
        list(threads.map(one, range(children)))  # children take a moment to start
        begun = time.monotonic()
        list(threads.map(one, range(FILES)))
        took = time.monotonic() - begun
    indexer.close()
    return took


def companion() -> None:
    """What a file of our own engine costs: its lines come with it, and are checked by sample."""
    with corpus() as path:
        handed_over = path.with_name(f"{NAME}.cdxj")
        handed_over.write_bytes(b"".join(line + b"\n" for line in sorted_lines(path)))
        with path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        file = StoredFile(1, NAME, "data", path.stat().st_size, digest, datetime(2026, 1, 1, tzinfo=UTC))

        def check() -> None:
            with path.open("rb") as opened:
                use_companion(handed_over, file, opened, SAMPLE, path.with_name("run"))

        checked, whole = best(check), best(lambda: ours(path), 1)
        megabytes = file.size / 1e6
    say(f"a file of {megabytes:.0f} MB that brings its index")
    say(f"  checked and made a run {checked:.2f} CPU s; indexed from the file {whole:.2f} CPU s")
    say(f"  {checked / whole:.0%} of a second pass")


PARTS: dict[str, Callable[[], None]] = {
    "indexing": indexing,
    "scaling": scaling,
    "companion": companion,
    "digests": lambda: digests.measure(say),
    "day": lambda: day.measure(say),
}


def main(parts: list[str]) -> int:
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        sys.stderr.write(f"There is no {', '.join(unknown)}; there are {', '.join(PARTS)}.\n")
        return 2
    for part in parts or PARTS:
        say(f"\n{part}")
        PARTS[part]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
