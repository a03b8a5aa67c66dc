"""The whole suite under fire: from the first start to the verdict."""

import threading
import time
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from armarium.core import clock
from tests.acceptance.planning.proof import Proof as PlanningProof
from tests.acceptance.whole import deeds_bytes, deeds_disks, deeds_house, deeds_machines
from tests.acceptance.whole.diary import Diary
from tests.acceptance.whole.errands import FEW, MOST_UNFINISHED, Errands
from tests.acceptance.whole.meanwhile import Span, meanwhile
from tests.acceptance.whole.mischief import DEEDS, ROUNDS, Mischief
from tests.acceptance.whole.proof import Proof
from tests.acceptance.whole.readers import Visitors
from tests.acceptance.whole.replaying import broken_pages, pages_among, unanswered
from tests.acceptance.whole.settling import Settling
from tests.acceptance.whole.tidiness import closed, litter, put_aside_wrongly
from tests.acceptance.whole.world import World, world

DECKS = (deeds_bytes, deeds_disks, deeds_house, deeds_machines)  # each enters its deeds
READERS, A_COUPLE = 3, 2  # in a short run
DOMAINS = 24
PROGRESS = 30.0  # seconds
SHORT = 60.0  # seconds of mischief, for which a few jobs are enough
LONGER = 2.0  # times as long, where readers met nobody but the frozen and the killed
START = 600.0  # seconds until the first files are there
FIRST = 4  # files
PATIENCE = 300.0  # seconds until it has come to rest; more where everything takes longer
INDEXED = "SELECT count(*) FROM index_file WHERE state = 'indexed'"
LOST = "SELECT count(*) FROM stored_file WHERE state = 'lost'"

Say = Callable[[str], None]


@dataclass
class Verdict:
    seed: int
    seconds: float
    diary: Diary
    mischief: Span | None = None  # from when to when
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
        # Whoever reads or orders something in a thread and breaks off would do so unheard.
        threading.excepthook = lambda end: there.diary.fault(f"{end.thread} broke off: {end.exc_value!r}")
        errands = Errands(there, FEW if seconds <= SHORT else MOST_UNFINISHED)
        visitors, mischief = Visitors(there), Mischief(there, seed, only)
        for machine in there.machines:
            machine.start()
        errands.begin()
        visitors.begin(A_COUPLE if seconds <= SHORT else READERS)
        there.archive.house.wait(lambda: there.archive.ask(INDEXED)[0]["count"] >= FIRST, START)
        say("the first files are in the index; the mischief begins")
        verdict = Verdict(seed, seconds, there.diary)
        began = clock.now()
        _rage(there, mischief, seconds, verdict, say)
        verdict.mischief = (began, clock.now())
        mischief.over()
        errands.end()
        say("the mischief is over; the house comes to rest")
        settling = Settling(there, errands, mischief)
        settling.rest(PATIENCE * there.pace)
        settling.let_days_pass(PATIENCE * there.pace)
        visitors.end()
        errands.close()
        _judge(there, visitors, mischief, verdict, say)
        return verdict


def _rage(there: World, mischief: Mischief, seconds: float, verdict: Verdict, say: Say) -> None:
    begun, said = time.monotonic(), time.monotonic()
    shown = there.diary.seen["pages shown"]

    def enough() -> bool:
        passed, replayed = time.monotonic() - begun, there.diary.seen["pages shown"] > shown
        return passed >= seconds and (replayed or passed >= LONGER * seconds)

    while not enough():
        mischief.step()
        there.harm.open_runs()
        if time.monotonic() - said >= PROGRESS:
            said = time.monotonic()
            say(_progress(there, said - begun))
        time.sleep(0.1)
    for who in ("access", "web"):
        calm = there.disturbances.calm_seconds(who, begun, time.monotonic())
        verdict.figures[f"seconds without an excuse for {who}"] = round(calm)
    verdict.figures["seconds of grace"] = round(there.disturbances.grace)


def _progress(there: World, seconds: float) -> str:
    diary = there.diary
    return (
        f"{seconds:5.0f} s: {diary.done.total()} deeds of {len(diary.done)} kinds,"
        f" jobs {there.archive.states()}, {diary.seen['pages shown']} pages shown, {len(diary.faults)} faults"
    )


def _judge(there: World, visitors: Visitors, mischief: Mischief, verdict: Verdict, say: Say) -> None:
    """What breaks the proof off is a fault too, and hides no other."""
    proofs: tuple[Callable[[], None], ...] = (
        lambda: _prove(there, verdict, say),
        lambda: _prove_business(there, visitors, mischief, verdict),
        lambda: verdict.faults.extend(closed(there)),
    )
    for prove in proofs:
        try:
            prove()
        except Exception as error:  # noqa: BLE001  (outermost loop: whatever was found must be told)
            there.diary.note(traceback.format_exc())
            verdict.faults.append(f"the proof broke off: {error!r}")
    verdict.figures["seconds of the slowest recovery"] = round(there.disturbances.slowest)
    verdict.figures |= there.diary.seen
    verdict.faults += there.diary.faults


def _prove(there: World, verdict: Verdict, say: Say) -> None:
    say("the proof begins")
    planning, proof = PlanningProof(there.archive, there.web, there.harm.arrivals), Proof(there)
    verdict.faults += [*planning.faults(), *proof.faults()]
    there.diary.note(planning.told)
    pages = pages_among(there, proof.lines)
    say(f"{len(pages)} captures are replayed")
    verdict.figures |= {**proof.figures, "jobs done": planning.done, "captures replayed": len(pages)}
    verdict.faults += [*unanswered(there, pages), *broken_pages(there)]
    verdict.faults += [*litter(there), *put_aside_wrongly(there)]


def _prove_business(there: World, visitors: Visitors, mischief: Mischief, verdict: Verdict) -> None:
    """That everything was under way which the mischief should have met, and that all of it was done."""
    assert verdict.mischief is not None
    business = meanwhile(there, verdict.mischief, visitors.shown)
    verdict.figures |= business.figures
    verdict.figures["runs of the index damaged"] = len(there.harm.runs)
    verdict.figures["files damaged on arrival"] = len(there.harm.arrivals)
    verdict.figures["of these, lost with their attempt"] = there.archive.ask(LOST)[0]["count"]
    verdict.faults += business.faults()
    if there.diary.done.total() >= ROUNDS * len(DEEDS):
        never = set(mischief.only or DEEDS) - set(there.diary.done) - mischief.impossible
        verdict.faults += [f"never done in {ROUNDS} rounds: {name}" for name in sorted(never)]
