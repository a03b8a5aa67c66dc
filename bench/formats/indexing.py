"""CDXJ indexing, side by side: `armarium warc index` against cdxj-indexer; FastWARC and inflating as marks.

Each tool does in this process what its command does, on the same .warc.gz, and the lines must be the same.
Times are of this process's CPU: the tools take turns, and the best of several rounds counts.
"""

import io
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator
from isal import igzip

from armarium.formats.cdx.index import index
from armarium.formats.warc.reader import ArchiveReader
from bench.formats.corpus import gzip_members

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the patterns of surt are not raw strings
    from cdxj_indexer.main import CDXJIndexer  # type: ignore[import-untyped]

CAPTURES = 6000
ROUNDS = 5
NAME = "bench.warc.gz"


class Result(NamedTuple):
    tool: str
    seconds: float  # of CPU
    megabytes: float  # of the compressed file

    @property
    def speed(self) -> float:
        return self.megabytes / self.seconds


def ours(path: Path) -> bytes:
    with path.open("rb") as file:
        return b"".join(line.to_cdxj() + b"\n" for line in index(ArchiveReader(file), NAME))


def cdxj_indexer(path: Path) -> bytes:
    output = io.StringIO()
    with path.open("rb") as file:
        CDXJIndexer(output, [str(path)]).process_one(file, output, NAME)
    return output.getvalue().encode()


def fastwarc(path: Path) -> bytes:
    """Reading alone, with HTTP heads parsed: what an index on FastWARC would start from."""
    with path.open("rb") as file:
        return b"".join(b"" for _ in ArchiveIterator(file, parse_http=True))


def inflating(path: Path) -> bytes:
    """The floor: nobody indexes a compressed file without inflating it."""
    with igzip.open(path, "rb") as file:  # type: ignore[no-untyped-call]
        while file.read(1 << 20):
            pass
    return b""


TOOLS: dict[str, Callable[[Path], bytes]] = {
    "armarium": ours,
    "cdxj-indexer": cdxj_indexer,
    "fastwarc, reading": fastwarc,
    "inflating": inflating,
}


def results(count: int = CAPTURES, rounds: int = ROUNDS) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        with path.open("wb") as file:
            file.writelines(gzip_members(count))
        assert ours(path) == cdxj_indexer(path), "the lines differ"
        best = dict.fromkeys(TOOLS, float("inf"))
        for _ in range(rounds):
            for name, tool in TOOLS.items():
                begun = time.process_time()
                tool(path)
                best[name] = min(best[name], time.process_time() - begun)
        megabytes = path.stat().st_size / 1_000_000
        return [Result(name, seconds, megabytes) for name, seconds in best.items()]


def memory(count: int) -> float:
    """The most memory that indexing holds at once, in megabytes: the same whatever the size of the file."""
    data = io.BytesIO(b"".join(gzip_members(count)))
    tracemalloc.start()
    for line in index(ArchiveReader(data), NAME):
        line.to_cdxj()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1_000_000


def table(found: Sequence[Result]) -> str:
    peer = next(one.speed for one in found if one.tool == "cdxj-indexer")
    lines = [f"{'tool':<20} {'CPU s':>8} {'MB/CPU s':>9} {'× cdxj-indexer':>15}"]
    lines += [
        f"{one.tool:<20} {one.seconds:>8.2f} {one.speed:>9.1f} {one.speed / peer:>15.2f}" for one in found
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(results()))  # noqa: T201
    print(f"memory: {memory(200):.1f} MB for 200 captures, {memory(1000):.1f} MB for 1000")  # noqa: T201
