"""The SQL of runs: what was begun or skipped, and what its jobs have brought."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping, Select

from armarium.core.collecting import BUDGET_SPENT
from armarium.db.stretches import Beginning, stretch
from armarium.planning.harvests.model import Run, RunState
from armarium.planning.tables.harvests import harvest, harvest_run
from armarium.planning.tables.jobs import OPEN, counted, job, job_sample


def insert_run(connection: Connection, values: Mapping[str, object]) -> int:
    return int(
        connection.execute(harvest_run.insert().values(values).returning(harvest_run.c.id)).scalar_one()
    )


def set_total(connection: Connection, run: int, total: tuple[int | None, int | None]) -> None:
    """The total budget of all its jobs, in objects and bytes."""
    values = dict(zip(("total_objects", "total_bytes"), total, strict=True))
    connection.execute(harvest_run.update().where(harvest_run.c.id == run).values(**values))


def insert_runs(connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    connection.execute(harvest_run.insert(), [dict(row) for row in rows])


def _brought() -> Any:
    """What the jobs of a run have brought so far."""
    ended = sa.func.extract("epoch", job.c.ended_at - job.c.started_at)
    return (
        sa.select(
            sa.func.count().label("jobs_made"),
            sa.func.count().filter(job.c.state.in_(OPEN)).label("unfinished"),
            sa.func.count().filter(job.c.state == "failed").label("failed"),
            sa.func.coalesce(sa.func.sum(job.c.objects).filter(counted()), 0).label("objects"),
            sa.func.coalesce(sa.func.sum(job.c.bytes).filter(counted()), 0).label("bytes"),
            sa.func.coalesce(sa.func.sum(ended), 0).label("seconds"),
            sa.func.coalesce(sa.func.sum(job.c.estimate).filter(job.c.resubmission_of.is_(None)), 0).label(
                "expected"
            ),
            sa.func.min(job.c.started_at).label("started_at"),
            sa.func.max(job.c.ended_at).label("ended_at"),
            sa.func.count().filter(job.c.outcome == BUDGET_SPENT).label("cut_off"),
        )
        .where(job.c.run == harvest_run.c.id)
        .lateral("brought")
    )


def _runs() -> tuple[Select[Any], Any]:
    brought = _brought()
    return sa.select(harvest_run, *brought.c).join(brought, sa.true()), brought


def to_run(row: RowMapping) -> Run:
    return Run(
        id=row["id"],
        harvest=row["harvest"],
        number=row["number"],
        state=RunState(row["state"]),
        due_at=row["due_at"],
        begun_at=row["begun_at"],
        generated_at=row["generated_at"],
        configurations=row["configurations"],
        left_out=row["left_out"],
        error=row["error"],
        jobs=row["jobs_made"],
        unfinished=row["unfinished"],
        failed=row["failed"],
        objects=int(row["objects"]),
        bytes=int(row["bytes"]),
        seconds=float(row["seconds"]),
        expected=int(row["expected"]),
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        total_objects=row["total_objects"],
        total_bytes=row["total_bytes"],
        cut_off=row["cut_off"],
    )


def runs_of(connection: Connection, number: int, limit: int, offset: Beginning = 0) -> tuple[list[Run], int]:
    """The runs of a harvest, newest first."""
    mine = harvest_run.c.harvest == number
    total = connection.scalar(sa.select(sa.func.count()).select_from(harvest_run).where(mine)) or 0
    newest = (harvest_run.c.due_at.desc(), harvest_run.c.id.desc())
    # The stretch first, then its jobs: a run may have thousands, a harvest ten thousand runs.
    some = stretch(connection, sa.select(harvest_run.c.id).where(mine), newest, limit, offset).scalars().all()
    wanted, _ = _runs()
    rows = connection.execute(wanted.where(harvest_run.c.id.in_(some)).order_by(*newest)).mappings()
    return [to_run(row) for row in rows], total


def run_numbered(connection: Connection, harvest_id: int, number: int) -> Run | None:
    wanted, _ = _runs()
    mine = wanted.where(harvest_run.c.harvest == harvest_id, harvest_run.c.number == number)
    row = connection.execute(mine).mappings().one_or_none()
    return to_run(row) if row else None


RECENT = 8  # runs of a harvest that its line in the list draws


def recent_runs(connection: Connection, numbers: Sequence[int], most: int = RECENT) -> dict[int, list[Run]]:
    """The last runs of each harvest, the oldest first; skipped dates do not count."""
    newest = (
        sa.select(harvest_run.c.id)
        .where(harvest_run.c.harvest == harvest.c.id, harvest_run.c.number.is_not(None))
        .order_by(harvest_run.c.number.desc())
        .limit(most)
        .lateral("newest")
    )
    some = sa.select(newest.c.id).select_from(harvest.join(newest, sa.true()))
    wanted, _ = _runs()
    rows = connection.execute(
        wanted.where(harvest_run.c.id.in_(some.where(harvest.c.id.in_(numbers)))).order_by(
            harvest_run.c.number
        )
    )
    found: dict[int, list[Run]] = {}
    for row in rows.mappings():
        found.setdefault(row["harvest"], []).append(to_run(row))
    return found


def runs_under_way(connection: Connection, number: int) -> list[int]:
    """The numbers of the runs that have not ended."""
    open_jobs = sa.exists().where(job.c.run == harvest_run.c.id, job.c.state.in_(OPEN))
    wanted = sa.select(harvest_run.c.number).where(
        harvest_run.c.harvest == number, sa.or_(harvest_run.c.state == "generating", open_jobs)
    )
    return sorted(found for found in connection.scalars(wanted) if found is not None)


def last_date(connection: Connection, number: int) -> datetime | None:
    """When the last run of a harvest fell due; skipped ones do not count."""
    ran = (harvest_run.c.harvest == number, harvest_run.c.number.is_not(None))
    found: datetime | None = connection.scalar(sa.select(sa.func.max(harvest_run.c.due_at)).where(*ran))
    return found


def job_states(connection: Connection, *, run: int) -> dict[str, int]:
    wanted = sa.select(job.c.state, sa.func.count()).where(job.c.run == run).group_by(job.c.state)
    return {row[0]: row[1] for row in connection.execute(wanted)}


def jobs_of(
    connection: Connection, run: int, limit: int, offset: int = 0, *, failed: bool = False
) -> list[RowMapping]:
    wanted = sa.select(
        job.c.id,
        job.c.state,
        job.c.configurations,
        job.c.estimate,
        job.c.objects,
        job.c.bytes,
        job.c.started_at,
        job.c.ended_at,
        job.c.error,
    ).where(job.c.run == run)
    if failed:
        wanted = wanted.where(job.c.state == "failed")
    return list(connection.execute(wanted.order_by(job.c.id).limit(limit).offset(offset)).mappings())


STEPS = 60  # of the curve of a run


def speed_of(connection: Connection, run: int) -> list[tuple[datetime, float]]:
    """Objects a second of all jobs of a run together, in as many steps of equal length."""
    of = sa.select(job_sample.c.job, job_sample.c.at, job_sample.c.objects_per_second)
    mine = of.join(job, job.c.id == job_sample.c.job).where(job.c.run == run).cte("mine")
    first, last = sa.func.min(mine.c.at), sa.func.max(mine.c.at)
    begin, end = connection.execute(sa.select(first, last)).one()
    if begin is None or begin == end:
        return []
    step = sa.func.date_bin((end - begin) / STEPS, mine.c.at, begin).label("step")
    each = (
        sa.select(step, mine.c.job, sa.func.avg(mine.c.objects_per_second).label("speed"))
        .group_by(step, mine.c.job)
        .subquery()
    )
    summed = sa.select(each.c.step, sa.func.sum(each.c.speed)).group_by(each.c.step).order_by(each.c.step)
    return [(row[0], float(row[1])) for row in connection.execute(summed)]
