"""The words of this room: kinds of task, and a task as the page shows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

# Seconds to wait after the first, second, … failed attempt; the last one holds for all that follow.
BACK_OFF = (10, 30, 90, 300, 900, 1800, 3600)


@dataclass(frozen=True)
class Retry:
    """How often a task may fail, and how long to wait in between."""

    attempts: int = 5  # in all, the first included; 1 means: never again
    delays: tuple[int, ...] = BACK_OFF  # seconds


NEVER_AGAIN = Retry(attempts=1)


@dataclass(frozen=True)
class TaskKind:
    """A function that can be called later. Declared next to the function, gathered by the door.

    The function is called as `run(context, **arguments)` in a thread of a worker. It may be called again
    after it was interrupted at any point, so it must be written to bear that.
    """

    name: str  # "room.verb"; stays the same as long as tasks of this kind may be waiting somewhere
    run: Callable[..., None]
    retry: Retry = Retry()
    queue: str = "default"
    priority: int = 0  # higher runs first
    cron: str | None = None  # "*/5 * * * *" in UTC, with a sixth field for seconds if need be


class TaskState(StrEnum):
    WAITING = "waiting"
    SCHEDULED = "scheduled"  # waits for its hour: deferred for later, or backing off after a failure
    RUNNING = "running"
    FAILED = "failed"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class FailureKind(StrEnum):
    ERROR = "error"  # the task's function raised
    LOST = "lost"  # the worker died under it
    UNKNOWN = "unknown"  # the worker knows no task of this name


@dataclass(frozen=True)
class Wanted:
    """Which tasks somebody asks for; None means: all."""

    state: TaskState | None = None
    name: str | None = None
    queue: str | None = None
    text: str = ""  # part of the name, or the number


@dataclass(frozen=True)
class Task:
    id: int
    name: str
    queue: str
    priority: int
    state: TaskState
    arguments: Mapping[str, object]
    attempts: int  # ended so far, without success
    scheduled_at: datetime | None
    deferred_at: datetime | None
    changed_at: datetime | None  # the last event
    stop_requested: bool  # running, and somebody asked it to stop
    lock: str | None
    worker: int | None
    error: str | None  # of the last failure


@dataclass(frozen=True)
class TaskEvent:
    at: datetime
    type: str  # procrastinate's word: deferred, started, deferred_for_retry, failed, succeeded, …


@dataclass(frozen=True)
class TaskFailure:
    at: datetime
    attempt: int
    kind: FailureKind
    error: str
    traceback: str


@dataclass(frozen=True)
class TaskHistory:
    task: Task
    events: list[TaskEvent]
    failures: list[TaskFailure]  # newest first


@dataclass(frozen=True)
class Change:
    """What a verb did to a task, in the form the audit log keeps."""

    task_id: int
    name: str
    before: TaskState
    after: TaskState
    details: Mapping[str, object] = field(default_factory=dict)
