"""Words and tones for the states, events and kinds of tasks."""

from collections.abc import Mapping

from armarium.core.message import Message, message
from armarium.tasks.model import FailureKind, TaskFailure, TaskState

TAB_STATES = (
    TaskState.WAITING,
    TaskState.SCHEDULED,
    TaskState.RUNNING,
    TaskState.FAILED,
    TaskState.FINISHED,
    TaskState.CANCELLED,
)

STATE_TITLES: Mapping[TaskState, Message] = {
    TaskState.WAITING: message("Waiting"),
    TaskState.SCHEDULED: message("Scheduled"),
    TaskState.RUNNING: message("Running"),
    TaskState.FAILED: message("Failed"),
    TaskState.FINISHED: message("Finished"),
    TaskState.CANCELLED: message("Cancelled"),
}

#: procrastinate's words for what happened to a task.
EVENT_TITLES: Mapping[str, Message] = {
    "deferred": message("Put into the queue"),
    "started": message("Started"),
    "deferred_for_retry": message("Put back for another attempt"),
    "failed": message("Failed for good"),
    "succeeded": message("Finished"),
    "cancelled": message("Cancelled"),
    "abort_requested": message("Asked to stop"),
    "aborted": message("Stopped on request"),
    "scheduled": message("Scheduled for later"),
    "retried": message("Retried by hand"),
}

EVENT_TONES: Mapping[str, str] = {
    "deferred": "waiting",
    "started": "busy",
    "deferred_for_retry": "warning",
    "failed": "bad",
    "succeeded": "good",
    "retried": "busy",
    "abort_requested": "warning",
}

KIND_TITLES: Mapping[str, Message] = {
    "notify.send": message("Send a notification"),
    "notify.forget": message("Clear away old notifications"),
    "notify.failed-tasks": message("Tell the operators of failed tasks"),
    "administration.clear": message("Clear away what has expired"),
    "administration.disks": message("Look at the room on the disks"),
    "planning.due": message("Begin the harvests that are due"),
    "planning.generate": message("Make the jobs of a run"),
    "planning.preview": message("Make the preview of a large harvest"),
    "planning.leases": message("Take back jobs of silent collectors"),
    "planning.clear": message("Clear away what planning no longer needs"),
}


def title_of_failure(failure: TaskFailure) -> Message:
    if failure.kind is FailureKind.UNKNOWN:
        return message("Met a worker that does not know it")
    return message("Attempt %(number)s failed", number=failure.attempt)


def title_of(name: str) -> Message:
    return KIND_TITLES.get(name) or Message(name)
