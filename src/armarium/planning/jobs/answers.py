"""What a running job answered to a command, in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from armarium.core.message import Message, message
from armarium.planning.jobs.log_lines import LogLine, parted
from armarium.planning.jobs.model import CommandRow
from armarium.planning.model import is_over


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
