"""Why a job waits, in a sentence."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from armarium.core.message import Message, message
from armarium.languages.speech import moment, say
from armarium.planning.jobs.model import JobRow
from armarium.planning.model import JobState

SILENCE = timedelta(minutes=5)  # a collector not heard of for so long is not counted on


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


def why(row: JobRow, found: Waiting, now: datetime) -> Message | None:
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
