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
    JobState.PLANNED: (message("Being planned"), "waiting"),
    JobState.NEW: (message("Waiting"), "waiting"),
    JobState.SUBMITTED: (message("Handed over"), "busy"),
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
    StopReason.UNREACHABLE: message("Not reachable"),
    StopReason.BLOCKED: message("Refused by the server"),
    StopReason.DEAD: message("Its seeds are dead"),
    StopReason.EMPTY: message("Its seeds are empty pages"),
    "": message("No result"),
}

#: What is wrong with a seed.
SEED_FAULTS: Mapping[str, Message] = {
    SeedVerdict.MOVED: message("Moved to another site"),
    SeedVerdict.DEAD: message("Dead"),
    SeedVerdict.BLOCKED: message("Blocked"),
    SeedVerdict.EMPTY: message("Empty"),
    SeedVerdict.UNREACHABLE: message("Not reachable"),
}

ENDS: Mapping[str, tuple[Message, str]] = {
    AttemptEnd.DONE: (message("Done"), "good"),
    AttemptEnd.FAILED: (message("Failed"), "bad"),
    AttemptEnd.EXPIRED: (message("Lease expired"), "warning"),
    AttemptEnd.RETURNED: (message("Given back"), "neutral"),
    AttemptEnd.TAKEN_OVER: (message("Went on under a new lease"), "neutral"),
    "": (message("Under way"), "busy"),
}

ARRIVALS: Mapping[str, tuple[Message, str]] = {
    ArrivalState.RECEIVING: (message("Arriving"), "busy"),
    ArrivalState.LANDED: (message("Being stored"), "busy"),
    ArrivalState.STORED: (message("Stored"), "good"),
    ArrivalState.SPARE: (message("Stored, of an earlier attempt"), "neutral"),
    ArrivalState.ABANDONED: (message("Abandoned"), "neutral"),
}

FILE_KINDS: Mapping[str, Message] = {"data": message("Captures"), "metadata": message("Metadata")}

VERBS: Mapping[str, Message] = {
    "pause": message("Pause"),
    "resume": message("Resume"),
    "terminate": message("Terminate"),
    "checkpoint": message("Checkpoint"),
    "filter": message("Filter"),
    "budget": message("Budget"),
    "pace": message("Pace"),
    "queues": message("Queues"),
    "log": message("Search of the log"),
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
    "snoozed": message("Pausing between downloads"),
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


#: What is said of a job about its end.
SPLITS: dict[Split, Message] = {
    Split.END: message("Nothing was left that had to go elsewhere."),
    Split.OVERRIDES: message("Others have different settings."),
    Split.DOMAIN: message("Another configuration of the same domain needed a job of its own."),
    Split.PROFILE: message("Others have a different profile."),
    Split.CONFIGURATIONS: message("It has as many domains as a job may have."),
    Split.TOTAL: message("More objects would be too many for one job."),
    Split.SIZES: message("Others are too large or too small beside its domains."),
    Split.OPEN: message("Too many jobs were being filled at the same time."),
}


ACTIONS: dict[str, Message] = {
    "job.resubmitted": message("Job resubmitted"),
    "job.copied": message("Job made again with its original settings"),
    "job.rejected": message("Job rejected"),
    "job.restored": message("Rejection of a job taken back"),
    "job.cancelled": message("Job cancelled"),
    "job.hurried": message("Priority of a job changed"),
    "job.paused": message("Job told to pause"),
    "job.resumed": message("Job told to go on"),
    "job.terminated": message("Job told to end"),
    "job.checkpointed": message("Checkpoint of a job asked for"),
    "job.filtered": message("Filter added to a job"),
    "job.budgeted": message("Budget in a job changed"),
    "job.paced": message("Pace of a job changed"),
    "job.asked": message("Question to a job"),
}
WORDS: dict[str, Message] = {
    "job": message("Job"),
    "resubmission_of": message("Made again from job"),
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
    "most": message("At most"),
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
