"""SQL of shares. Who changes them holds the run, and no job: a heartbeat never waits for that of another."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.planning.tables.harvests import harvest_run
from armarium.planning.tables.jobs import (
    LEASED_NOW,
    MINUTE,
    NOW,
    OPEN,
    Row,
    counted,
    job,
    job_command,
    job_share,
)


class Share(NamedTuple):
    """None: no limit."""

    objects: int | None = None
    bytes: int | None = None


NO_SHARE = Share()


class Sharer(NamedTuple):
    """A job of a run that has a total budget."""

    job: int
    estimate: int  # objects
    open: bool  # whether it has anything before it
    at_work: bool  # a collector has it
    objects: int  # that count as brought by the run
    bytes: int
    share: Share | None
    waits: bool = False  # at the end of this share

    def holds(self, name: str) -> int:
        """What others cannot have: what it may take, or has taken."""
        brought: int = getattr(self, name)
        return max(brought, getattr(self.share or NO_SHARE, name) or 0) if self.open else brought


def locked_total(connection: Connection, run: int) -> Share:
    """The total budget of a run, and the run until the end of the transaction."""
    asked = sa.select(harvest_run.c.total_objects, harvest_run.c.total_bytes).where(harvest_run.c.id == run)
    # The weaker lock: jobs that refer to the run may come into being meanwhile.
    return Share(*connection.execute(asked.with_for_update(key_share=True)).one())


def sharers(connection: Connection, run: int) -> list[Sharer]:
    report = sa.case((LEASED_NOW, job.c.report["report"]))
    asked = (
        sa.select(
            job.c.id,
            job.c.estimate,
            job.c.state.in_(OPEN).label("open"),
            LEASED_NOW.label("at_work"),
            sa.case((counted(), job.c.objects), else_=0).label("objects"),
            sa.case((counted(), job.c.bytes), else_=0).label("bytes"),
            job_share.c.job.label("shares"),
            job_share.c.objects.label("share_objects"),
            job_share.c.bytes.label("share_bytes"),
            report.label("report"),
        )
        .outerjoin(job_share, job_share.c.job == job.c.id)
        .where(job.c.run == run)
        .order_by(job.c.id)
    )
    return [_sharer(row) for row in connection.execute(asked)]


def _sharer(row: "sa.Row[Any]") -> Sharer:
    share = Share(row.share_objects, row.share_bytes) if row.shares else None
    report: Mapping[str, Any] = row.report or {}
    waits = bool(report.get("waits_for_budget")) and told(report) == share
    return Sharer(row.id, row.estimate, row.open, row.at_work, row.objects, row.bytes, share, waits)


def told(report: Mapping[str, Any]) -> Share:
    """The share that a crawl knows of."""
    return Share(report.get("share_objects"), report.get("share_bytes"))


def share_of(connection: Connection, number: int) -> Share | None:
    asked = sa.select(job_share.c.objects, job_share.c.bytes).where(job_share.c.job == number)
    found = connection.execute(asked).one_or_none()
    return Share(*found) if found else None


def put_shares(connection: Connection, shares: Mapping[int, Share]) -> None:
    if not shares:
        return
    written = insert(job_share)
    changed = {name: written.excluded[name] for name in Share._fields}
    rows = [{"job": number, **share._asdict()} for number, share in shares.items()]
    connection.execute(written.on_conflict_do_update(index_elements=["job"], set_=changed), rows)


def order(connection: Connection, row: Row, verb: str, arguments: Mapping[str, Any], by: str) -> None:
    """Write a command down, unless the same is on its way, or was given just now."""
    facts = {"job": row["id"], "attempt": row["attempt"], "verb": verb, "by": by}
    same = [job_command.c[name] == value for name, value in facts.items()]
    same.append(job_command.c.arguments == sa.literal(dict(arguments), job_command.c.arguments.type))
    recent = sa.or_(job_command.c.answered_at.is_(None), job_command.c.created_at > NOW - MINUTE)
    if not connection.scalar(sa.select(sa.exists().where(*same, recent))):
        values = {**facts, "arguments": dict(arguments), "created_at": NOW}
        connection.execute(sa.insert(job_command).values(**values))
