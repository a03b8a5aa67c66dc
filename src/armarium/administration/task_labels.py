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
    "deferred": message("Queued"),
    "started": message("Started"),
    "deferred_for_retry": message("Queued for another attempt"),
    "failed": message("Failed permanently"),
    "succeeded": message("Finished"),
    "cancelled": message("Cancelled"),
    "abort_requested": message("Asked to stop"),
    "aborted": message("Stopped on request"),
    "scheduled": message("Scheduled for later"),
    "retried": message("Retried by a person"),
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
    "selection.digests": message("Send selection digests"),
    "selection.forget-nominators": message("Delete names of old nominators"),
    "notify.send": message("Send a notification"),
    "notify.letter": message("Send an email to one person"),
    "notify.forget": message("Delete old notifications"),
    "notify.failed-tasks": message("Notify operators of failed tasks"),
    "administration.clear": message("Delete what has expired"),
    "administration.directory": message("Check signed-in people against the directory"),
    "administration.disks": message("Check disk space"),
    "selection.check": message("Check addresses that were entered"),
    "selection.forget-checks": message("Delete checks that led to no record"),
    "selection.bulk": message("Change many records at once"),
    "selection.clear_bulk": message("Delete old previews and undo data of bulk edits"),
    "planning.due": message("Start due harvests"),
    "planning.generate": message("Create the jobs of a run"),
    "planning.preview": message("Prepare the preview of a large harvest"),
    "planning.leases": message("Take back jobs of silent collectors"),
    "planning.import": message("Import domains from a file"),
    "planning.clear-imports": message("Delete abandoned imports of domains"),
    "planning.clear": message("Delete what planning no longer needs"),
    "selection.import": message("Test or import a file of records"),
    "selection.clear_imports": message("Delete files of imports"),
    "storage.store": message("Store a file in every replica"),
    "storage.sweep": message("Resume storing of files"),
    "storage.clean": message("Delete received files that are stored"),
    "storage.audit": message("Audit a replica"),
    "storage.audits": message("Start due audits"),
    "storage.check": message("Check a copy that could not be read"),
    "storage.repair": message("Repair a damaged copy"),
    "storage.repairs": message("Resume repairs"),
    "storage.watch": message("Import from watched folders"),
    "storage.batch": message("Run a part of a batch"),
    "storage.batches": message("Resume batches"),
    "index.file": message("Index a file"),
    "index.collection": message("Fill an access collection"),
    "index.daily": message("Merge the index by day"),
    "index.crowded": message("Merge the index of many new files"),
    "index.big": message("Merge the whole index"),
    "index.merge": message("Merge the index on request"),
    "index.clean": message("Delete merged parts of the index"),
    "index.examine": message("Examine an unreadable part of the index"),
    "index.scrub": message("Verify parts of the index"),
    "index.paths": message("Write the path index"),
    "index.sweep": message("Resume indexing of files"),
    "access.statistics": message("Update reader statistics"),
    "selection.transfer": message("Transfer records to planning"),
    "workflow.learn": message("Add job results to records"),
    "workflow.adopt": message("Hand earlier files to storage"),
    "workflow.pictures": message("Take pictures of archived pages"),
    "workflow.tidy_pictures": message("Delete the oldest pictures of archived pages"),
    "workflow.clear": message("Delete collector files already in storage"),
}


def title_of_failure(failure: TaskFailure) -> Message:
    if failure.kind is FailureKind.UNKNOWN:
        return message("The worker does not know this kind of task")
    return message("Attempt %(number)s failed", number=failure.attempt)


def title_of(name: str) -> Message:
    return KIND_TITLES.get(name) or Message(name)
