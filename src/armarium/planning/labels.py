"""The words for states, reasons and orders of jobs, and what the audit log says of them."""

from collections.abc import Mapping

from armarium.core.collecting import SeedVerdict
from armarium.core.message import Message, message
from armarium.planning.model import (
    ArrivalState,
    AttemptEnd,
    HarvestKind,
    JobState,
    Missed,
    Split,
    StopReason,
    Unit,
)

STATES: Mapping[JobState, tuple[Message, str]] = {
    JobState.PLANNED: (message("Planned"), "waiting"),
    JobState.NEW: (message("Waiting"), "waiting"),
    JobState.SUBMITTED: (message("Starting"), "busy"),
    JobState.STARTED: (message("Crawling"), "busy"),
    JobState.UPLOADING: (message("Uploading"), "busy"),
    JobState.DONE: (message("Done"), "good"),
    JobState.FAILED: (message("Failed"), "bad"),
    JobState.RESUBMITTED: (message("Resubmitted"), "neutral"),
    JobState.REJECTED: (message("Rejected"), "neutral"),
    JobState.CANCELLED: (message("Cancelled"), "neutral"),
}

REASONS: Mapping[str, Message] = {
    StopReason.COMPLETE: message("Complete"),
    StopReason.OBJECT_LIMIT: message("Object limit of the harvest"),
    StopReason.SIZE_LIMIT: message("Size limit of the harvest"),
    StopReason.CONFIGURATION_OBJECT_LIMIT: message("Object limit of the configuration"),
    StopReason.CONFIGURATION_SIZE_LIMIT: message("Size limit of the configuration"),
    StopReason.TIME_LIMIT: message("Time limit"),
    StopReason.TOTAL_BUDGET: message("Total budget of the harvest"),
    StopReason.UNFINISHED: message("Unfinished"),
    StopReason.UNREACHABLE: message("Unreachable"),
    StopReason.BLOCKED: message("Blocked by the server"),
    StopReason.DEAD: message("Dead seeds"),
    StopReason.EMPTY: message("Empty seeds"),
    "": message("No result"),
}

#: How a crawl ended, in the words of Heritrix that crawlers report.
OUTCOMES: Mapping[str, Message] = {
    "Finished": message("everything in scope was collected"),
    "Finished - Timelimit hit": message("time limit reached"),
    "Finished - Maximum amount of data limit hit": message("size limit reached"),
    "Finished - Maximum number of documents limit hit": message("object limit reached"),
    "Finished - Ended by operator": message("ended by staff"),
    "Finished - Total budget spent": message("total budget used up"),
    "Finished - Abnormal exit from crawling": message("the crawler stopped abnormally"),
}

#: What is wrong with a seed.
SEED_FAULTS: Mapping[str, Message] = {
    SeedVerdict.MOVED: message("Moved to another site"),
    SeedVerdict.DEAD: message("Dead"),
    SeedVerdict.BLOCKED: message("Blocked"),
    SeedVerdict.EMPTY: message("Empty"),
    SeedVerdict.UNREACHABLE: message("Unreachable"),
}

ENDS: Mapping[str, tuple[Message, str]] = {
    AttemptEnd.DONE: (message("Done"), "good"),
    AttemptEnd.FAILED: (message("Failed"), "bad"),
    AttemptEnd.EXPIRED: (message("Lease expired"), "warning"),
    AttemptEnd.RETURNED: (message("Returned"), "neutral"),
    AttemptEnd.TAKEN_OVER: (message("Continued under a new lease"), "neutral"),
    "": (message("Running"), "busy"),
}

ARRIVALS: Mapping[str, tuple[Message, str]] = {
    ArrivalState.RECEIVING: (message("Arriving"), "busy"),
    ArrivalState.LANDED: (message("Being stored"), "busy"),
    ArrivalState.STORED: (message("Stored"), "good"),
    ArrivalState.SPARE: (message("Stored, from an earlier attempt"), "neutral"),
    ArrivalState.ABANDONED: (message("Abandoned"), "neutral"),
}

