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
            return Answer("neutral", message("The job ended before it could be done."))
        if command.sent_at is None:
            return Answer("waiting", message("Travels down with the next heartbeat."))
        return Answer("busy", message("Has reached the collector."))
    if not command.accepted:
        said = str(command.answer.get("error") or "")
        return Answer("bad", message("Refused: %(error)s", error=said) if said else message("Refused."))
    return SPOKEN.get(command.verb, _done)(command)


def _done(_: CommandRow) -> Answer:
    return Answer("good", message("Done."))


def _terminate(command: CommandRow) -> Answer:
    if command.arguments.get("why") == "budget":
        return Answer("good", message("It ends: the total budget of its run is spent."))
    return _done(command)


def _filter(command: CommandRow) -> Answer:
    queued = _number(command.answer, "queued")
    if not command.arguments.get("preview"):
        return Answer("good", message("Added. Addresses dropped from the queues: %(queued)s.", queued=queued))
    samples = _texts(command.answer, "samples")
    if not samples:
        text = message("Would drop nothing that is queued now, only what is still to be found.")
        return Answer("good", text, preview=True)
    text = message("Would drop %(queued)s queued addresses, for example:", queued=queued)
    return Answer("warning", text, samples, preview=True)


def _budget(command: CommandRow) -> Answer:
    if "share" in command.arguments:
        return Answer("good", message("It goes on with a larger share of the total budget."))
    queues = _number(command.answer, "queues")
    return Answer("good", message("Queues with the new budget: %(queues)s.", queues=queues))


def _log(command: CommandRow) -> Answer:
    lines, searched = _texts(command.answer, "lines"), _number(command.answer, "searched")
    told = {"found": len(lines), "searched": searched}
    if not command.answer.get("complete", True):
        text = message(
            "Lines found, newest first: %(found)s. There may be more: the newest %(searched)s were searched.",
            **told,
        )
        return Answer("warning", text, lines, log=True)
    text = message("Lines found, newest first: %(found)s, of %(searched)s.", **told)
    return Answer("good", text, lines, log=True)


def _queues(command: CommandRow) -> Answer:
    rows = [one for one in command.answer.get("queues") or () if isinstance(one, Mapping)]
    lines = [f"{one.get('queue', '')}  {one.get('queued', 0)}  {one.get('state', '')}" for one in rows]
    return Answer("good", message("The biggest queues, and how many addresses wait in each:"), lines)


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
        return message("Its run is still being generated: no job of it begins before all of them are made.")
    if row.state is not JobState.NEW:
        return None
    reason = _not_yet(row, now) or _no_collector(row, found) or _its_turn(found)
    return _again(found, reason) if found.failed else reason


def _again(found: Waiting, reason: Message) -> Message:
    return message(
        "Attempts that failed: %(failed)s, the last because: %(error)s %(reason)s",
        failed=found.failed,
        error=found.error or "–",
        reason=say(reason),
    )


def _not_yet(row: JobRow, now: datetime) -> Message | None:
    if row.not_before and row.not_before > now:
        return message("It is not to begin before %(moment)s.", moment=moment(row.not_before))
    return None


def _no_collector(row: JobRow, found: Waiting) -> Message | None:
    name = row.channel
    if not found.serving:
        return message(
            "No collector serves its channel “%(name)s”. Give the channel to one, under Collectors.",
            name=name,
        )
    if not found.heard:
        return message(
            "None of the collectors that serve its channel “%(name)s” (%(count)s) has been heard of in the "
            "last five minutes. Look after them, under Collectors.",
            name=name,
            count=found.serving,
        )
    if found.trouble:
        return message(
            "The collectors that serve its channel “%(name)s” take no work at the moment: %(trouble)s",
            name=name,
            trouble=found.trouble,
        )
    return None


def _its_turn(found: Waiting) -> Message:
    if found.busy >= found.slots:
        return message(
            "All slots of the collectors that serve its channel are busy (%(busy)s of %(slots)s). "
            "Jobs that come before it: %(ahead)s.",
            busy=found.busy,
            slots=found.slots,
            ahead=found.ahead,
        )
    if found.ahead:
        return message(
            "It waits for its turn. Jobs that come before it: %(ahead)s; free slots: %(free)s.",
            ahead=found.ahead,
            free=found.slots - found.busy,
        )
    return message("It is the next: a collector takes it when it asks for work, within seconds.")


# Why it failed, and what can be done ----------------------------------------------------------------


class Remedy(NamedTuple):
    cause: Message
    remedy: Message


#: The first pattern that is found in what the job said of its end.
KNOWN: Sequence[tuple[str, Remedy]] = (
    (
        r"expired|not heard|no news|lease",
        Remedy(
            message("Its collectors fell silent, again and again, while they held it."),
            message("Look at the collectors that had it (under Attempts), then resubmit the job."),
        ),
    ),
    (
        r"no space|disk|ENOSPC|quota",
        Remedy(
            message("The disk of the collector, or of the server, is full."),
            message("Make room there, then resubmit the job with its original settings."),
        ),
    ),
    (
        r"checksum|sha-?256|digest|truncat",
        Remedy(
            message("A file did not arrive as it was sent."),
            message("The collector keeps its own copy: look at its disk and its network, then resubmit."),
        ),
    ),
    (
        r"order|profile|setting|valid|unknown key|regular expression",
        Remedy(
            message("The crawler could not follow its order."),
            message("Correct the profile, the traps or the seeds, then resubmit with the current settings."),
        ),
    ),
    (
        r"memory|killed|signal|SIGKILL|exit code|exited",
        Remedy(
            message("The crawler was ended from outside, often for lack of memory."),
            message("Look at the log of the collector; fewer slots may help. Then resubmit the job."),
        ),
    ),
    (
        r"resolve|name server|dns|unreachable|connect|network",
        Remedy(
            message("The collector had no way to the network, or the servers did not answer."),
            message("Check the network and the name servers of the collector, then resubmit the job."),
        ),
    ),
    (
        r"generat",
        Remedy(
            message("The generation of its run failed."),
            message("Correct what the harvest's page names, and activate the harvest again."),
        ),
    ),
)

UNKNOWN = Remedy(
    message("Something that Armarium has no words for."),
    message(
        "Read the sentence above and the log of the collector. Resubmit the job, or reject it if nobody "
        "needs it."
    ),
)


def remedy_for(error: str) -> Remedy:
    return next((found for pattern, found in KNOWN if re.search(pattern, error, re.IGNORECASE)), UNKNOWN)
