"""A broad harvest and selective ones, by three collectors to which everything happens that can happen.

Some seconds in every test run; longer, and until every job has ended, with:
pytest tests/acceptance/planning --chaos-minutes 15 --seed 7 --timeout 3600
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.acceptance.planning.archive import Archive, archive
from tests.acceptance.planning.chaos import Chaos
from tests.acceptance.planning.machines import Machine
from tests.acceptance.planning.proof import Proof
from tests.acceptance.planning.small_web import SmallWeb, small_web
from tests.acceptance.planning.wires import wires

COLLECTORS = 3
WAITING = 30  # jobs of the broad harvest, while selective ones begin
SHORT = 8.0  # seconds of mischief
BETWEEN, SOONER = (2.0, 5.0), (0.8, 2.0)  # seconds from one deed to the next; in a short run
JOBS_A_SECOND = 0.6  # of all collectors, about
SELECTIVE = 2  # harvests in a short run
MOST_SELECTIVE = 20  # in a long one
LATEST = 60.0  # seconds until a selective job must have started


@dataclass
class World:
    web: SmallWeb
    archive: Archive
    machines: list[Machine]
    broad: int = 0
    selective: dict[int, float] = field(default_factory=dict)  # harvest → when it was activated

    def unfinished(self) -> int:
        states = self.archive.states()
        return sum(states.get(state, 0) for state in ("planned", "new", "submitted", "started", "uploading"))


@contextmanager
def world(folder: Path, domains: list[str]) -> Iterator[World]:
    with ExitStack() as stack:
        web = stack.enter_context(small_web())
        there = stack.enter_context(archive(folder))
        there.begin()
        there.furnish(web, domains)
        laid = stack.enter_context(wires(COLLECTORS, there.port))
        machines = [
            Machine(f"crawler-{number}", folder, wire, {}, there.enrolment())
            for number, wire in enumerate(laid, 1)
        ]
        for machine in machines:
            stack.callback(machine.end)
        yield World(web, there, machines)


@pytest.mark.timeout(3600)
def test_every_job_ends_once_whatever_happens_to_whom(tmp_path: Path, seed: int, minutes: float) -> None:
    seconds = minutes * 60 or SHORT
    count = 2 * round(WAITING + 10 + JOBS_A_SECOND * seconds)
    domains = [f"small-{number:04}.example" for number in range(count)]
    with world(tmp_path, domains) as there:
        there.broad = there.archive.begin_broad()
        there.archive.house.wait(lambda: there.archive.states(there.broad).get("new", 0) > WAITING)
        for machine in there.machines:
            machine.start()
        there.archive.house.wait(lambda: there.archive.collectors_at_work() == COLLECTORS)
        chaos = Chaos(there.archive, there.machines, seed, BETWEEN if minutes else SOONER)
        _rage(there, chaos, seconds, domains)
        chaos.over()
        if not minutes:
            there.archive.cancel_untouched(there.broad)
        _settle(there, chaos, patience=60 + (count if minutes else seconds))
        proof = Proof(there.archive, there.web)
        chaos.note(proof.told)
        (tmp_path / "diary").write_text("\n".join(chaos.diary))
        assert not proof.faults(), f"seed {seed}\n" + "\n".join(chaos.diary)
        assert proof.done >= len(there.selective) + COLLECTORS
        _assert_prompt(there, chaos)


def _rage(there: World, chaos: Chaos, seconds: float, domains: list[str]) -> None:
    """Do mischief for a while, and activate selective harvests meanwhile."""
    begun, last = time.monotonic(), 0.0
    between = seconds / ((SELECTIVE if seconds <= SHORT else MOST_SELECTIVE) + 1)
    while (passed := time.monotonic() - begun) < seconds:
        chaos.step()
        if passed >= last + between:
            last = passed
            _begin_selective(there, chaos, domains)
        time.sleep(0.1)
    assert there.selective, "the broad harvest is too small for this machine"


def _begin_selective(there: World, chaos: Chaos, domains: list[str]) -> None:
    """As long as the broad harvest has enough before it."""
    number, waiting = len(there.selective), there.archive.states(there.broad).get("new", 0)
    if waiting >= WAITING:
        harvest = there.archive.begin_selective(f"selective {number}", domains[number * 3 : number * 3 + 3])
        there.selective[harvest] = time.time()
        chaos.note(f"selective {number} activated, {waiting} jobs of the broad harvest wait")


def _settle(there: World, chaos: Chaos, patience: float) -> None:
    """Until no job is left, and every file is stored and indexed."""
    until = time.monotonic() + patience
    while there.unfinished() or not there.archive.is_settled():
        assert time.monotonic() < until, "\n".join(
            [
                f"jobs are left: {there.archive.states()}",
                *chaos.diary,
                *(m.log[-2000:] for m in there.machines),
            ]
        )
        time.sleep(0.5)


def _assert_prompt(there: World, chaos: Chaos) -> None:
    """The jobs of every selective harvest have started within a minute."""
    for harvest, activated in there.selective.items():
        rows = there.archive.ask(
            "SELECT id, state, extract(epoch FROM started_at)::float AS started FROM job WHERE harvest = %s",
            harvest,
        )
        assert rows, f"harvest {harvest} has no jobs"
        late = [row for row in rows if row["started"] is None or row["started"] - activated > LATEST]
        assert not late, "\n".join([f"harvest {harvest}: {late}", *chaos.diary])
