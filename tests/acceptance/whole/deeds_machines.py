"""What is done to crawl machines, their engines and their lines."""

from collections.abc import Callable

from tests.acceptance.planning.machines import Machine
from tests.acceptance.whole.mischief import NOT_NOW, Mischief, deed
from tests.acceptance.whole.world import LEASE


def _one(at: Mischief, do: Callable[[Machine], None]) -> str | None:
    """To one of those that nothing is done to at the moment."""
    free = [machine for machine in at.world.machines if not at.is_busy(machine.name) and machine.runs]
    if not free:
        return NOT_NOW
    do(at.chance.choice(free))
    return None


@deed("kill a collector")
def kill(at: Mischief) -> str | None:
    def do(machine: Machine) -> None:
        pause = at.chance.choice((0.0, 1.0, LEASE + 4.0))
        at.note(f"{machine.name}: killed, back in {pause:.0f} s")
        machine.kill()
        at.later(pause, machine.name, machine.start)

    return _one(at, do)


@deed("kill the engines of a collector")
def kill_engines(at: Mischief) -> str | None:
    def do(machine: Machine) -> None:
        at.note(f"{machine.name}: {len(machine.engines())} engines killed")
        machine.kill_engines()

    return _one(at, do)


@deed("cut the power of a crawl machine")
def cut_power(at: Mischief) -> str | None:
    def do(machine: Machine) -> None:
        at.note(f"{machine.name}: collector and engines killed at once")
        machine.freeze()  # so that nobody notices the end of another
        machine.kill_engines()
        machine.kill()
        machine.frozen.clear()
        at.later(2.0, machine.name, machine.start)

    return _one(at, do)


@deed("restart a collector in order")
def restart(at: Mischief) -> str | None:
    def do(machine: Machine) -> None:
        def again() -> None:
            machine.end()
            machine.start()

        at.note(f"{machine.name}: told to end, and started again")
        machine.ask_to_end()
        at.later(1.0, machine.name, again)

    return _one(at, do)


def _freeze(at: Mischief, *, collector: bool, engines: bool) -> str | None:
    def do(machine: Machine) -> None:
        seconds = LEASE + at.chance.uniform(2.0, 5.0)
        who = " and ".join(
            name for name, chosen in (("collector", collector), ("engines", engines)) if chosen
        )
        at.note(f"{machine.name}: {who} frozen for {seconds:.0f} s, past the lease")
        machine.freeze(collector=collector, engines=engines)
        at.later(seconds, machine.name, machine.thaw)

    return _one(at, do)


@deed("freeze a collector past its lease")
def freeze_collector(at: Mischief) -> str | None:
    return _freeze(at, collector=True, engines=False)


@deed("freeze the engines of a collector past their lease")
def freeze_engines(at: Mischief) -> str | None:
    return _freeze(at, collector=False, engines=True)


@deed("freeze a crawl machine past its lease")
def freeze_machine(at: Mischief) -> str | None:
    return _freeze(at, collector=True, engines=True)


def _cut(at: Mischief, *, silently: bool) -> str | None:
    def do(machine: Machine) -> None:
        seconds = at.chance.choice((1.0, 3.0, LEASE + 5.0))
        at.note(f"{machine.name}: cut off {'silently ' if silently else ''}for {seconds:.0f} s")
        machine.wire.cut(silently=silently)
        at.later(seconds, machine.name, machine.wire.mend)

    return _one(at, do)


@deed("cut the line of a collector")
def cut(at: Mischief) -> str | None:
    return _cut(at, silently=False)


@deed("cut the line of a collector silently")
def cut_silently(at: Mischief) -> str | None:
    return _cut(at, silently=True)
