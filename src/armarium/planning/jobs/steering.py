"""What people want of a running job: it travels down with the next heartbeat of its collector."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.crawl_order import Politeness
from armarium.core.errors import NotFound, Refused, existing
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.planning.domains.rules import domain_of
from armarium.planning.jobs import page_queries, queries
from armarium.planning.jobs.model import CommandRow
from armarium.planning.jobs.service import topic_of
from armarium.planning.model import LEASED, JobState
from armarium.planning.parsing import NO_LIMIT, bytes_in, means_no_limit
from armarium.planning.traps.rules import check_traps
from armarium.web.numbers import number_in

MOST_LINES = 1000  # of a log, or of queues, in one answer
LIMITS: Mapping[str, Message] = {
    "objects": message("Enter a whole number or “no limit”, or leave empty."),
    "bytes": message("Enter a size such as 500 MB or 1.5 GB, or “no limit”, or leave empty."),
}

DOMAIN, EVERYWHERE = "domain", "global"  # where a filter is kept besides the job

#: What the audit log calls each order. Those that only ask are one.
ACTIONS: Mapping[str, str] = {
    "pause": "job.paused",
    "resume": "job.resumed",
    "terminate": "job.terminated",
    "checkpoint": "job.checkpointed",
    "filter": "job.filtered",
    "budget": "job.budgeted",
    "pace": "job.paced",
    "queues": "job.asked",
    "log": "job.asked",
}
READS_FILES = frozenset({"log"})  # possible when the crawl has ended and its files are on their way


class DomainTraps(Protocol):
    def add_trap(self, connection: Connection, actor: Actor, name: str, pattern: str) -> None: ...


class GlobalTraps(Protocol):
    def add(self, connection: Connection, actor: Actor, pattern: str) -> None: ...


class Steering:
    def __init__(self, database: Database, domains: DomainTraps, traps: GlobalTraps) -> None:
        self._database = database
        self._domains = domains
        self._traps = traps

    def order(
        self, actor: Actor, job_id: int, verb: str, arguments: Mapping[str, Any], *, save: str = ""
    ) -> int:
        """Write down a command; the number of it, by which its answer is found.

        `save` keeps a filter for later jobs: of its domain ("domain"), or of all ("global").
        """
        checked = check(verb, arguments)
        with self._database.transaction() as connection:
            attempt = self._reachable(connection, job_id, verb)
            if save in (DOMAIN, EVERYWHERE) and checked.get("preview"):
                checked["save"] = save  # for the question that follows: shall it be added?
            elif save:
                self._save(connection, actor, job_id, verb, checked, save)
            values = {"job": job_id, "attempt": attempt, "verb": verb, "arguments": checked}
            by = {"by": actor.name, "created_at": clock.now()}
            number = page_queries.add_command(connection, {**values, **by})
            saved = {"saved": save} if save and not checked.get("preview") else {}
            after = {"command": verb, **checked, **saved}
            action = "job.asked" if checked.get("preview") else ACTIONS[verb]
            record(connection, actor, action, Subject("job", job_id, str(job_id)), after=after)
            announce(connection, topic_of(job_id))
            return number

    def answer(self, command: int) -> CommandRow:
        missing = message("There is no command %(number)s.", number=command)
        with self._database.transaction() as connection:
            return existing(page_queries.command(connection, command), missing)

    #: Newest first.
    commands = reading(page_queries.commands)
    #: The domain for which a filter can be kept without naming it; "" if the job has several.
    only_domain = reading(page_queries.only_domain)

    def _reachable(self, connection: Connection, job_id: int, verb: str) -> int:
        """The attempt that will obey."""
        rows = queries.locked(connection, [job_id])
        if not rows:
            raise NotFound(message("There is no job %(number)s.", number=job_id))
        state = JobState(rows[0]["state"])
        if state not in LEASED:
            raise Refused(message("Job %(number)s is not running.", number=job_id))
        if state is JobState.UPLOADING and verb not in READS_FILES:
            raise Refused(
                message("The crawl of job %(number)s has ended; its files are being uploaded.", number=job_id)
            )
        return int(rows[0]["attempt"])

    def _save(
        self,
        connection: Connection,
        actor: Actor,
        job_id: int,
        verb: str,
        checked: Mapping[str, Any],
        save: str,
    ) -> None:
        if verb != "filter" or save not in (DOMAIN, EVERYWHERE):
            raise Refused(
                message("Only filters can be saved, for one domain or for all domains."), field="save"
            )
        if save == EVERYWHERE:
            return self._traps.add(connection, actor, checked["pattern"])
        name = checked.get("domain") or page_queries.only_domain(connection, job_id)
        if not name:
            raise Refused(message("Enter the domain for which to save the filter."), field="domain")
        return self._domains.add_trap(connection, actor, name, checked["pattern"])


# What may be said ------------------------------------------------------------------------------------

Arguments = Mapping[str, Any]


def check(verb: str, arguments: Arguments) -> dict[str, Any]:
    """The arguments as the collector understands them; `Refused` names what is wrong."""
    if verb not in CHECKS:
        known = ", ".join(sorted(CHECKS))
        raise Refused(
            message("Unknown command “%(verb)s”. Available commands: %(known)s.", verb=verb, known=known)
        )
    return CHECKS[verb](arguments)


def _nothing(_: Arguments) -> dict[str, Any]:
    return {}


def _pause(given: Arguments) -> dict[str, Any]:
    reason = str(given.get("reason") or "").strip()[:200]
    return {"reason": reason} if reason else {}


def _filter(given: Arguments) -> dict[str, Any]:
    domain = str(given.get("domain") or "").strip()
    checked: dict[str, Any] = {"pattern": _pattern(given)}
    if domain:
        checked["domain"] = domain_of(domain)
    return {**checked, "preview": True} if given.get("preview") else checked


def _pattern(given: Arguments) -> str:
    found = check_traps([str(given.get("pattern") or "")])
    if not found:
        raise Refused(message("Enter a regular expression."), field="pattern")
    return found[0]


def _budget(given: Arguments) -> dict[str, Any]:
    queue = str(given.get("queue") or "").strip()
    if not queue or len(queue) > 300:
        raise Refused(message("Enter a queue, or * for all queues."), field="queue")
    limits = {name: _limit(given.get(name), name) for name in ("objects", "bytes")}
    if all(limit is None for limit in limits.values()):
        raise Refused(message("Enter a maximum number of objects or a maximum size."), field="objects")
    return {"queue": queue, **limits}


def _limit(value: Any, name: str) -> int | None:
    """None: as it is; -1, or the words: no limit."""
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    if means_no_limit(text):
        return NO_LIMIT
    number = bytes_in(text) if name == "bytes" else number_in("".join(text.split()))
    if number is None:
        raise Refused(LIMITS[name], field=name)
    return number


def _pace(given: Arguments) -> dict[str, Any]:
    names = set(Politeness.model_fields)
    unknown = sorted(set(given) - names)
    if unknown or not given:
        raise Refused(
            message("Give at least one of: %(names)s.", names=", ".join(sorted(names))), field="pace"
        )
    try:
        checked = Politeness.model_validate(dict(given))
    except ValueError as problem:
        raise Refused(
            message("Invalid politeness settings: %(problem)s", problem=str(problem)), field="pace"
        ) from problem
    return {name: getattr(checked, name) for name in given}


def _queues(given: Arguments) -> dict[str, Any]:
    return {"most": _most(given, 20)}


def _log(given: Arguments) -> dict[str, Any]:
    return {"pattern": _pattern(given), "most": _most(given, 100)}


def _most(given: Arguments, usual: int) -> int:
    try:
        most = int(given.get("most") or usual)
    except (ValueError, TypeError):
        most = 0
    if not 1 <= most <= MOST_LINES:
        raise Refused(message("Enter a number of lines from 1 to %(most)s.", most=MOST_LINES), field="most")
    return most


CHECKS: Mapping[str, Callable[[Arguments], dict[str, Any]]] = {
    "pause": _pause,
    "resume": _nothing,
    "terminate": _nothing,
    "checkpoint": _nothing,
    "filter": _filter,
    "budget": _budget,
    "pace": _pace,
    "queues": _queues,
    "log": _log,
}
