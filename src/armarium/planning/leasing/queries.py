"""SQL of leases. Time is the database's: all machines of the server see the same.

Every statement that changes a job for a collector goes through `held`, which locks the row if, and only if,
this collector holds it under this attempt and its lease has not ended.
"""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB

from armarium.planning.model import ArrivalState, AttemptEnd, JobState, moved
from armarium.planning.tables.domains import domain
from armarium.planning.tables.harvests import arrival
from armarium.planning.tables.jobs import (
    LEASED_NOW,
    NOW,
    Row,
    channel,
    job,
    job_attempt,
    job_command,
    job_configuration,
    job_order,
    job_sample,
)

WATCHED = sa.text("interval '30 seconds'")


def seconds(number: float) -> "sa.ColumnElement[Any]":
    return sa.func.make_interval(0, 0, 0, 0, 0, 0, sa.cast(number, sa.Float))


def fence(number: int, attempt: int, collector: int) -> "sa.ColumnElement[bool]":
    """That this collector holds this job, now, under this attempt."""
    return sa.and_(
        job.c.id == number,
        job.c.attempt == attempt,
        job.c.collector == collector,
        LEASED_NOW,
        job.c.lease_until > NOW,
    )


def held(
    connection: Connection, number: int, attempt: int, collector: int, *, lock: bool = True
) -> Row | None:
    asked = sa.select(job).where(fence(number, attempt, collector))
    return first(connection, asked.with_for_update() if lock else asked)


def locked(connection: Connection, number: int) -> Row | None:
    return first(connection, sa.select(job).where(job.c.id == number).with_for_update())


def begin(
    connection: Connection, row: Row, attempt: int, collector: int, lease: float, *, resume: bool = False
) -> datetime:
    """Lease a row that is locked; the end of the lease."""
    number = row["id"]
    changed = (
        sa.update(job)
        .where(job.c.id == number)
        .values(
            state=moved(row["state"], JobState.SUBMITTED),
            attempt=attempt,
            collector=collector,
            lease_until=NOW + seconds(lease),
            not_before=None,
            started_at=sa.func.coalesce(job.c.started_at, NOW),
            report=sa.text("'{}'::jsonb"),
            reported_at=None,
        )
    )
    until: datetime = connection.execute(changed.returning(job.c.lease_until)).scalar_one()
    facts = {"job": number, "attempt": attempt, "collector": collector, "resumed": resume}
    connection.execute(sa.insert(job_attempt).values(**facts, leased_at=NOW))
    return until


def end_attempt(
    connection: Connection,
    number: int,
    attempt: int,
    end: AttemptEnd,
    error: str = "",
    objects: int | None = None,
) -> None:
    """`objects`: what it brought; None: as many as its last heartbeat told."""
    mine = sa.and_(job_attempt.c.job == number, job_attempt.c.attempt == attempt, job_attempt.c.end == "")
    told = sa.select(job.c.objects).where(job.c.id == number).scalar_subquery()
    values = {"end": end, "error": error, "ended_at": NOW, "objects": told if objects is None else objects}
    connection.execute(sa.update(job_attempt).where(mine).values(**values))


def attempt_of(connection: Connection, number: int, attempt: int, collector: int) -> Row | None:
    """An attempt of this collector, with the present state of its job."""
    asked = sa.select(job_attempt, job.c.state).join(job, job.c.id == job_attempt.c.job)
    mine = sa.and_(job_attempt.c.attempt == attempt, job_attempt.c.collector == collector)
    return first(connection, asked.where(job_attempt.c.job == number, mine))


def overdue(connection: Connection, most: int) -> list[Row]:
    """Jobs whose lease has ended, locked."""
    asked = sa.select(job).where(LEASED_NOW, job.c.lease_until <= NOW).order_by(job.c.lease_until).limit(most)
    return [dict(row) for row in connection.execute(asked.with_for_update(skip_locked=True)).mappings()]


def release(connection: Connection, row: Row, wait: float = 0.0) -> None:
    """Back to those that wait, for somebody else. Who held it last is kept: its folder lies there."""
    later = NOW + seconds(wait) if wait else None
    state = moved(row["state"], JobState.NEW)
    values = {"state": state, "lease_until": None, "not_before": later, "reported_at": None}
    connection.execute(sa.update(job).where(job.c.id == row["id"]).values(**values))


def finish(connection: Connection, row: Row, state: JobState, **values: object) -> None:
    ended = sa.update(job).where(job.c.id == row["id"])
    state = moved(row["state"], state)
    connection.execute(ended.values(state=state, ended_at=NOW, lease_until=None, **values))


def abandon_parts(connection: Connection, number: int) -> None:
    """Files that were under way: nobody will send the rest."""
    open_ones = sa.and_(arrival.c.job == number, arrival.c.state == ArrivalState.RECEIVING)
    connection.execute(sa.update(arrival).where(open_ones).values(state=ArrivalState.ABANDONED))


def order_parts(connection: Connection, number: int) -> list[bytes]:
    asked = sa.select(job_order.c.document).where(job_order.c.job == number).order_by(job_order.c.part)
    return [bytes(document) for document in connection.scalars(asked)]


