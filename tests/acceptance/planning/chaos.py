"""Mischief at random: what is done to whom is decided by a number, so that it can be done again."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.acceptance.planning.archive import LEASE, Archive
from tests.acceptance.planning.machines import Machine

Repair = Callable[[], None]


@dataclass
class Chaos:
    archive: Archive
    machines: list[Machine]
    seed: int
    between: tuple[float, float]  # seconds from one deed to the next
    diary: list[str] = field(default_factory=list)
    _repairs: list[tuple[float, str, Repair]] = field(default_factory=list)
    _next: float = 0.0

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._begun = time.monotonic()

    def step(self) -> None:
        """Repair what is due, and now and then do something new."""
        moment = time.monotonic()
        for repair in [one for one in self._repairs if one[0] <= moment]:
            self._repairs.remove(repair)
            repair[2]()
        if moment >= self._next:
            self._disturb()
            self._next = time.monotonic() + self._chance.uniform(*self.between)

    def over(self) -> None:
        """Everything is repaired; whatever is to come comes by itself."""
        for _, _, repair in sorted(self._repairs, key=lambda one: one[0]):
            repair()
        self._repairs.clear()
        self.note("the chaos is over")

    def note(self, what: str) -> None:
        self.diary.append(f"{time.monotonic() - self._begun:6.1f} {what}")

    def _disturb(self) -> None:
        if self._chance.random() < 0.2:
            self._disturb_server()
            return
        busy = {name for _, name, _ in self._repairs}
        free = [machine for machine in self.machines if machine.name not in busy]
        if free:
            machine = self._chance.choice(free)
            mischief = self._chance.choice(
                (
                    self._kill,
                    self._kill_engines,
                    self._restart,
                    self._cut,
                    self._cut,
                    self._freeze,
                    self._freeze,
                )
            )
            mischief(machine)

    def _disturb_server(self) -> None:
        name = self._chance.choice(("web", "web", "worker", "worker", "postgres", "up"))
        self.note(f"server: {name}")
        if name == "up":
            self.archive.restart()
        else:
            self.archive.kill(name)

    def _later(self, seconds: float, machine: Machine, repair: Repair) -> None:
        self._repairs.append((time.monotonic() + seconds, machine.name, repair))

    # To one machine

    def _kill(self, machine: Machine) -> None:
        pause = self._chance.choice((0.0, 1.0, LEASE + 4.0))
        self.note(f"{machine.name}: killed, back in {pause:.0f} s")
        machine.kill()
        self._later(pause, machine, machine.start)

    def _kill_engines(self, machine: Machine) -> None:
        self.note(f"{machine.name}: engines killed")
        machine.kill_engines()

    def _restart(self, machine: Machine) -> None:
        def again() -> None:
            machine.end()
            machine.start()

        self.note(f"{machine.name}: told to end, and started again")
        machine.ask_to_end()
        self._later(1.0, machine, again)

    def _cut(self, machine: Machine) -> None:
        silently, seconds = self._chance.random() < 0.5, self._chance.choice((1.0, 3.0, LEASE + 5.0))
        self.note(f"{machine.name}: cut off {'silently ' if silently else ''}for {seconds:.0f} s")
        machine.wire.cut(silently=silently)
        self._later(seconds, machine, machine.wire.mend)

    def _freeze(self, machine: Machine) -> None:
        """Past the end of its leases, the collector or its engines or both."""
        collector, engines = self._chance.choice(((True, True), (True, True), (True, False), (False, True)))
        who = " and ".join(
            name for name, chosen in (("collector", collector), ("engines", engines)) if chosen
        )
        self.note(f"{machine.name}: {who} frozen past the lease")
        machine.freeze(collector=collector, engines=engines)
        self._later(LEASE + self._chance.uniform(3.0, 6.0), machine, machine.thaw)
