"""SQL of leases. Time is the database's: all machines of the server see the same.

Every statement that changes a job for a collector goes through `held`, which locks the row if, and only if,
this collector holds it under this attempt and its lease has not ended.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB

from armarium.planning.collectors.tables import arrival
from armarium.planning.jobs.tables import (
    channel,
    job,
    job_attempt,
    job_command,
    job_configuration,
    job_order,
    job_sample,
)
from armarium.planning.model import LEASED, ArrivalState, AttemptEnd, JobState

Row = Mapping[Any, Any]

LOST_ANSWERS = 10  # attempts that ended before they began, for one that failed

NOW = sa.func.clock_timestamp()  # not that of the transaction, which may have waited for a lock
LEASED_NOW = job.c.state.in_(sorted(LEASED))
AGAIN = sa.text("interval '30 seconds'")  # after which a command without an answer is sent once more
MINUTE = sa.text("interval '1 minute'")
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
    return _first(connection, asked.with_for_update() if lock else asked)


def locked(connection: Connection, number: int) -> Row | None:
    return _first(connection, sa.select(job).where(job.c.id == number).with_for_update())


def unnamed(connection: Connection, collector: int, named: Iterable[int]) -> Row | None:
    """A job that this collector holds without knowing it: the answer to its request got lost."""
    asked = (
        sa.select(job)
        .where(LEASED_NOW, job.c.collector == collector, job.c.id.not_in(sorted(set(named))))
        .order_by(job.c.id)
        .limit(1)
    )
    return _first(connection, asked.with_for_update(skip_locked=True))


def groups(connection: Connection, names: Sequence[str]) -> list[list[int]]:
    """The open channels of these names, those served first first; equals together."""
    asked = sa.select(channel.c.priority, sa.func.array_agg(channel.c.id)).where(
        channel.c.active, channel.c.name.in_(names)
    )
    found = connection.execute(asked.group_by(channel.c.priority).order_by(channel.c.priority.desc()))
    return [list(numbers) for _, numbers in found]


def next_waiting(connection: Connection, channels: Sequence[int], named: Iterable[int]) -> Row | None:
    """The job of these channels whose turn it is; one that somebody is just taking is passed over.

    So are those that the collector names itself: it has not noticed yet that its lease of one is over, and
    would begin it anew beside its own folder.
    """
    due = sa.or_(job.c.not_before.is_(None), job.c.not_before <= NOW)
    asked = (
        sa.select(job)
        .where(job.c.state == JobState.NEW, job.c.channel.in_(channels), due)
        .where(job.c.id.not_in(sorted(set(named))))
        .order_by(job.c.priority.desc(), job.c.id)
        .limit(1)
    )
    return _first(connection, asked.with_for_update(skip_locked=True))


def begin(connection: Connection, number: int, attempt: int, collector: int, lease: float) -> datetime:
    """Lease a row that is locked; the end of the lease."""
    changed = (
        sa.update(job)
        .where(job.c.id == number)
        .values(
            state=JobState.SUBMITTED,
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
    made = sa.insert(job_attempt).values(job=number, attempt=attempt, collector=collector, leased_at=NOW)
    connection.execute(made)
    return until


def end_attempt(connection: Connection, number: int, attempt: int, end: AttemptEnd, error: str = "") -> None:
    mine = sa.and_(job_attempt.c.job == number, job_attempt.c.attempt == attempt, job_attempt.c.end == "")
    connection.execute(sa.update(job_attempt).where(mine).values(end=end, error=error, ended_at=NOW))


def attempt_of(connection: Connection, number: int, attempt: int, collector: int) -> Row | None:
    """An attempt of this collector, with the present state of its job."""
    asked = sa.select(job_attempt, job.c.state).join(job, job.c.id == job_attempt.c.job)
    mine = sa.and_(job_attempt.c.attempt == attempt, job_attempt.c.collector == collector)
    return _first(connection, asked.where(job_attempt.c.job == number, mine))


def failures(connection: Connection, number: int) -> int:
    """Attempts that came to nothing.

    One taken over before it began may be no more than an answer that got lost; but a job at which its
    collector dies each time looks the same, so that many of them count as one failure.
    """
    in_vain = job_attempt.c.end.in_([AttemptEnd.EXPIRED, AttemptEnd.FAILED])
    not_begun = sa.and_(job_attempt.c.end == AttemptEnd.TAKEN_OVER, job_attempt.c.started_at.is_(None))
    asked = sa.select(sa.func.count().filter(in_vain), sa.func.count().filter(not_begun))
    failed, lost = connection.execute(asked.where(job_attempt.c.job == number)).one()
    return int(failed) + int(lost) // LOST_ANSWERS


def overdue(connection: Connection, most: int) -> list[Row]:
    """Jobs whose lease has ended, locked."""
    asked = sa.select(job).where(LEASED_NOW, job.c.lease_until <= NOW).order_by(job.c.lease_until).limit(most)
    return [dict(row) for row in connection.execute(asked.with_for_update(skip_locked=True)).mappings()]


def release(connection: Connection, number: int, wait: float = 0.0) -> None:
    """Back to those that wait, for somebody else. Who held it last is kept: its folder lies there."""
    later = NOW + seconds(wait) if wait else None
    values = {"state": JobState.NEW, "lease_until": None, "not_before": later, "reported_at": None}
    connection.execute(sa.update(job).where(job.c.id == number).values(**values))


def finish(connection: Connection, number: int, **values: object) -> None:
    ended = sa.update(job).where(job.c.id == number)
    connection.execute(ended.values(ended_at=NOW, lease_until=None, **values))


def abandon_parts(connection: Connection, number: int) -> None:
    """Files that were under way: nobody will send the rest."""
    open_ones = sa.and_(arrival.c.job == number, arrival.c.state == ArrivalState.RECEIVING)
    connection.execute(sa.update(arrival).where(open_ones).values(state=ArrivalState.ABANDONED))


def order_parts(connection: Connection, number: int) -> list[bytes]:
    asked = sa.select(job_order.c.document).where(job_order.c.job == number).order_by(job_order.c.part)
    return [bytes(document) for document in connection.scalars(asked)]


def domains_of(connection: Connection, number: int) -> list[int]:
    asked = sa.select(job_configuration.c.domain).where(job_configuration.c.job == number).distinct()
    return list(connection.scalars(asked))


# Heartbeats -----------------------------------------------------------------------------------------


def note_beat(connection: Connection, number: int, lease: float, state: JobState, report: Row) -> Row:
    """Extend the lease of a row that is locked, and keep the news."""
    changed = (
        sa.update(job)
        .where(job.c.id == number)
        .values(
            lease_until=NOW + seconds(lease),
            state=state,
            report=sa.cast(dict(report), JSONB),
            reported_at=NOW,
            objects=_figure(report, "objects", job.c.objects),
            bytes=_figure(report, "bytes", job.c.bytes),
        )
        .returning(
            job.c.lease_until,
            sa.func.coalesce(job.c.watched_at > NOW - WATCHED, sa.false()).label("watched"),
            (NOW - job.c.started_at).label("age"),
        )
    )
    return connection.execute(changed).mappings().one()


def note_start(connection: Connection, number: int, attempt: int) -> None:
    mine = sa.and_(job_attempt.c.job == number, job_attempt.c.attempt == attempt)
    connection.execute(sa.update(job_attempt).where(mine).values(started_at=NOW))


def note_sample(connection: Connection, number: int, report: Row) -> None:
    """The figures of the moment, at most once a minute."""
    recent = sa.select(job_sample.c.job).where(job_sample.c.job == number, job_sample.c.at > NOW - MINUTE)
    columns = ("objects", "bytes", "queued", "objects_per_second", "bytes_per_second", "queues")
    figures = {**report, "queues": report.get("queues_active")}
    values = [sa.literal(_number(figures.get(name))) for name in columns]
    chosen = sa.select(sa.literal(number), NOW, *values).where(~recent.exists())
    connection.execute(sa.insert(job_sample).from_select(["job", "at", *columns], chosen))


def _number(value: object) -> float | int:
    return value if isinstance(value, int | float) and 0 <= value < 2**62 else 0


def _figure(report: Row, name: str, otherwise: "sa.Column[int]") -> Any:
    told = report.get("report") or {}
    return int(_number(told[name])) if name in told else otherwise


# Commands -------------------------------------------------------------------------------------------


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


def command_once(connection: Connection, number: int, verb: str, by: str) -> None:
    """Order something that this orderer has not yet ordered, or that was refused."""
    ordered = sa.select(job_command.c.id).where(
        job_command.c.job == number,
        job_command.c.verb == verb,
        job_command.c.by == by,
        sa.or_(job_command.c.answered_at.is_(None), job_command.c.accepted),
    )
    columns = ["job", "verb", "arguments", "by", "created_at"]
    values: list[Any] = [sa.literal(number), sa.literal(verb), sa.literal({}, JSONB), sa.literal(by), NOW]
    chosen = sa.select(*values).where(~ordered.exists())
    connection.execute(sa.insert(job_command).from_select(columns, chosen))


def counts_by_channel(connection: Connection) -> list[tuple[str, str, int]]:
    """Of each channel: how many jobs wait, and how many run. Both are few, and have an index of their own."""
    found = []
    for state, those in (("waiting", job.c.state == JobState.NEW), ("running", LEASED_NOW)):
        counted = (
            sa.select(job.c.channel, sa.func.count().label("number")).where(those).group_by(job.c.channel)
        )
        each = counted.subquery()
        asked = sa.select(channel.c.name, sa.func.coalesce(each.c.number, 0))
        rows = connection.execute(asked.outerjoin(each, each.c.channel == channel.c.id))
        found += [(str(name), state, int(number)) for name, number in rows]
    return found


def forget_samples(connection: Connection, days: int) -> int:
    old = job_sample.c.at < NOW - sa.func.make_interval(0, 0, 0, days)
    return connection.execute(sa.delete(job_sample).where(old)).rowcount


def _first(connection: Connection, asked: "sa.Select[Any]") -> Row | None:
    found = connection.execute(asked).mappings().first()
    return dict(found) if found else None
