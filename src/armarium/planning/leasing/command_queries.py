"""SQL of what is wanted of running jobs: it travels down with a heartbeat, its answer up with a later one."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB

from armarium.planning.tables.jobs import NOW, Row, job, job_command

AGAIN = sa.text("interval '30 seconds'")  # after which a command without an answer is sent once more
HOUR = sa.text("interval '1 hour'")
LOOKED_AT = sa.text("interval '90 days'")
LASTING = ("filter", "budget", "pace")  # change the crawl until its end
OVER = "The attempt that it was meant for is over."


def send_commands(connection: Connection, number: int) -> list[Row]:
    """Those that nobody answered, marked as sent. Once more after a while: the answer may have got lost."""
    due = sa.or_(job_command.c.sent_at.is_(None), job_command.c.sent_at < NOW - AGAIN)
    waiting = sa.and_(job_command.c.job == number, job_command.c.answered_at.is_(None), due)
    changed = sa.update(job_command).where(waiting).values(sent_at=NOW)
    found = connection.execute(
        changed.returning(job_command.c.id, job_command.c.verb, job_command.c.arguments)
    )
    return sorted((dict(row) for row in found.mappings()), key=lambda row: row["id"])


def has_open_commands(connection: Connection, number: int) -> bool:
    waiting = sa.and_(job_command.c.job == number, job_command.c.answered_at.is_(None))
    return bool(connection.scalar(sa.select(sa.exists().where(waiting))))


def note_answer(connection: Connection, number: int, command: int, *, accepted: bool, answer: Row) -> None:
    mine = sa.and_(
        job_command.c.id == command, job_command.c.job == number, job_command.c.answered_at.is_(None)
    )
    values = {"answered_at": NOW, "accepted": accepted, "answer": dict(answer)}
    connection.execute(sa.update(job_command).where(mine).values(**values))


def command_of_attempt(connection: Connection, number: int, attempt: int, verb: str, by: str) -> None:
    """Order something for this attempt; what was refused, or did not help, again after an hour."""
    recent = sa.select(job_command.c.id).where(
        job_command.c.job == number,
        job_command.c.attempt == attempt,
        job_command.c.verb == verb,
        job_command.c.by == by,
        sa.or_(job_command.c.answered_at.is_(None), job_command.c.created_at > NOW - HOUR),
    )
    facts = {"job": number, "attempt": attempt, "verb": verb, "by": by}
    values = [sa.literal(value) for value in facts.values()]
    chosen = sa.select(*values, NOW).where(~recent.exists())
    connection.execute(sa.insert(job_command).from_select([*facts, "created_at"], chosen))


def begin_anew(connection: Connection, number: int, attempt: int, by_ourselves: str) -> None:
    """A fresh crawl begins: what people had ordered holds for it too, and has to travel again.

    Answers of the attempt before are forgotten with it; what it was told by ourselves was meant for it alone.
    """
    mine, of = job_command.c.job == number, job_command.c
    meant_for_another = sa.and_(mine, of.by == by_ourselves, of.answered_at.is_(None))
    values: dict[str, Any] = {"answered_at": NOW, "answer": {"error": OVER}}
    connection.execute(sa.update(job_command).where(meant_for_another).values(**values))
    later = job_command.alias("later")
    resumed = sa.exists().where(
        later.c.job == number, later.c.verb == "resume", later.c.accepted, later.c.id > of.id
    )
    lasting = sa.or_(of.verb.in_(LASTING), sa.and_(of.verb == "pause", ~resumed))
    asked_only = sa.func.coalesce(of.arguments["preview"].as_boolean(), sa.false())
    again = sa.and_(mine, of.accepted, lasting, ~asked_only, of.by != by_ourselves)
    values = {"attempt": attempt, "sent_at": None, "answered_at": None, "accepted": False, "answer": {}}
    connection.execute(sa.update(job_command).where(again).values(**values))


def forget_answers(connection: Connection, days: int) -> int:
    """Empty what commands were answered, and the last lines of the log, in jobs that ended so long ago.

    Only those of the last months are looked at: of older ones it was done.
    """
    old = NOW - sa.func.make_interval(0, 0, 0, days)
    ended = sa.and_(job.c.ended_at < old, job.c.ended_at > old - LOOKED_AT)
    without = job.c.report.op("-", return_type=JSONB)(sa.literal("tail"))
    connection.execute(sa.update(job).where(ended, job.c.report.has_key("tail")).values(report=without))
    full = job_command.c.answer != sa.text("'{}'::jsonb")
    emptied = sa.update(job_command).where(job_command.c.job == job.c.id, ended, full)
    return connection.execute(emptied.values(answer={})).rowcount
