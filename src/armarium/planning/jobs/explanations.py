"""Why a job waits, why it failed, and what it answered, in plain words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from armarium.core.message import Message, message
from armarium.languages.speech import moment, say
from armarium.planning.jobs.model import CommandRow, JobRow
from armarium.planning.model import JobState, is_over

BEGINS_FACTS = " {"  # what stands behind the columns is JSON
_spaces = re.compile(r" {2,}")


class LogLine(NamedTuple):
    columns: str  # without the spaces that align them
    facts: str  # the JSON behind them, or ""


def parted(line: str) -> LogLine:
    columns, begins, facts = line.partition(BEGINS_FACTS)
    return LogLine(_spaces.sub(" ", columns).strip(), f"{{{facts}" if begins else "")


def in_short(line: str) -> str:
    return parted(line).columns


# What a running job answered ------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    tone: str
    text: Message
    lines: list[str] = field(default_factory=list)
    preview: bool = False  # of a filter: it may be added now
    log: bool = False  # the lines are those of a crawl.log

    @property
    def shown(self) -> list[LogLine]:
        return [parted(line) if self.log else LogLine(line, "") for line in self.lines]


def answer_of(command: CommandRow) -> Answer:
    if command.answered_at is None:
        if is_over(command.job_state):  # it answers no more
            return Answer("neutral", message("The job ended first."))
        if command.sent_at is None:
            return Answer("waiting", message("Waiting for the next heartbeat."))
        return Answer("busy", message("Received by the collector."))
    if not command.accepted:
        said = str(command.answer.get("error") or "")
        return Answer("bad", message("Rejected: %(error)s", error=said) if said else message("Rejected."))
    return SPOKEN.get(command.verb, _done)(command)


def _done(_: CommandRow) -> Answer:
    return Answer("good", message("Done."))


def _terminate(command: CommandRow) -> Answer:
    if command.arguments.get("why") == "budget":
        return Answer("good", message("Ending: the total budget of the run is used up."))
    return _done(command)


def _filter(command: CommandRow) -> Answer:
    queued = _number(command.answer, "queued")
    if not command.arguments.get("preview"):
        return Answer("good", message("Added. Addresses removed from the queues: %(queued)s.", queued=queued))
    samples = _texts(command.answer, "samples")
    if not samples:
        text = message("Matches no queued address now, only addresses found later.")
        return Answer("good", text, preview=True)
    text = message("Would remove %(queued)s queued addresses, for example:", queued=queued)
    return Answer("warning", text, samples, preview=True)


def _budget(command: CommandRow) -> Answer:
    if "share" in command.arguments:
        return Answer("good", message("Continues with a larger share of the total budget."))
    queues = _number(command.answer, "queues")
    return Answer("good", message("Queues with the new budget: %(queues)s.", queues=queues))


def _log(command: CommandRow) -> Answer:
    lines, searched = _texts(command.answer, "lines"), _number(command.answer, "searched")
    told = {"found": len(lines), "searched": searched}
    if not command.answer.get("complete", True):
        text = message(
            "Lines found, newest first: %(found)s. There may be more: %(searched)s were searched.",
            **told,
        )
        return Answer("warning", text, lines, log=True)
    text = message("Lines found, newest first: %(found)s, of %(searched)s.", **told)
    return Answer("good", text, lines, log=True)


def _queues(command: CommandRow) -> Answer:
    rows = [one for one in command.answer.get("queues") or () if isinstance(one, Mapping)]
    lines = [f"{one.get('queue', '')}  {one.get('queued', 0)}  {one.get('state', '')}" for one in rows]
    return Answer("good", message("Largest queues, with queued addresses:"), lines)


SPOKEN = {"terminate": _terminate, "filter": _filter, "budget": _budget, "log": _log, "queues": _queues}


def _number(answer: Mapping[str, Any], name: str) -> int:
    value = answer.get(name)
    return value if isinstance(value, int) else 0


def _texts(answer: Mapping[str, Any], name: str) -> list[str]:
    value = answer.get(name)
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


# Why it waits ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Waiting:
    """What stands between a job and a collector."""

    serving: int = 0  # collectors that have its channel
    heard: int = 0  # of those, lately
    slots: int = 0  # of those that were heard
    busy: int = 0
    ahead: int = 0  # jobs that will be taken before it
    trouble: str = ""  # why none of them takes work
    failed: int = 0  # attempts at it
    error: str = ""  # why the last of them failed


def why_waiting(row: JobRow, found: Waiting, now: datetime) -> Message | None:
    """The first thing that has to change for it to begin; None for a job that does not wait."""
    if row.state is JobState.PLANNED:
        return message("Jobs of this run are still being created. None starts before all of them are ready.")
    if row.state is not JobState.NEW:
        return None
    reason = _not_yet(row, now) or _no_collector(row, found) or _its_turn(found)
    return _again(found, reason) if found.failed else reason


def _again(found: Waiting, reason: Message) -> Message:
    return message(
        "Failed attempts: %(failed)s. Last error: %(error)s %(reason)s",
        failed=found.failed,
        error=found.error or "–",
        reason=say(reason),
    )


def _not_yet(row: JobRow, now: datetime) -> Message | None:
    if row.not_before and row.not_before > now:
        return message("Starts no earlier than %(moment)s.", moment=moment(row.not_before))
    return None


def _no_collector(row: JobRow, found: Waiting) -> Message | None:
    name = row.channel
    if not found.serving:
        return message(
            "No collector serves the channel “%(name)s”. Assign the channel to one under Collectors.",
            name=name,
        )
    if not found.heard:
        return message(
            "None of the collectors that serve the channel “%(name)s” (%(count)s) sent a heartbeat in the "
            "last five minutes. Check them under Collectors.",
            name=name,
            count=found.serving,
        )
    if found.trouble:
        return message(
            "The collectors that serve the channel “%(name)s” accept no jobs at the moment: %(trouble)s",
            name=name,
            trouble=found.trouble,
        )
    return None


def _its_turn(found: Waiting) -> Message:
    if found.busy >= found.slots:
        return message(
            "All slots of the collectors that serve its channel are busy (%(busy)s of %(slots)s). "
            "Jobs ahead: %(ahead)s.",
            busy=found.busy,
            slots=found.slots,
            ahead=found.ahead,
        )
    if found.ahead:
        return message(
            "Waiting for its turn. Jobs ahead: %(ahead)s; free slots: %(free)s.",
            ahead=found.ahead,
            free=found.slots - found.busy,
        )
    return message("Next in line: a collector takes it within seconds.")


# Why it failed, and what can be done ----------------------------------------------------------------


class Remedy(NamedTuple):
    cause: Message
    remedy: Message


#: The first pattern that is found in what the job said of its end.
KNOWN: Sequence[tuple[str, Remedy]] = (
    (
        r"expired|not heard|no news|lease",
        Remedy(
            message("Collectors repeatedly stopped responding while they had this job."),
            message("Check the collectors listed under Attempts, then resubmit the job."),
        ),
    ),
    (
        r"no space|disk|ENOSPC|quota",
        Remedy(
            message("The disk of the collector or the server is full."),
            message("Free some space, then resubmit the job with its original settings."),
        ),
    ),
    (
        r"checksum|sha-?256|digest|truncat",
        Remedy(
            message("A file was damaged during transfer."),
            message("The collector still has its copy. Check its disk and network, then resubmit the job."),
        ),
    ),
    (
        r"order|profile|setting|valid|unknown key|regular expression",
        Remedy(
            message("The crawler could not use its settings."),
            message("Correct the profile, crawler traps or seeds, then resubmit with the current settings."),
        ),
    ),
    (
        r"memory|killed|signal|SIGKILL|exit code|exited",
        Remedy(
            message("The crawler was stopped from outside, often for lack of memory."),
            message("Check the log of the collector; fewer slots may help. Then resubmit the job."),
        ),
    ),
    (
        r"resolve|name server|dns|unreachable|connect|network",
        Remedy(
            message("The collector could not reach the network, or the servers did not answer."),
            message("Check the network and name servers of the collector, then resubmit the job."),
        ),
    ),
    (
        r"generat",
        Remedy(
            message("Creating the jobs of the run failed."),
            message(
                "Correct the problems listed on the page of the harvest, then activate the harvest again."
            ),
        ),
    ),
)

UNKNOWN = Remedy(
    message("The cause is unknown."),  # what the job said takes its place
    message("Check the log of the collector. Resubmit the job, or reject it if it is no longer needed."),
)


def remedy_for(error: str) -> Remedy:
    return next((found for pattern, found in KNOWN if re.search(pattern, error, re.IGNORECASE)), UNKNOWN)
