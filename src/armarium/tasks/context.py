"""What a task knows about its run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar, cast

T = TypeVar("T")

Services = Mapping[type, object]  # assembled by the door, looked up by the type that a task asks for


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
    services: Services = field(default_factory=dict)

    def service(self, kind: type[T]) -> T:
        try:
            return cast(T, self.services[kind])
        except KeyError:
            raise LookupError(
                f"The task {self.name} asks for {kind.__name__}, which this worker was not given. "
                "The door that starts the worker must put it among its services."
            ) from None
