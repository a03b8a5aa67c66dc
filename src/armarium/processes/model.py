"""A process of Armarium, as the system page shows it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from armarium.core.errors import ArmariumError
from armarium.core.text import storable


class ProcessState(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    DRAINING = "draining"  # told to stop: ends what it has in hand, takes nothing new
    ENDED = "ended"
    SILENT = "silent"  # never stored: what a reader concludes from a heartbeat that is too old


@dataclass(frozen=True)
class Introduction:
    """What a process says about itself once, when it starts."""

    kind: str  # web, scheduler, worker, …
    name: str  # unique on its machine: "worker-1"
    machine: str
    pid: int
    version: str
    interval: timedelta  # between two heartbeats of this process
    restarts: int = 0  # by the supervisor, before this start
    monitoring: str | None = None  # address of its monitoring endpoint


@dataclass(frozen=True)
class Pulse:
    """What a process says with every heartbeat."""

    state: ProcessState = ProcessState.RUNNING
    message: str = ""  # what it does at the moment
    memory: int | None = None  # bytes resident
    disk_free: int | None = None  # bytes, where the data folder is
    disk_total: int | None = None


@dataclass(frozen=True)
class Process:
    id: int
    kind: str
    name: str
    machine: str
    pid: int
    version: str
    state: ProcessState
    started: datetime
    heartbeat: datetime  # the last one, by the clock of the database
    interval: timedelta
    message: str
    monitoring: str | None
    memory: int | None
    disk_free: int | None
    disk_total: int | None
    restarts: int


# --- Decisions about processes, without clock or database.


MISSED = 3  # heartbeats in a row: one may be late on a busy machine, three are a sign
LONGEST_MESSAGE = 1000

# Trouble first, then what runs, then history.
_PLACE = {
    ProcessState.SILENT: 0,
    ProcessState.STARTING: 1,
    ProcessState.RUNNING: 1,
    ProcessState.DRAINING: 1,
    ProcessState.ENDED: 2,
}


def is_silent(state: ProcessState, heartbeat: datetime, interval: timedelta, now: datetime) -> bool:
    return state is not ProcessState.ENDED and now - heartbeat > MISSED * interval


def as_of(process: Process, now: datetime) -> Process:
    """The process with the state that a reader at `now` should see."""
    if is_silent(process.state, process.heartbeat, process.interval, now):
        return replace(process, state=ProcessState.SILENT)
    return process


def in_order(processes: Iterable[Process]) -> list[Process]:
    return sorted(processes, key=lambda p: (_PLACE[p.state], p.kind, p.machine, _counted(p.name), p.id))


def worth_a_notification(process: Process) -> bool:
    """Whether the silence of this process is news; `process.state` is the last one it told.

    One that was draining had been told to stop, and ended before it could say goodbye.
    """
    return process.state in (ProcessState.STARTING, ProcessState.RUNNING)


def storable_message(message: str) -> str:
    """No longer than a line or two; whatever it quotes must not keep the heartbeat from being written."""
    return storable(message[:LONGEST_MESSAGE])


def _counted(name: str) -> list[tuple[str, int]]:
    """Sort key that puts worker-2 before worker-10."""
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D*)(\d{0,18})", name)]


# --- Whether a process can do its work: named checks, each passing or giving its reason.


# A check passes by returning, and fails by raising an ArmariumError with the reason: `Database.check` is one.
Check = Callable[[], object]


@dataclass(frozen=True)
class Readiness:
    checks: Mapping[str, str | None]  # the reason of each that failed

    @property
    def ready(self) -> bool:
        return not any(self.checks.values())

    def as_json(self) -> dict[str, object]:
        return {"ready": self.ready, "checks": {name: reason or "ok" for name, reason in self.checks.items()}}


def examine(checks: Mapping[str, Check]) -> Readiness:
    return Readiness({name: _failure(check) for name, check in checks.items()})


def _failure(check: Check) -> str | None:
    try:
        check()
    except ArmariumError as error:
        return str(error) or type(error).__name__
    return None
