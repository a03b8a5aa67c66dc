"""What is done to the processes of the house."""

import time
from contextlib import suppress

import psutil

from armarium.core.actor import SYSTEM
from armarium.index.upkeep.service import Upkeep
from tests.acceptance.whole.mischief import NOT_NOW, Mischief, deed
from tests.acceptance.whole.world import LEASE

#: Whose requests may fail when this one is gone.
SUFFER = {
    "web": ("web",),
    "access": ("access",),
    "postgres": ("web", "access"),
    "up": ("web", "access"),
    "worker": (),
}


#: Under way, and not left by somebody who was killed before.
MERGING = (
    "SELECT count(*) AS number FROM index_step"
    " WHERE step IN ('daily', 'big') AND state = 'running' AND started_at >= %s"
)


def _kill(at: Mischief, name: str, *, all_of_them: bool = False) -> str | None:
    living = at.world.archive.living(name)
    if not living or at.is_busy("up"):
        return NOT_NOW
    chosen = living if all_of_them else [at.chance.choice(living)]
    at.note(f"killed: {name} ({len(chosen)} of {len(living)})")
    at.world.disturbances.moment(f"{name} killed", *SUFFER[name])
    at.world.archive.house.kill(*chosen)
    return None


def _freeze(at: Mischief, name: str, seconds: float) -> str | None:
    living = at.world.archive.living(name)
    if not living or at.is_busy("up") or at.is_busy(name):
        return NOT_NOW
    chosen = [at.chance.choice(living)]
    if name == "postgres":
        chosen += chosen[0].children(recursive=True)
    at.note(f"frozen for {seconds:.0f} s: {name}")
    end = at.world.disturbances.begin(f"{name} frozen", *SUFFER[name])
    for process in chosen:
        with suppress(psutil.Error):
            process.suspend()

    def thaw() -> None:
        for process in chosen:
            with suppress(psutil.Error):
                process.resume()
        end()

    at.later(seconds, name, thaw)
    return None


@deed("kill web")
def kill_web(at: Mischief) -> str | None:
    return _kill(at, "web")


@deed("kill a worker")
def kill_worker(at: Mischief) -> str | None:
    return _kill(at, "worker")


@deed("kill all workers")
def kill_workers(at: Mischief) -> str | None:
    return _kill(at, "worker", all_of_them=True)


@deed("kill access")
def kill_access(at: Mischief) -> str | None:
    return _kill(at, "access")


@deed("kill PostgreSQL")
def kill_postgres(at: Mischief) -> str | None:
    return _kill(at, "postgres")


@deed("freeze web")
def freeze_web(at: Mischief) -> str | None:
    return _freeze(at, "web", at.chance.choice((3.0, LEASE + 3.0)))


@deed("freeze a worker past its heartbeats")
def freeze_worker(at: Mischief) -> str | None:
    return _freeze(at, "worker", at.chance.choice((8.0, 12.0)))


@deed("freeze access until it counts as hung")
def freeze_access(at: Mischief) -> str | None:
    return _freeze(at, "access", at.chance.choice((4.0, 30.0)))


@deed("freeze PostgreSQL")
def freeze_postgres(at: Mischief) -> str | None:
    return _freeze(at, "postgres", at.chance.choice((3.0, LEASE + 2.0)))


@deed("kill the supervisor")
def kill_supervisor(at: Mischief) -> str | None:
    house = at.world.archive.house
    if at.is_busy("up") or at.world.up_ended():
        return NOT_NOW
    pause = at.chance.choice((0.0, 1.0, 5.0))
    at.note(f"killed: up, which is started again after {pause:.0f} s")
    end = at.world.disturbances.begin("up killed", *SUFFER["up"])
    house.started[-1].kill()
    house.started[-1].wait()

    def again() -> None:
        house.up()
        end()

    at.later(pause, "up", again)
    return None


@deed("kill the process that supervises")
def kill_supervising(at: Mischief) -> str | None:
    """The other half of `armarium up`, which ends with it."""
    house = at.world.archive.house
    supervisor = house.processes().get("supervisor")
    if at.is_busy("up") or at.world.up_ended() or supervisor is None:
        return NOT_NOW
    at.note("killed: the supervisor; up is started again when it has ended")
    end = at.world.disturbances.begin("supervisor killed", *SUFFER["up"])
    house.kill(supervisor)
    house.started[-1].wait()

    def again() -> None:
        house.up()
        end()

    at.later(0.0, "up", again)
    return None


@deed("cut the power of the house")
def cut_power(at: Mischief) -> str | None:
    """Everything is gone in the same moment, the database too."""
    house = at.world.archive.house
    if at.is_busy("up") or at.world.up_ended():
        return NOT_NOW
    living = house.processes()
    backends = [child for known in living.values() for child in _children(known)]
    at.note(f"killed at once: {', '.join(sorted(living))}")
    end = at.world.disturbances.begin("power cut", *SUFFER["up"])
    house.kill(*living.values(), *backends)
    house.started[-1].wait()

    def again() -> None:
        house.up()
        end()

    at.later(1.0, "up", again)
    return None


def _children(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return process.children(recursive=True)
    return []


@deed("restart the house in order")
def restart(at: Mischief) -> str | None:
    if at.is_busy("up") or at.world.up_ended():
        return NOT_NOW
    at.note("the house is told to end, and started again")
    end = at.world.disturbances.begin("restart", *SUFFER["up"])
    at.world.archive.restart()
    end()
    return None


@deed("kill workers during a merge")
def kill_in_merge(at: Mischief) -> str | None:
    archive = at.world.archive
    if at.is_busy("up") or at.is_busy("postgres") or not archive.living("worker"):
        return NOT_NOW
    asked = archive.ask("SELECT now() AS at")[0]["at"]
    with archive.visit() as house:
        Upkeep(house.database, house.storage.chain, house.tasks).merge(SYSTEM, big=True)
    until, seen = time.monotonic() + 2.0, 0
    while not seen and time.monotonic() < until:
        seen = archive.ask(MERGING, asked)[0]["number"]
    if not seen:  # there was nothing to merge, or nobody to do it
        return NOT_NOW
    return _kill(at, "worker", all_of_them=True)
