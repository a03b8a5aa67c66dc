"""SQL of what the attempts at a job came to."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.planning.model import AttemptEnd
from armarium.planning.tables.collectors import collector
from armarium.planning.tables.jobs import Row, job_attempt

LOST_ANSWERS = 10  # attempts that ended before they began, for one that failed

of = job_attempt.c


@dataclass(frozen=True)
class Tried:
    end: str
    begun: bool
    objects: int  # that the job had when the attempt ended


def failures(connection: Connection, number: int) -> int:
    """Attempts in a row that came to nothing."""
    asked = sa.select(of.end, of.started_at.is_not(None), of.objects).where(of.job == number)
    return in_vain(Tried(*row) for row in connection.execute(asked.order_by(of.attempt)))


def in_vain(tried: Iterable[Tried]) -> int:
    """Failures since the last attempt that got further than all before it.

    One taken over before it began may be no more than an answer that got lost; but a job at which its
    collector dies each time looks the same, so that many of them count as one failure.
    """
    failed, lost, furthest = 0, 0, 0
    for one in tried:
        if one.begun and one.objects > furthest:
            failed, lost, furthest = 0, 0, one.objects
        if one.end in (AttemptEnd.EXPIRED, AttemptEnd.FAILED):
            failed += 1
        elif one.end == AttemptEnd.TAKEN_OVER and not one.begun:
            lost += 1
    return failed + lost // LOST_ANSWERS


def may_come_back(connection: Connection, row: Row) -> bool:
    """Whether the collector that this job was taken from has begun it, and may still speak with us."""
    fresh = job_attempt.alias("fresh")
    first = sa.select(sa.func.max(fresh.c.attempt)).where(fresh.c.job == row["id"], ~fresh.c.resumed)
    begun = sa.exists().where(
        of.job == row["id"],
        of.collector == row["collector"],
        of.attempt >= first.scalar_subquery(),  # later ones went on in the folder of this one
        of.started_at.is_not(None),
    )
    valid = sa.exists().where(collector.c.id == row["collector"], collector.c.revoked_at.is_(None))
    return bool(connection.scalar(sa.select(sa.and_(begun, valid))))
