"""What of a job needs eyes: the same while it runs and when it has ended."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from armarium.core.message import Message, message
from armarium.languages.speech import number, say
from armarium.planning.jobs.explanations import UNKNOWN, remedy_for
from armarium.planning.jobs.model import JobRow, RunningJob
from armarium.planning.labels import reason_title
from armarium.planning.model import JobState, StopReason, is_over

SILENCE = timedelta(minutes=2)  # news come every few seconds
MOST = 10

#: After these a domain may have less than it should.
NOT_WHOLE = (
    StopReason.UNREACHABLE,
    StopReason.BLOCKED,
    StopReason.DEAD,
    StopReason.EMPTY,
    StopReason.UNFINISHED,
    StopReason.TIME_LIMIT,
    StopReason.TOTAL_BUDGET,
    StopReason.OBJECT_LIMIT,
    StopReason.SIZE_LIMIT,
    StopReason.CONFIGURATION_OBJECT_LIMIT,
    StopReason.CONFIGURATION_SIZE_LIMIT,
)


@dataclass(frozen=True)
class Concern:
    text: Message | str
    tone: str = "warning"
    href: str = ""
    label: Message | str = ""
    detail: str = ""  # what the machine said


def concerns(found: RunningJob, now: datetime) -> list[Concern]:
    """What a running job tells, or does not tell."""
    return list(_running(found, now))[:MOST] if found.runs else []


def _running(found: RunningJob, now: datetime) -> Iterator[Concern]:
    heard, status = found.job.reported_at, found.status
    if found.upload_trouble:
        yield Concern(message("Its files are rejected: %(reason)s", reason=found.upload_trouble), "bad")
    if heard and heard < now - SILENCE:
        yield Concern(message("The collector is silent. If it stays so, the job goes to another one."), "bad")
    if found.paused:
        reason = str(status.get("pause_reason") or "")
        yield Concern(message("Paused: %(reason)s", reason=reason) if reason else message("Paused."))
    if found.waits_for_budget:
        text = message(
            "Its share of the total budget is spent. It waits for what other jobs of the run leave, or for "
            "a larger budget."
        )
        yield Concern(text)
    yield from _of_sites(found, status)


def _of_sites(found: RunningJob, status: Mapping[str, Any]) -> Iterator[Concern]:
    if count := int(status.get("blocked_servers") or 0):
        yield Concern(message("Servers that reject further requests: %(count)s.", count=number(count)))
    if count := int(status.get("traps") or 0):
        yield Concern(message("Suspected crawler traps: %(count)s.", count=number(count)))
    spent = [one for one in status.get("biggest", ()) if one.get("state") == "retired" and one.get("queue")]
    here = f"/harvesting/jobs/{found.job.id}"
    for one in spent:
        text = message("%(queue)s has used up its budget.", queue=one["queue"])
        yield Concern(text, href=f"{here}?queue={one['queue']}#commands", label=message("Change budget"))


def concerns_after(row: JobRow, reasons: Mapping[str, int], remade: Sequence[int]) -> list[Concern]:
    """Why it failed, and domains that may have less than they should."""
    return list(_after(row, reasons, remade))[:MOST] if is_over(row.state) else []


def _error(row: JobRow) -> Concern:
    """In plain words where the cause is known, with what can be done as long as somebody has to decide."""
    known = remedy_for(f"{row.error} {row.outcome}")
    failed = row.state is JobState.FAILED
    cause, detail = (row.error, "") if known is UNKNOWN else (say(known.cause), row.error)
    told = f"{cause} {say(known.remedy)}" if failed else cause
    return Concern(told, "bad" if failed else "warning", detail=detail)


def _after(row: JobRow, reasons: Mapping[str, int], remade: Sequence[int]) -> Iterator[Concern]:
    if row.error:
        yield _error(row)
    for one in remade:
        text = message("Resubmitted.")
        yield Concern(text, href=f"/harvesting/jobs/{one}", label=message("Job %(id)s", id=one))
    of = f"/harvesting/jobs/{row.id}/configurations"
    for reason in NOT_WHOLE:
        if count := reasons.get(reason.value):
            text = message("%(reason)s: %(count)s.", reason=say(reason_title(reason)), count=number(count))
            yield Concern(text, href=f"{of}?reason={reason.value}", label=message("Show domains"))
