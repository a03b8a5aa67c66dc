"""A deck of deeds, shuffled by a number: each kind has its turn, and all can be done again."""

import random
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from armarium.core import clock
from tests.acceptance.whole.world import World

Repair = Callable[[], None]
BETWEEN = (1.5, 4.5)  # seconds from one deed to the next
ROUNDS = 2  # of the deck, after which each deed must have had its chance
NOT_NOW = "not now"  # a deed that has to wait: what it needs is not there, or busy
INDEX_AWAY = "take the index away and give it back"
NOT_HERE = "not here"  # this machine does not allow it


@dataclass(frozen=True)
class Deed:
    name: str
    do: Callable[["Mischief"], str | None]  # None: done; else why not


DEEDS: dict[str, Deed] = {}


def deed(name: str) -> Callable[[Callable[["Mischief"], str | None]], Callable[["Mischief"], str | None]]:
    """Put a function into the deck."""

    def enter(do: Callable[["Mischief"], str | None]) -> Callable[["Mischief"], str | None]:
        assert name not in DEEDS, name
        DEEDS[name] = Deed(name, do)
        return do

    return enter


def shuffled(seed: int, rounds: int) -> list[str]:
    """The order of the deck: each kind once in each round."""
    chance, order = random.Random(seed), []
    for _ in range(rounds):
        names = sorted(DEEDS)
        chance.shuffle(names)
        order += names
    return order


@dataclass
class _Due:
    at: float
    whom: str
    repair: Repair


@dataclass
class Mischief:
    world: World
    seed: int
    chance: random.Random = field(init=False)
    only: Collection[str] = ()  # deeds; else all
    postponed: list[str] = field(default_factory=list)
    impossible: set[str] = field(default_factory=set)
    _order: list[str] = field(default_factory=list)
    _due: list[_Due] = field(default_factory=list)
    _next: float = 0.0
    _rounds: int = 0
    _over: bool = False

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        # On its own: whoever does a deed may wait for a database that is only thawed here.
        self._mending = threading.Thread(target=self._mend, daemon=True)
        self._mending.start()

    def step(self) -> None:
        """The next deed, if it is time."""
        self.look_after()
        if time.monotonic() >= self._next:
            self._do_one()
            self._next = time.monotonic() + self.world.pace * self.chance.uniform(*BETWEEN)

    def over(self) -> None:
        """Everything is repaired; whatever is to come comes by itself."""
        self._over = True
        self._mending.join()
        self.look_after()
        self.world.diary.note("the mischief is over")

    def _mend(self) -> None:
        """Repair what is due; when it is over, everything."""
        while self._due or not self._over:
            for due in sorted(self._due, key=lambda one: one.at):
                if self._over or due.at <= time.monotonic():
                    try:
                        due.repair()
                    except Exception as error:  # noqa: BLE001  (outermost loop: nothing may stay broken)
                        self.world.diary.fault(f"the harness could not repair {due.whom}: {error!r}")
                    self._due.remove(due)
            time.sleep(0.05)

    # For the deeds

    def note(self, what: str) -> None:
        self.world.diary.note(what)

    def later(self, seconds: float, whom: str, repair: Repair) -> None:
        self._due.append(_Due(time.monotonic() + seconds, whom, repair))

    def is_busy(self, whom: str) -> bool:
        """Whether something is still to be repaired there."""
        return any(due.whom == whom for due in self._due)

    # The deck

    def _do_one(self) -> None:
        """The next of the deck; those that had to wait have the first turn."""
        for name in list(self.postponed):
            if self._tried(name):
                self.postponed.remove(name)
                return
        for _ in range(len(DEEDS)):
            name = self._drawn()
            if name in (self.only or DEEDS) and name not in self.impossible and self._tried(name):
                return

    def _drawn(self) -> str:
        if not self._order:
            self._rounds += 1
            self._order = shuffled(self.seed, self._rounds)[-len(DEEDS) :]
        return self._order.pop(0)

    def _tried(self, name: str) -> bool:
        began = clock.now()
        why_not = DEEDS[name].do(self)
        if why_not is None:
            self.world.diary.did(name, began)
        elif why_not == NOT_HERE:
            self.note(f"NOT TRIED, this machine does not allow it: {name}")
            self.impossible.add(name)
        elif name not in self.postponed:
            self.postponed.append(name)
        return why_not is None

    def look_after(self) -> None:
        """Nobody ends by himself. Who does is told of, and started again."""
        world = self.world
        if world.up_ended() and not self.is_busy("up"):
            code = world.archive.house.started[-1].returncode
            world.diary.fault(f"`armarium up` ended by itself with {code}")
            world.archive.house.up()
        for machine in world.machines:
            if not machine.runs and not self.is_busy(machine.name):
                code = machine.process.returncode if machine.process else None
                world.diary.fault(f"{machine.name} ended by itself with {code}: {machine.log[-300:]}")
                machine.start()