def order_without_seeds(connection: Connection, number: int) -> bytes:
    """The first part, of a job that has an order."""
    asked = sa.select(job_order.c.document).where(job_order.c.job == number, job_order.c.part == 0)
    return bytes(connection.execute(asked).scalar_one())


def domains_of(connection: Connection, number: int) -> list[int]:
    asked = sa.select(job_configuration.c.domain).where(job_configuration.c.job == number).distinct()
    return list(connection.scalars(asked))


def domain_names(connection: Connection, number: int) -> list[str]:
    """Of a job, sorted."""
    of_job = sa.select(job_configuration.c.domain).where(job_configuration.c.job == number)
    asked = sa.select(domain.c.name).where(domain.c.id.in_(of_job)).order_by(domain.c.name)
    return list(connection.scalars(asked))


# Heartbeats -----------------------------------------------------------------------------------------


def note_beat(connection: Connection, row: Row, lease: float, state: JobState, report: Row) -> Row:
    """Extend the lease of a row that is locked, and keep the news."""
    changed = (
        sa.update(job)
        .where(job.c.id == row["id"])
        .values(
            lease_until=NOW + seconds(lease),
            state=moved(row["state"], state),
            report=sa.cast(dict(report), JSONB),
            reported_at=NOW,
            objects=_figure(report, "objects", job.c.objects),
            bytes=_figure(report, "bytes", job.c.bytes),
        )
        .returning(
            job.c.lease_until,
            sa.func.coalesce(job.c.watched_at > NOW - WATCHED, sa.false()).label("watched"),
            (NOW - _begun(row["id"])).label("age"),
        )
    )
    return connection.execute(changed).mappings().one()


def _begun(number: int) -> "sa.ScalarSelect[Any]":
    """When the crawl began: with the last attempt that did not go on in the folder of another."""
    fresh = sa.and_(job_attempt.c.job == number, ~job_attempt.c.resumed)
    return sa.select(sa.func.max(job_attempt.c.leased_at)).where(fresh).scalar_subquery()


def note_start(connection: Connection, number: int, attempt: int) -> None:
    mine = sa.and_(job_attempt.c.job == number, job_attempt.c.attempt == attempt)
    connection.execute(sa.update(job_attempt).where(mine).values(started_at=NOW))


def note_sample(connection: Connection, number: int, report: Row) -> None:
    """The figures of the moment: often at first, then ever more rarely.

    Each sample lies a hundredth of the crawl behind the one before. A crawl of a minute has a curve, and
    one of a week some eight hundred points, where one each minute would be ten thousand.
    """
    mine = job_sample.c.job == number
    begun = sa.select(sa.func.min(job_sample.c.at)).where(mine).scalar_subquery()
    apart = sa.func.greatest(LEAST_APART, (NOW - begun) / SAMPLES_OF_A_CRAWL)
    recent = sa.select(job_sample.c.job).where(mine, job_sample.c.at > NOW - apart)
    columns = ("objects", "bytes", "queued", "objects_per_second", "bytes_per_second", "queues")
    figures = {**report, "queues": report.get("queues_active")}
    values = [sa.literal(figures.get(name) or 0) for name in columns]
    chosen = sa.select(sa.literal(number), NOW, *values).where(~recent.exists())
    connection.execute(sa.insert(job_sample).from_select(["job", "at", *columns], chosen))


def _figure(report: Row, name: str, otherwise: "sa.Column[int]") -> Any:
    """What the report (see `reports.kept`) says, if it says something."""
    return report["report"].get(name, otherwise)


# Over all jobs --------------------------------------------------------------------------------------


def counts_by_channel(connection: Connection) -> list[tuple[tuple[str, str], int]]:
    """Of each channel: how many jobs wait, and how many run. Both are few, and have an index of their own."""
    found = []
    for state, those in (("waiting", job.c.state == JobState.NEW), ("running", LEASED_NOW)):
        counted = (
            sa.select(job.c.channel, sa.func.count().label("number")).where(those).group_by(job.c.channel)
        )
        each = counted.subquery()
        asked = sa.select(channel.c.name, sa.func.coalesce(each.c.number, 0))
        rows = connection.execute(asked.outerjoin(each, each.c.channel == channel.c.id))
        found += [((str(name), state), int(number)) for name, number in rows]
    return found


def forget_samples(connection: Connection, days: int) -> int:
    old = job_sample.c.at < NOW - sa.func.make_interval(0, 0, 0, days)
    return connection.execute(sa.delete(job_sample).where(old)).rowcount


def first(connection: Connection, asked: "sa.Select[Any]") -> Row | None:
    found = connection.execute(asked).mappings().first()
    return dict(found) if found else None


AGAIN = sa.text("interval '30 seconds'")  # after which a command without an answer is sent once more
HOUR = sa.text("interval '1 hour'")
LEAST_APART = sa.text("interval '5 seconds'")
SAMPLES_OF_A_CRAWL = 100
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
