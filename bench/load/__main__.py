"""The whole house under load: readers replay and librarians work, while two collectors crawl and upload.

    python -m bench.load                       200 readers, 20 librarians, 3 minutes; then the peer
    python -m bench.load --minutes 1 --only    ours alone, shorter
    python -m bench.load --pywb DIR            an environment in which pywb is installed already
    python -m bench.load --keep DIR            work in this folder and leave it, with all logs

`armarium up` runs in a temporary folder with everything as it comes: one web process, one worker, one access
process, the scheduler, PostgreSQL. A web on the loopback is harvested twice, so that there are two dates to
read. Then, in turn: collectors alone; collectors, readers and librarians; the same readers without a pause,
which is an upper bound; and, with nobody else at work, the readers alone, on ours and on pywb over the same
WARC files. Every request is timed to the last byte of its answer; what comes back is compared with what was
served.
"""

import argparse
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.load import report
from bench.load.generator import Plan
from bench.load.house import Site, site
from bench.load.librarians import Office
from bench.load.measure import Stretch, loaded, quiet
from bench.load.peer import compared
from bench.load.readers import Door
from bench.load.web import paper, shop

SEED = 20261116
THINK = (3.0, 10.0)
SHOPS_A_MINUTE = 40  # more than two collectors can crawl
EDITIONS = (1, 2)


@dataclass(frozen=True)
class Size:
    readers: int = 200
    librarians: int = 20
    seconds: float = 180.0
    calm: float = 45.0  # seconds without load
    rush: float = 20.0  # seconds without pauses
    papers: int = 20
    records: int = 30_000
    think: tuple[float, float] = THINK

    @property
    def shops(self) -> int:
        return int(SHOPS_A_MINUTE * (0.5 + (self.seconds + self.calm + self.rush) / 60))


@dataclass(frozen=True)
class Result:
    size: Size
    calm: Stretch | None
    load: Stretch
    rush: Stretch | None
    before: int  # captures in the index when the load began
    complaints: Sequence[str]

    @property
    def errors(self) -> list[str]:
        """Of all that was asked, and what the house itself complained of."""
        told = [stretch.told for stretch in (self.load, self.rush) if stretch]
        words = [word for one in told for who in ("readers", "librarians") for word in one[who]["words"]]
        return [*words, *self.complaints]


@contextmanager
def furnished(folder: Path, size: Size) -> Iterator[tuple[Site, Plan]]:
    """A house with two editions of the papers in its archive; collectors are at the shops."""
    papers = [paper(number) for number in range(size.papers)]
    shops = [shop(number) for number in range(size.shops)]
    with site(folder, [*papers, *shops], records=size.records, librarians=size.librarians) as there:
        for edition in EDITIONS:
            there.show(edition)
            there.collect(papers)
            there.wait(there.is_settled)
        there.collect(shops)
        there.wait(lambda: there.archive.states().get("started", 0) >= 2)
        yield there, plan_for(there, size, papers)


def plan_for(there: Site, size: Size, papers: Sequence[str]) -> Plan:
    captures = there.captures(papers)
    wrong = [url for url, found in captures.items() if len(found) != len(EDITIONS)]
    if wrong:
        raise SystemExit(f"{len(wrong)} pages were not captured twice, such as {wrong[0]}")
    numbers = [row["id"] for row in there.archive.ask("SELECT id FROM selection_collection ORDER BY id")]
    web = f"{there.web.seed(papers[0])}column/"
    office = Office(there.archive.port, size.records, numbers, web, size.librarians)
    port = there.access_port
    door = Door(port, f"localhost:{port}", f"127.0.0.1:{port}", "all")
    return Plan(size.seconds, SEED, size.readers, size.librarians, size.think, door, captures, office)


def measured(there: Site, plan: Plan, size: Size) -> Result:
    calm = quiet(there, size.calm) if size.calm else None
    before, _ = there.stored()
    load = loaded(there, plan)
    hurried = replace(plan, think=(0.0, 0.0), seconds=size.rush, librarians=0, office=None)
    rush = loaded(there, hurried) if size.rush else None
    return Result(size, calm, load, rush, before, there.complaints())


def main(arguments: Sequence[str]) -> int:
    wanted = _arguments(arguments)
    size = Size(wanted.readers, wanted.librarians, wanted.minutes * 60, records=wanted.records)
    with tempfile.TemporaryDirectory() as scratch:
        folder = wanted.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        with furnished(folder, size) as (there, plan):
            result = measured(there, plan, size)
            report.tell(result)
            if not wanted.only:
                report.tell_peer(compared(there, plan, folder, wanted.pywb))
    return 1 if result.errors else 0


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load")
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--librarians", type=int, default=20)
    parser.add_argument("--records", type=int, default=30_000)
    parser.add_argument("--pywb", type=Path, help="environment with pywb")
    parser.add_argument("--only", action="store_true", help="ours alone")
    parser.add_argument("--keep", type=Path, help="folder to work in, which is not removed")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all that was started ends with it
    sys.exit(main(sys.argv[1:]))
