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
    "selection.digests": message("Write digests of selection"),
    "selection.forget-nominators": message("Forget who nominated sites long ago"),
    "notify.send": message("Send a notification"),
    "notify.letter": message("Send a letter to one person"),
    "notify.forget": message("Clear away old notifications"),
    "notify.failed-tasks": message("Tell the operators of failed tasks"),
    "administration.clear": message("Clear away what has expired"),
    "administration.directory": message("Ask the directory about those who are signed in"),
    "administration.disks": message("Look at the room on the disks"),
    "selection.check": message("Look at addresses that were entered"),
    "selection.forget-checks": message("Clear away checks of addresses that led to no record"),
    "selection.bulk": message("Change many records at once"),
    "selection.clear_bulk": message("Clear away previews of bulk edits, and values before that are too old"),
    "planning.due": message("Begin the harvests that are due"),
    "planning.generate": message("Make the jobs of a run"),
    "planning.preview": message("Make the preview of a large harvest"),
    "planning.leases": message("Take back jobs of silent collectors"),
    "planning.import": message("Make the domains of a file"),
    "planning.clear-imports": message("Give up imports of domains that nobody goes on with"),
    "planning.clear": message("Clear away what planning no longer needs"),
    "selection.import": message("Try or import a file of records"),
    "selection.clear_imports": message("Clear away files of imports"),
    "storage.store": message("Put a file into every replica"),
    "storage.sweep": message("Go on with files that are not stored yet"),
    "storage.clean": message("Clear away arrived files that are stored"),
    "storage.audit": message("Audit a replica"),
    "storage.audits": message("Start the audits that are due"),
    "storage.check": message("Check a copy that could not be read"),
    "storage.repair": message("Repair a damaged copy"),
    "storage.repairs": message("Go on with repairs that had to wait"),
    "storage.watch": message("Take in what is new in watched folders"),
    "storage.batch": message("Run a function over a part of the files"),
    "storage.batches": message("Go on with batches that were interrupted"),
    "index.file": message("Index a file"),
    "index.collection": message("Give a collection the captures of its files"),
    "index.daily": message("Merge the index of each day"),
    "index.crowded": message("Merge the index of many new files"),
    "index.big": message("Merge the index of days into the large one"),
    "index.merge": message("Merge the index now, as asked"),
    "index.clean": message("Clear away parts of the index that were merged"),
    "index.examine": message("Look at a part of the index that could not be read"),
    "index.scrub": message("Read parts of the index, to see whether they are whole"),
    "index.paths": message("Write the list of where each file lies"),
    "index.sweep": message("Go on with files that are not indexed yet"),
    "access.statistics": message("Put the figures of use in order"),
    "selection.transfer": message("Hand records of selection to planning"),
    "workflow.learn": message("Tell records what a job brought"),
    "workflow.adopt": message("Hand earlier files over to storage"),
    "workflow.pictures": message("Take pictures of archived pages"),
    "workflow.tidy_pictures": message("Forget the oldest pictures of archived pages"),
    "workflow.clear": message("Clear away files from collectors that storage has otherwise"),
}


def title_of_failure(failure: TaskFailure) -> Message:
    if failure.kind is FailureKind.UNKNOWN:
        return message("Met a worker that does not know it")
    return message("Attempt %(number)s failed", number=failure.attempt)


def title_of(name: str) -> Message:
    return KIND_TITLES.get(name) or Message(name)
