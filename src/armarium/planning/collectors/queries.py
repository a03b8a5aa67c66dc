"""SQL of collectors, their codes and their requests."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.audit.tables import beginning
from armarium.db.rows import Rows
from armarium.planning.collectors.model import SILENCE, Collector, CollectorFilter, CollectorState, Work
from armarium.planning.model import LEASED
from armarium.planning.tables.harvests import answered_request, collector, enrolment, harvest
from armarium.planning.tables.jobs import channel, job

SEEN_EVERY = timedelta(seconds=5)
HELD = job.c.state.in_(sorted(LEASED))


class CollectorRows(Rows[Collector]):
    def locked(self, asked: "sa.Select[Any]") -> "sa.Select[Any]":
        # Not the stronger FOR UPDATE: whoever holds a job and notes a file of this collector would wait for
        # us, and we for the job.
        return asked.with_for_update(key_share=True)


collectors = CollectorRows(
    collector, Collector, order=(collector.c.revoked_at.is_not(None), collector.c.name)
)


def taken(connection: Connection, number: int) -> Collector | None:
    """The collector, locked; None while another request has it. Its files may arrive meanwhile."""
    asked = sa.select(collector).where(collector.c.id == number)
    row = connection.execute(asked.with_for_update(key_share=True, skip_locked=True)).mappings().first()
    return collectors.value(row) if row else None


def conditions_of(wanted: CollectorFilter) -> Iterable[sa.ColumnElement[bool]]:
    heard = sa.func.coalesce(collector.c.seen_at, collector.c.enrolled_at)
    silent = heard < sa.func.now() - SILENCE
    open_to_work = sa.and_(collector.c.revoked_at.is_(None), collector.c.active)
    if wanted.text:
        names = (collector.c.name, collector.c.facts["machine"].astext)
        yield sa.or_(*(one.icontains(wanted.text, autoescape=True) for one in names))
    if wanted.channel:
        yield collector.c.channels.contains([wanted.channel])
    match wanted.state:
        case CollectorState.REVOKED:
            yield collector.c.revoked_at.is_not(None)
        case CollectorState.STOPPED:
            yield sa.and_(collector.c.revoked_at.is_(None), ~collector.c.active)
        case CollectorState.SILENT:
            yield sa.and_(open_to_work, silent)
        case CollectorState.ACTIVE:
            yield sa.and_(open_to_work, ~silent)


def names(connection: Connection) -> set[str]:
    return set(connection.scalars(sa.select(collector.c.name)))


def note_seen(connection: Connection, number: int, address: str) -> None:
    """Written at most every few seconds: uploads are thousands of requests."""
    stale = sa.or_(collector.c.seen_at.is_(None), collector.c.seen_at < sa.func.now() - SEEN_EVERY)
    # One that is locked is just being heard by another request: nobody waits for that.
    free = sa.select(collector.c.id).where(collector.c.id == number, stale)
    changed = sa.update(collector).where(
        collector.c.id == free.with_for_update(key_share=True, skip_locked=True).scalar_subquery()
    )
    connection.execute(changed.values(seen_at=sa.func.now(), address=address))


def note_machine(connection: Connection, number: int, facts: Mapping[str, Any]) -> None:
    changed = sa.update(collector).where(collector.c.id == number)
    connection.execute(changed.values(facts=dict(facts), seen_at=sa.func.now()))


def note_finished(connection: Connection, number: int) -> None:
    mine = sa.and_(collector.c.id == number, sa.func.cardinality(collector.c.failed_jobs) > 0)
    connection.execute(sa.update(collector).where(mine).values(failed_jobs=[]))


def note_failed(connection: Connection, number: int, failed: int) -> list[int]:
    """All that it failed in a row, with this one."""
    known = collector.c.failed_jobs
    again = sa.literal(failed, sa.BigInteger) == sa.any_(known)
    longer = sa.case((again, known), else_=sa.func.array_append(known, failed))
    changed = sa.update(collector).where(collector.c.id == number).values(failed_jobs=longer)
    return list(connection.execute(changed.returning(known)).scalar_one())


def work_of(connection: Connection, numbers: Sequence[int]) -> dict[int, list[Work]]:
    """The jobs that each of them holds."""
    asked = (
        sa.select(job.c.collector, job.c.id, job.c.attempt, job.c.state, harvest.c.name, job.c.lease_until)
        .join(harvest, harvest.c.id == job.c.harvest)
        .where(HELD, job.c.collector.in_(numbers))
        .order_by(job.c.id)
    )
    found: dict[int, list[Work]] = {number: [] for number in numbers}
    for number, *facts in connection.execute(asked):
        found[number].append(Work(*facts))
    return found


def days_of(connection: Connection, number: int, first: date, zone: str) -> dict[date, tuple[int, int]]:
    """Objects and bytes of the jobs that it ended, by day; days without any are left out."""
    day = sa.cast(sa.func.timezone(zone, job.c.ended_at), sa.Date)
    sums = (sa.func.sum(job.c.brought_objects), sa.func.sum(job.c.brought_bytes))
    since = job.c.ended_at >= beginning(first, zone)
    asked = sa.select(day, *sums).where(job.c.collector == number, since).group_by(day)
    return {
        when: (int(objects or 0), int(volume or 0)) for when, objects, volume in connection.execute(asked)
    }


def called(connection: Connection, text: str, most: int) -> list[tuple[int, str]]:
    """Number and name of those whose names contain this."""
    asked = sa.select(collector.c.id, collector.c.name).where(
        collector.c.name.icontains(text, autoescape=True)
    )
    return [
        (number, name) for number, name in connection.execute(asked.order_by(collector.c.name).limit(most))
    ]


def end_leases(connection: Connection, number: int) -> int:
    """Of a collector that may no longer beat: its jobs go to others at once."""
    changed = sa.update(job).where(HELD, job.c.collector == number)
    return connection.execute(changed.values(lease_until=sa.func.now())).rowcount


def channel_names(connection: Connection, *, active_only: bool = True) -> list[str]:
    asked = sa.select(channel.c.name).order_by(channel.c.priority.desc(), channel.c.name)
    return list(connection.scalars(asked.where(channel.c.active) if active_only else asked))


# Codes ----------------------------------------------------------------------------------------------


def add_code(
    connection: Connection, digest: bytes, channels: Sequence[str], by: str, life: timedelta
) -> datetime:
    made = sa.insert(enrolment).values(
        code_digest=digest,
        channels=list(channels),
        by=by,
        created_at=sa.func.now(),
        expires_at=sa.func.now() + life,
    )
    found: datetime = connection.execute(made.returning(enrolment.c.expires_at)).scalar_one()
    return found


def locked_code(connection: Connection, digest: bytes) -> Mapping[Any, Any] | None:
    """The code with `valid`: not yet used, and not too old."""
    valid = sa.and_(enrolment.c.used_at.is_(None), enrolment.c.expires_at > sa.func.now()).label("valid")
    asked = sa.select(enrolment, valid).where(enrolment.c.code_digest == digest).with_for_update()
    return connection.execute(asked).mappings().first()


def use_code(connection: Connection, number: int) -> None:
    connection.execute(sa.update(enrolment).where(enrolment.c.id == number).values(used_at=sa.func.now()))


# Requests -------------------------------------------------------------------------------------------


def is_new(connection: Connection, request: str, expires_at: datetime) -> bool:
    """Remember a request; False if it was answered before."""
    made = insert(answered_request).values(id=request, expires_at=expires_at).on_conflict_do_nothing()
    return connection.scalar(made.returning(answered_request.c.id)) is not None


def forget_requests(connection: Connection, after: timedelta) -> int:
    old = answered_request.c.expires_at < sa.func.now() - after
    return connection.execute(sa.delete(answered_request).where(old)).rowcount


def forget_codes(connection: Connection, after: timedelta) -> int:
    old = enrolment.c.expires_at < sa.func.now() - after
    return connection.execute(sa.delete(enrolment).where(old)).rowcount
