"""What a task knows about its run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from armarium.core.services import Services

T = TypeVar("T")


def never() -> bool:
    return False


@dataclass(frozen=True)
class TaskContext:
    task_id: int
    name: str
    attempt: int  # 1 for the first
    due: datetime | None = None  # for a periodic task: the moment for which it was deferred
    # Somebody cancelled the task, or the worker ends, or the task was taken from this worker. A task that
    # runs for more than a few seconds asks now and then; it may finish, or raise `TaskStopped`.
    stopping: Callable[[], bool] = never
    services: Services = field(default_factory=lambda: Services([]))

    def service(self, kind: type[T]) -> T:
        return self.services.get(kind)
