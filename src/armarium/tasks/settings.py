"""Settings of the worker and the scheduler."""

from typing import Self

from pydantic import model_validator

from armarium.settings import Section, key


class TaskSettings(Section, name="tasks"):
    """Back-office tasks: how many run at once, and when a silent worker counts as dead."""

    concurrency: int = key(4, "Tasks that one worker runs at the same time.", ge=1, le=64)
    queues: tuple[str, ...] = key((), "Queues that a worker serves. Empty: all of them.")
    heartbeat_seconds: float = key(5.0, "How often a worker says that it is alive.", gt=0, le=60)
    stalled_after_seconds: float = key(
        30.0,
        "A worker that was silent for this long counts as dead, and its tasks are run again by another. "
        "At least three times tasks.heartbeat_seconds.",
        gt=0,
        le=3600,
    )
    drain_seconds: float = key(
        7.0,
        "How long running tasks may take to finish when a worker is asked to end; "
        "what is not finished then goes back to waiting.",
        ge=0,
        le=600,
    )
    lost_limit: int = key(
        10,
        "A task under which this many workers died is not run again until somebody retries it.",
        ge=1,
        le=100,
    )
    keep_finished_days: int = key(7, "How long finished and cancelled tasks are shown.", ge=0, le=3650)
    keep_failed_days: int = key(90, "How long failed tasks are kept for a retry.", ge=0, le=3650)

    @model_validator(mode="after")
    def _heartbeats_fit(self) -> Self:
        if self.stalled_after_seconds < 3 * self.heartbeat_seconds:
            raise ValueError("stalled_after_seconds must be at least three times heartbeat_seconds")
        return self
