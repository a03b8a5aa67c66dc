"""The whole suite under fire: from the first start to the verdict."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from tests.acceptance.planning.proof import Proof as PlanningProof
from tests.acceptance.whole import deeds_bytes, deeds_disks, deeds_house, deeds_machines
from tests.acceptance.whole.diary import Diary
from tests.acceptance.whole.errands import Errands
from tests.acceptance.whole.mischief import DEEDS, Mischief
from tests.acceptance.whole.proof import Proof
from tests.acceptance.whole.readers import Visitors
from tests.acceptance.whole.replaying import broken_pages, unanswered
from tests.acceptance.whole.settling import Settling
from tests.acceptance.whole.tidiness import litter, survivors
from tests.acceptance.whole.world import World, world

DECKS = (deeds_bytes, deeds_disks, deeds_house, deeds_machines)  # each enters its deeds
READERS = 3
DOMAINS = 24
PROGRESS = 30.0  # seconds
START = 600.0  # seconds until the first files are there
FIRST = 4  # files
PATIENCE = 300.0  # seconds until it has come to rest; more where everything takes longer
INDEXED = "SELECT count(*) FROM index_file WHERE state = 'indexed'"

Say = Callable[[str], None]


@dataclass
class Verdict:
    seed: int
    seconds: float
    diary: Diary
    faults: list[str] = field(default_factory=list)
    figures: dict[str, int] = field(default_factory=dict)

    def told(self) -> str:
        never = sorted(set(DEEDS) - set(self.diary.done))
        return "\n".join(
            [
                f"seed {self.seed}, {self.seconds / 60:.1f} minutes of mischief",
                *(f"{number:6} {name}" for name, number in sorted(self.diary.done.items())),
                *([f"       never done: {', '.join(never)}"] if never else []),
                *(f"{number:6} {what}" for what, number in sorted(self.figures.items())),
                *(["all invariants hold"] if not self.faults else [f"{len(self.faults)} FAULTS"]),
                *(f"  - {fault}" for fault in self.faults[:100]),
            ]
        )


def run(folder: Path, *, seconds: float, seed: int, say: Say, only: Collection[str] = ()) -> Verdict:
    with world(folder, domains=DOMAINS, seed=seed) as there:
        say(f"the house is open; diary: {there.diary.path}")
        errands, visitors, mischief = Errands(there), Visitors(there), Mischief(there, seed, only)
        for machine in there.machines:
            machine.start()
        errands.begin()
        visitors.begin(READERS)
        there.archive.house.wait(lambda: there.archive.ask(INDEXED)[0]["count"] >= FIRST, START)
        say("the first files are in the index; the mischief begins")
        _rage(there, mischief, seconds, say)
        mischief.over()
        errands.end()
        say("the mischief is over; the house comes to rest")
        verdict = Verdict(seed, seconds, there.diary)
        settling = Settling(there, errands, mischief)
        settling.rest(PATIENCE * there.pace)
        settling.let_days_pass(PATIENCE * there.pace)
        visitors.end()
        errands.close()
        _prove(there, verdict, say)
        _end(there, verdict)
        verdict.faults += there.diary.faults
        return verdict


def _rage(there: World, mischief: Mischief, seconds: float, say: Say) -> None:
    begun, said = time.monotonic(), time.monotonic()
    while time.monotonic() - begun < seconds:
        mischief.step()
        there.harm.open_runs()
        if time.monotonic() - said >= PROGRESS:
            said = time.monotonic()
            say(_progress(there, said - begun))
        time.sleep(0.1)


def _progress(there: World, seconds: float) -> str:
    diary = there.diary
    return (
        f"{seconds:5.0f} s: {diary.done.total()} deeds of {len(diary.done)} kinds,"
        f" jobs {there.archive.states()}, {diary.seen['pages shown']} pages shown, {len(diary.faults)} faults"
    )


def _prove(there: World, verdict: Verdict, say: Say) -> None:
    say("the proof begins")
    planning, proof = PlanningProof(there.archive, there.web), Proof(there)
    verdict.faults += [*planning.faults(), *proof.faults()]
    say(f"{len(proof.lines)} lines of the index are replayed")
    verdict.faults += [*unanswered(there, proof.lines), *broken_pages(there), *litter(there)]
    there.diary.note(planning.told)
    verdict.figures = {**there.diary.seen, **proof.figures, "jobs done": planning.done}
    verdict.figures["runs of the index damaged"] = len(there.harm.runs)
    verdict.figures["files damaged on arrival"] = len(there.harm.arrivals)


def _end(there: World, verdict: Verdict) -> None:
    for machine in there.machines:
        machine.end()
    there.archive.house.end()
    verdict.faults += survivors(there)