FILE_KINDS: Mapping[str, Message] = {"data": message("Captures"), "metadata": message("Metadata")}

VERBS: Mapping[str, Message] = {
    "pause": message("Pause"),
    "resume": message("Resume"),
    "terminate": message("End job"),
    "checkpoint": message("Checkpoint"),
    "filter": message("Filter"),
    "budget": message("Budget"),
    "pace": message("Politeness"),
    "queues": message("Queues"),
    "log": message("Log search"),
}

PHASES: Mapping[str, Message] = {
    "starting": message("Starting"),
    "crawling": message("Crawling"),
    "uploading": message("Uploading"),
}

ENGINE_STATES: Mapping[str, Message] = {
    "running": message("Running"),
    "paused": message("Paused"),
    "ending": message("Ending"),
}

QUEUE_STATES: Mapping[str, Message] = {
    "ready": message("Ready"),
    "snoozed": message("Waiting between requests"),
    "inactive": message("Waiting for its turn"),
    "retired": message("Budget used up"),
    "exhausted": message("Empty"),
}


def reason_title(reason: str | None) -> Message:
    return REASONS.get(reason or "", Message(reason or ""))


def in_words(words: Mapping[str, Message], name: str) -> Message:
    """The words for a name; the name itself where a newer process invented one."""
    return words.get(name, Message(name))


def with_tone(words: Mapping[str, tuple[Message, str]], name: str) -> tuple[Message, str]:
    return words.get(name, (Message(name), "neutral"))


#: Why a job has no more domains.
SPLITS: dict[Split, Message] = {
    Split.END: message("No more domains to add"),
    Split.OVERRIDES: message("Other domains have different settings"),
    Split.DOMAIN: message("A second configuration of a domain needs its own job"),
    Split.PROFILE: message("Other domains have a different profile"),
    Split.CONFIGURATIONS: message("Maximum number of domains reached"),
    Split.TOTAL: message("Maximum number of objects reached"),
    Split.SIZES: message("Other domains are much larger or smaller"),
    Split.OPEN: message("Too many open jobs"),
}


ACTIONS: dict[str, Message] = {
    "job.resubmitted": message("Job resubmitted"),
    "job.copied": message("Job resubmitted with its original settings"),
    "job.rejected": message("Job rejected"),
    "job.restored": message("Job restored"),
    "job.cancelled": message("Job cancelled"),
    "job.hurried": message("Job priority changed"),
    "job.paused": message("Job paused"),
    "job.resumed": message("Job resumed"),
    "job.terminated": message("Job ended by staff"),
    "job.checkpointed": message("Job checkpoint requested"),
    "job.filtered": message("Filter added to a job"),
    "job.budgeted": message("Job budget changed"),
    "job.paced": message("Job politeness changed"),
    "job.asked": message("Job queried"),
}
WORDS: dict[str, Message] = {
    "job": message("Job"),
    "resubmission_of": message("Resubmission of job"),
    "new_job": message("New job"),
    "current_settings": message("With current settings"),
    "command": message("Command"),
    "domain": message("Domain"),
    "pattern": message("Regular expression"),
    "preview": message("Preview only"),
    "saved": message("Saved for"),
    "queue": message("Queue"),
    "objects": message("Objects"),
    "bytes": message("Bytes"),
    "priority": message("Priority"),
    "reason": message("Reason"),
    "most": message("Maximum"),
}


KINDS: dict[HarvestKind, Message] = {
    HarvestKind.SELECTIVE: message("Selective"),
    HarvestKind.BROAD: message("Broad"),
    HarvestKind.EVENT: message("Event"),
}


MISSED: dict[Missed, Message] = {
    Missed.SKIP: message("Skip them"),
    Missed.CATCH_UP: message("Catch them up"),
}


UNITS: dict[Unit, Message] = {
    Unit.ONCE: message("once"),
    Unit.MINUTE: message("minutes"),
    Unit.HOUR: message("hours"),
    Unit.DAY: message("days"),
    Unit.WEEK: message("weeks"),
    Unit.MONTH: message("months"),
}
