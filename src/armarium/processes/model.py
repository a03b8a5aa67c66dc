"""A process of Armarium, as the system page shows it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


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
