"""The total budget of a run, and how its jobs share it: all together they never take more.

Each job has a share from the beginning, by what is expected of it; its crawl waits at the end of that. What
others of the run left over by then, or a person added, is divided among those at work. A crawl that waits
while nothing is left is ended, unless another one at work may still leave something, and no job of the run
wants for a collector: one that only waits must not keep a slot from it.

Who changes shares holds the run, and no job: a heartbeat never waits for that of another.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core.actor import SYSTEM
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


BUDGET = {"why": "budget"}  # the word by which a crawl knows that nobody but the budget ended it


class Verdict(NamedTuple):
    """What becomes of a crawl that waits."""

    shares: Mapping[int, Share]  # those that grew
    ends: bool


# The rule --------------------------------------------------------------------------------------------


def divided(amount: int, weights: Sequence[int]) -> list[int]:
    """The amount in whole parts by weight; together they are all of it."""
    whole, so_far, given = sum(weights), 0, 0
    parts = []
    for weight in weights:
        so_far += weight
        parts.append(amount * so_far // whole - given)
        given += parts[-1]
    return parts


def left(total: Share, jobs: Sequence[Sharer]) -> Share:
    """What of the budget nobody has, or may take."""
    objects, bytes_ = (
        None if most is None else max(most - sum(job.holds(name) for job in jobs), 0)
        for name, most in zip(Share._fields, total, strict=True)
    )
    return Share(objects, bytes_)


def grown(total: Share, jobs: Sequence[Sharer], among: Callable[[Sharer], bool]) -> dict[int, Share]:
    """The shares of some jobs, with what is left divided among them by what is expected of each."""
    chosen = [job for job in jobs if among(job)]
    if not chosen:
        return {}
    weights = [max(job.estimate, 1) for job in chosen]
    parts = [[None] * len(chosen) if rest is None else divided(rest, weights) for rest in left(total, jobs)]
    shares = {
        job.job: Share(
            *(_sum(before, more) for before, more in zip(job.share or NO_SHARE, both, strict=True))
        )
        for job, *both in zip(chosen, *parts, strict=True)
    }
    return {job.job: shares[job.job] for job in chosen if shares[job.job] != job.share}


def _sum(before: int | None, more: int | None) -> int | None:
    return before if more is None else (before or 0) + more


def judged(total: Share, jobs: Sequence[Sharer], waiting: int) -> Verdict:
    """More for the crawl that waits, if there is more; or its end."""
    shares = grown(total, jobs, lambda job: job.at_work)
    if waiting in shares:
        return Verdict(shares, ends=False)
    others = [job for job in jobs if job.open and job.job != waiting]
    someone_leaves = any(not job.waits for job in others) and all(job.at_work for job in others)
    return Verdict(shares, ends=not someone_leaves)


# In the caller's transaction --------------------------------------------------------------------------


def share_out(
    connection: Connection, run: int, among: Callable[[Sharer], bool] = lambda job: job.open
) -> None:
    """Divide what is left of the budget of a run among its jobs, if it has one."""
    total = locked_total(connection, run)
    if total != NO_SHARE:
        put_shares(connection, grown(total, sharers(connection, run), among))


def of_lease(connection: Connection, row: Row) -> Share:
    """The share with which a job begins; one that was made after the others gets what is left."""
    share = share_of(connection, row["id"])
    if share is None:
        share_out(connection, row["run"], lambda job: job.open and job.share is None)
        share = share_of(connection, row["id"])
    return share or NO_SHARE


def heard(connection: Connection, row: Row, report: Mapping[str, Any]) -> None:
    """What the heartbeat of a job says of its share: it is told of a larger one, or that this was all."""
    if "waits_for_budget" not in report:  # an engine of an earlier version
        return
    share = share_of(connection, row["id"])
    if share is None:
        return
    ends = False
    if report["waits_for_budget"] and told(report) == share:
        total = locked_total(connection, row["run"])
        verdict = judged(total, sharers(connection, row["run"]), row["id"])
        put_shares(connection, verdict.shares)
        share, ends = verdict.shares.get(row["id"], share), verdict.ends
    if ends:
        order(connection, row, "terminate", BUDGET, SYSTEM.name)
    elif told(report) != share:
        order(connection, row, "budget", {"share": share._asdict()}, SYSTEM.name)
