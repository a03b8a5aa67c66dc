"""SQL of what planning says on the overview. It reads little, however many domains and jobs there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.stretches import MOST, by_period, count_up_to
from armarium.planning.collectors.health import MOST_FAILURES
from armarium.planning.collectors.model import SILENCE
from armarium.planning.harvests.labels import NO_TROUBLE
from armarium.planning.harvests.model import RunState
from armarium.planning.model import LEASED, ArrivalState, HarvestKind, JobState
from armarium.planning.tables.domains import domain_import
from armarium.planning.tables.harvests import arrival, collector, harvest, harvest_run, schedule
from armarium.planning.tables.jobs import job

LISTED = 5  # of each kind of thing
REFUSED = sa.text("arrival.refusal <> ''")  # as its index has it

# What waits


def failed_jobs(connection: Connection) -> int:
    """Those about which nobody has decided."""
    return count_up_to(connection, sa.select(job.c.id).where(job.c.state == JobState.FAILED.value))


def stopped_collectors(connection: Connection) -> list[int]:
    """That failed too many jobs in a row, so that Armarium gives them no more."""
    asked = sa.select(collector.c.id).where(
        collector.c.revoked_at.is_(None),
        ~collector.c.active,
        sa.func.cardinality(collector.c.failed_jobs) >= MOST_FAILURES,
    )
    return list(connection.scalars(asked.order_by(collector.c.id).limit(MOST)))


def troubled_harvests(connection: Connection) -> list[int]:
    """That Armarium itself deactivated, because something is wrong."""
    fine = ["", *NO_TROUBLE]
    asked = sa.select(harvest.c.id).where(~harvest.c.active, harvest.c.trouble.not_in(fine))
    return list(connection.scalars(asked.order_by(harvest.c.id).limit(MOST)))


def undated_harvests(connection: Connection) -> list[int]:
    """Active and selective, and neither with a date nor at work nor paused by their schedule."""
    at_work = sa.exists().where(
        job.c.harvest == harvest.c.id,
        job.c.state.in_([JobState.PLANNED.value, JobState.NEW.value, *sorted(LEASED)]),
    )
    making = sa.exists().where(
        harvest_run.c.harvest == harvest.c.id, harvest_run.c.state == RunState.GENERATING.value
    )
    paused = sa.exists().where(schedule.c.id == harvest.c.schedule, ~schedule.c.active)
    asked = sa.select(harvest.c.id).where(
        harvest.c.active,
        harvest.c.next_at.is_(None),
        harvest.c.kind == HarvestKind.SELECTIVE.value,
        ~at_work,
        ~making,
        ~paused,
    )
    return list(connection.scalars(asked.order_by(harvest.c.id).limit(MOST)))


def drafts(connection: Connection) -> list[int]:
    """Harvests that were never active: nothing of them is harvested."""
    asked = sa.select(harvest.c.id).where(~harvest.c.active, harvest.c.runs == 0, harvest.c.trouble == "")
    return list(connection.scalars(asked.order_by(harvest.c.id).limit(MOST)))


# What runs


def generating(connection: Connection) -> list["sa.Row[Any]"]:
    asked = (
        sa.select(harvest_run.c.harvest, harvest.c.name, harvest_run.c.number, harvest_run.c.jobs)
        .join(harvest, harvest.c.id == harvest_run.c.harvest)
        .where(harvest_run.c.state == sa.literal_column(f"'{RunState.GENERATING.value}'"))
    )
    return list(connection.execute(asked.order_by(harvest_run.c.id).limit(LISTED)))


def running_jobs(connection: Connection) -> tuple[list["sa.Row[Any]"], int]:
    """Some of those that collectors have, the oldest first, and how many there are."""
    leased = sa.text("job.state IN ('submitted', 'started', 'uploading')")  # as its index has it
    total = count_up_to(connection, sa.select(job.c.id).where(leased))
    columns = (job.c.id, job.c.state, job.c.objects, job.c.bytes, job.c.report, harvest.c.name)
    asked = sa.select(*columns).join(harvest, harvest.c.id == job.c.harvest).where(leased)
    return list(connection.execute(asked.order_by(job.c.id).limit(LISTED))), total


@dataclass(frozen=True)
class Arriving:
    files: int
    received: int
    size: int


def arriving(connection: Connection) -> Arriving:
    """Files that collectors are sending at this moment."""
    on_the_way = arrival.c.state == sa.literal_column(f"'{ArrivalState.RECEIVING.value}'")
    some = sa.select(arrival.c.received, arrival.c.size).where(on_the_way).limit(MOST).subquery()
    sums = [sa.func.coalesce(sa.func.sum(some.c[name]), 0) for name in ("received", "size")]
    row = connection.execute(sa.select(sa.func.count(), *sums).select_from(some)).one()
    return Arriving(row[0], int(row[1]), int(row[2]))


def domain_imports(connection: Connection) -> list["sa.Row[Any]"]:
    """The latest imports of domains."""
    columns = [domain_import.c[name] for name in ("id", "name", "state", "begun_at", "lines", "error")]
    return list(connection.execute(sa.select(*columns).order_by(domain_import.c.id.desc()).limit(LISTED)))


# What went wrong


def jobs_that_failed(connection: Connection, since: datetime) -> list["sa.Row[Any]"]:
    asked = (
        sa.select(job.c.id, job.c.ended_at, job.c.error, harvest.c.name)
        .join(harvest, harvest.c.id == job.c.harvest)
        .where(job.c.state == JobState.FAILED.value, job.c.ended_at >= since)
    )
    return list(connection.execute(asked.order_by(job.c.ended_at.desc()).limit(LISTED)))


def runs_that_failed(connection: Connection, since: datetime) -> list["sa.Row[Any]"]:
    """Those after which no run of the harvest went well."""
    later = harvest_run.alias("later")
    mended = sa.exists().where(
        later.c.harvest == harvest_run.c.harvest,
        later.c.number > harvest_run.c.number,
        later.c.state == RunState.GENERATED.value,
    )
    asked = (
        sa.select(harvest_run.c.harvest, harvest_run.c.due_at, harvest_run.c.error, harvest.c.name)
        .join(harvest, harvest.c.id == harvest_run.c.harvest)
        .where(harvest_run.c.due_at >= since, harvest_run.c.state == RunState.FAILED.value, ~mended)
    )
    return list(connection.execute(asked.order_by(harvest_run.c.due_at.desc()).limit(LISTED)))


def silent_collectors(connection: Connection, now: datetime) -> list["sa.Row[Any]"]:
    heard = sa.func.coalesce(collector.c.seen_at, collector.c.enrolled_at).label("heard")
    asked = sa.select(collector.c.id, collector.c.name, heard).where(
        collector.c.revoked_at.is_(None), collector.c.active, heard < now - SILENCE
    )
    return list(connection.execute(asked.order_by(heard.desc()).limit(LISTED)))


def refused_files(connection: Connection, since: datetime) -> list["sa.Row[Any]"]:
    asked = sa.select(arrival.c.job, arrival.c.name, arrival.c.begun_at).where(REFUSED)
    recent = asked.where(arrival.c.begun_at >= since)
    return list(connection.execute(recent.order_by(arrival.c.id.desc()).limit(LISTED)))


# Figures, and what a new archive has


@dataclass(frozen=True)
class Year:
    """What jobs that ended in a week or month brought, and how they ended."""

    objects: dict[date, int]
    bytes: dict[date, int]
    done: dict[date, int]
    failed: dict[date, int]


FAILURES = (JobState.FAILED.value, JobState.RESUBMITTED.value, JobState.REJECTED.value)


def year(
    connection: Connection,
    since: datetime,
    zone: str,
    period: str = "week",
    harvests: Sequence[int] | None = None,
) -> Year:
    """`harvests`: only jobs of these."""
    theirs = [] if harvests is None else [job.c.harvest.in_(harvests)]
    sums = [
        sa.func.sum(job.c.brought_objects),
        sa.func.sum(job.c.brought_bytes),
        sa.func.count().filter(job.c.state == JobState.DONE.value),
        sa.func.count().filter(job.c.state.in_(FAILURES)),
    ]
    return Year(*by_period(connection, job.c.ended_at, zone, since, sums, *theirs, period=period))


def has(connection: Connection) -> tuple[bool, bool, bool]:
    """Whether there is a collector, a harvest, and a job that was done."""
    row = connection.execute(
        sa.select(
            sa.exists().where(collector.c.revoked_at.is_(None)),
            sa.exists(sa.select(harvest.c.id)),
            sa.exists().where(job.c.state == JobState.DONE.value),
        )
    ).one()
    return bool(row[0]), bool(row[1]), bool(row[2])
