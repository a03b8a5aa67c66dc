"""What entries about harvests in the audit log say, and the words of their pages."""

from armarium.core.message import Message, message
from armarium.planning.harvests.model import Missed, RunState, Standing
from armarium.planning.model import HarvestKind

ACTIONS: dict[str, Message] = {
    "harvest.created": message("Harvest defined"),
    "harvest.changed": message("Harvest changed"),
    "harvest.activated": message("Harvest activated"),
    "harvest.deactivated": message("Harvest deactivated"),
    "harvest.run": message("Run begun by hand"),
    "harvest.budget_raised": message("Budget of a run raised"),
    "harvest.missed": message("Runs missed"),
    "harvest.domains_added": message("Domains added to the harvest"),
    "harvest.domains_removed": message("Domains removed from the harvest"),
    "harvest.seeds_added": message("Seeds added to the harvest"),
}
WORDS: dict[str, Message] = {
    "harvest": message("Harvest"),
    "audience": message("Audience"),
    "channel": message("Channel"),
    "comments": message("Comments"),
    "configurations": message("Configurations"),
    "domains": message("Domains"),
    "fields": message("Extended fields"),
    "from": message("From"),
    "kind": message("Kind"),
    "max_bytes": message("Byte limit"),
    "max_objects": message("Object limit"),
    "max_seconds": message("Seconds per job"),
    "missed": message("Missed runs"),
    "next_at": message("Next run"),
    "previous": message("Continues"),
    "reason": message("Reason"),
    "run": message("Run"),
    "runs": message("Runs"),
    "schedule": message("Schedule"),
    "seeds": message("Seeds"),
    "skipped": message("Skipped"),
    "to": message("To"),
    "total_bytes": message("Bytes of a run"),
    "total_objects": message("Objects of a run"),
    "traps": message("Crawler traps"),
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
STANDINGS: dict[Standing, tuple[str, Message]] = {
    Standing.DRAFT: ("waiting", message("Draft")),
    Standing.WAITING: ("good", message("Waiting for its date")),
    Standing.PAUSED: ("waiting", message("Paused")),
    Standing.RUNNING: ("busy", message("Running")),
    Standing.DONE: ("neutral", message("Done")),
    Standing.STOPPED: ("bad", message("Stopped")),
}
RUN_STATES: dict[RunState, tuple[str, Message]] = {
    RunState.GENERATING: ("busy", message("Jobs are being made")),
    RunState.GENERATED: ("good", message("Jobs are made")),
    RunState.FAILED: ("bad", message("Failed")),
    RunState.SKIPPED: ("warning", message("Skipped")),
}

#: Sentences that stay with a harvest, kept without values so that each reader gets them in their language.
SCHEDULE_ENDED = message("Its schedule has no further date: no other run follows.")
RUN_ONCE = message("A broad harvest runs once: no other run follows.")

RUN_UNDER_WAY = message("Under way")
RUN_ENDED = message("Ended")
RUN_WITH_FAILURES = message("Ended, with failed jobs")
RUN_WITHOUT_JOBS = message("No jobs were made")
