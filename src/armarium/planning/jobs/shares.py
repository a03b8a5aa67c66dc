"""The total budget of a run, and how its jobs share it: all together they never take more.

Each job has a share from the beginning, by what is expected of it; its crawl waits at the end of that. What
others of the run left over by then, or a person added, is divided among those at work. A crawl that waits
while nothing is left is ended, unless another one at work may still leave something, and no job of the run
wants for a collector: one that only waits must not keep a slot from it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from armarium.core.actor import SYSTEM
from armarium.planning.jobs import share_queries as queries
from armarium.planning.jobs.share_queries import NO_SHARE, Share, Sharer
from armarium.planning.tables.jobs import Row

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
    total = queries.locked_total(connection, run)
    if total != NO_SHARE:
        queries.put_shares(connection, grown(total, queries.sharers(connection, run), among))


def of_lease(connection: Connection, row: Row) -> Share:
    """The share with which a job begins; one that was made after the others gets what is left."""
    share = queries.share_of(connection, row["id"])
    if share is None:
        share_out(connection, row["run"], lambda job: job.open and job.share is None)
        share = queries.share_of(connection, row["id"])
    return share or NO_SHARE


def heard(connection: Connection, row: Row, report: Mapping[str, Any]) -> None:
    """What the heartbeat of a job says of its share: it is told of a larger one, or that this was all."""
    if "waits_for_budget" not in report:  # an engine of an earlier version
        return
    share = queries.share_of(connection, row["id"])
    if share is None:
        return
    ends = False
    if report["waits_for_budget"] and queries.told(report) == share:
        total = queries.locked_total(connection, row["run"])
        verdict = judged(total, queries.sharers(connection, row["run"]), row["id"])
        queries.put_shares(connection, verdict.shares)
        share, ends = verdict.shares.get(row["id"], share), verdict.ends
    if ends:
        queries.order(connection, row, "terminate", BUDGET, SYSTEM.name)
    elif queries.told(report) != share:
        queries.order(connection, row, "budget", {"share": share._asdict()}, SYSTEM.name)
