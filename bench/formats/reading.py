"""Reading, side by side: every record of a .warc.gz with its whole block, against FastWARC and warcio.

    python -m bench.formats.reading

All read the same file in this process; the tools take turns, and the best of several rounds counts, in
seconds
of CPU. "with HTTP" also parses the HTTP head of each response and request.
"""

import io
import resource
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from isal import igzip

from armarium.formats.warc.reader import ArchiveReader
from bench.formats.corpus import gzip_members

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # FastWARC warns of its own old names
    from fastwarc.warc import ArchiveIterator as FastIterator
    from warcio.archiveiterator import ArchiveIterator as WarcioIterator

CAPTURES = 12_000
ROUNDS = 5


class Result(NamedTuple):
    task: str
    tool: str
    seconds: float  # of CPU
    megabytes: float  # of the compressed file

    @property
    def speed(self) -> float:
        return self.megabytes / self.seconds


def ours(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(record.block.read()) for record in ArchiveReader(file))


def ours_with_http(path: Path) -> int:
    size = 0
    with path.open("rb") as file:
        for record in ArchiveReader(file):
            head = record.http
            size += len(record.block.read()) if head is None else head.length + len(record.body.read())
    return size


def fastwarc(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(record.reader.read()) for record in FastIterator(file, parse_http=False))


def fastwarc_with_http(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(record.reader.read()) for record in FastIterator(file, parse_http=True))


def warcio(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(record.raw_stream.read()) for record in WarcioIterator(file, no_record_parse=True))


def warcio_with_http(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(record.raw_stream.read()) for record in WarcioIterator(file))


def warcio_as_documented(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(record.content_stream().read()) for record in WarcioIterator(file))


def inflating(path: Path) -> int:
    """The mark that no reader can pass: all members inflated, and nothing done with it."""
    size = 0
    with igzip.open(path, "rb") as file:
        while piece := file.read(1 << 20):
            size += len(piece)
    return size


TASKS: dict[tuple[str, str], Callable[[Path], int]] = {
    ("as documented", "armarium"): ours,
    ("as documented", "FastWARC"): fastwarc_with_http,
    ("as documented", "warcio"): warcio_as_documented,
    ("without HTTP", "armarium"): ours,
    ("without HTTP", "FastWARC"): fastwarc,
    ("without HTTP", "warcio"): warcio,
    ("with HTTP", "armarium"): ours_with_http,
    ("with HTTP", "FastWARC"): fastwarc_with_http,
    ("with HTTP", "warcio"): warcio_with_http,
    ("inflating", "igzip"): inflating,
}


def results(count: int = CAPTURES, rounds: int = ROUNDS) -> list[Result]:
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.warc.gz"
        with path.open("wb") as file:
            file.writelines(gzip_members(count))
        for _ in range(rounds):
            for task, read in TASKS.items():
                begun = time.process_time()
                read(path)
                best[task] = min(best.get(task, float("inf")), time.process_time() - begun)
        megabytes = path.stat().st_size / 1_000_000
    return [Result(*task, seconds, megabytes) for task, seconds in best.items()]


def one_by_offset(count: int = 500) -> float:
    """Microseconds of CPU to read one record of which the offset is known."""
    pieces = list(gzip_members(count))
    offsets = [sum(map(len, pieces[:at])) for at in range(0, len(pieces), 7)]
    file = io.BytesIO(b"".join(pieces))
    begun = time.process_time()
    for offset in offsets:
        next(iter(ArchiveReader(file, offset=offset))).block.read()
    return (time.process_time() - begun) / len(offsets) * 1_000_000


def table(found: Sequence[Result]) -> str:
    lines = [f"{'task':<14} {'tool':<10} {'CPU s':>7} {'MB/CPU s':>9} {'ours ×':>7}"]
    own = {one.task: one.speed for one in found if one.tool == "armarium"}
    for one in found:
        ratio = f"{own[one.task] / one.speed:>7.2f}" if one.task in own else ""
        lines.append(f"{one.task:<14} {one.tool:<10} {one.seconds:>7.2f} {one.speed:>9.1f} {ratio}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(results()))  # noqa: T201
    print(f"one record by its offset: {one_by_offset():.0f} µs")  # noqa: T201
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"the most memory this process had, all tools included: {peak:.0f} MB")  # noqa: T201
