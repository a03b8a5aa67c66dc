"""What the page of one job shows, in SQL."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.stretches import Beginning, stretch
from armarium.planning.jobs.explanations import Waiting
from armarium.planning.jobs.model import (
    Attempt,
    ByCatch,
    CommandRow,
    ConfigurationRow,
    File,
    JobRow,
    ProfileUsed,
    Sample,
)
from armarium.planning.model import LEASED, AttemptEnd, JobState
from armarium.planning.tables.domains import configuration, domain, profile, profile_version
from armarium.planning.tables.harvests import INDEX, arrival, collector, harvest_run
from armarium.planning.tables.jobs import (
    channel,
    job,
    job_attempt,
    job_by_catch,
    job_command,
    job_configuration,
    job_order,
    job_sample,
)

WATCH_SECONDS = 10  # how fresh the note that somebody looks has to be
FAILURES = (AttemptEnd.FAILED, AttemptEnd.EXPIRED)
MOST_SAMPLES = 36  # of a plot: each is a row of its table
MOST_SPEEDS = 30  # of a small line


def profile_used(connection: Connection, version: int) -> ProfileUsed:
    newest = profile_version.alias("newest")
    asked = (
        sa.select(
            profile.c.id.label("profile"),
            profile.c.name,
            profile_version.c.version,
            profile_version.c.document,
            newest.c.version.label("newest"),
            newest.c.document.label("newest_document"),
        )
        .select_from(profile_version)
        .join(profile, profile.c.id == profile_version.c.profile)
        .join(newest, sa.and_(newest.c.profile == profile.c.id, newest.c.version == profile.c.version))
        .where(profile_version.c.id == version)
    )
    return ProfileUsed(**connection.execute(asked).mappings().one())


def attempts(connection: Connection, number: int) -> list[Attempt]:
    asked = (
        sa.select(
            *(one for one in job_attempt.c if one.name in Attempt.__dataclass_fields__),
            collector.c.name.label("collector_name"),
        )
        .join(collector, collector.c.id == job_attempt.c.collector)
        .where(job_attempt.c.job == number)
        .order_by(job_attempt.c.attempt.desc())
    )
    return [Attempt(**found) for found in connection.execute(asked).mappings()]


def only_domain(connection: Connection, number: int) -> str:
    """The name of the domain of a job that has but one."""
    some = sa.select(job_configuration.c.domain).where(job_configuration.c.job == number).distinct().limit(2)
    found = connection.scalars(
        sa.select(domain.c.name).where(domain.c.id.in_(some.subquery().select()))
    ).all()
    return found[0] if len(found) == 1 else ""


def resubmissions(connection: Connection, number: int) -> list[int]:
    """Jobs that were made of this one."""
    asked = sa.select(job.c.id).where(job.c.resubmission_of == number).order_by(job.c.id)
    return list(connection.scalars(asked))


def configurations(
    connection: Connection, number: int, reason: str, limit: int, offset: Beginning
) -> list[ConfigurationRow]:
    """Those of a job, by the number of the configuration; `reason` narrows them, "none" to those without."""
    of = job_configuration.c
    mine = sa.select(of.configuration).where(*_of_job(number, reason))
    picked = stretch(connection, mine, [of.configuration], limit, offset).scalars().all()
    some = sa.select(job_configuration).where(of.job == number, of.configuration.in_(picked)).subquery()
    asked = (
        sa.select(
            *(one for one in some.c if one.name != "job"),
            sa.func.coalesce(configuration.c.name, "").label("name"),
            sa.func.coalesce(domain.c.name, "").label("domain_name"),
        )
        .select_from(some)
        .outerjoin(configuration, configuration.c.id == some.c.configuration)
        .outerjoin(domain, domain.c.id == some.c.domain)
        .order_by(some.c.configuration)
    )
    return [ConfigurationRow(**found) for found in connection.execute(asked).mappings()]


def _of_job(number: int, reason: str) -> list[sa.ColumnElement[bool]]:
    of_job = [job_configuration.c.job == number]
    if reason == "none":
        return [*of_job, job_configuration.c.stop_reason.is_(None)]
    return [*of_job, job_configuration.c.stop_reason == reason] if reason else of_job


def reasons(connection: Connection, job_id: int) -> dict[str, int]:
    """How many configurations of a job stopped for which reason; "": no result."""
    reason = sa.func.coalesce(job_configuration.c.stop_reason, "")
    asked = sa.select(reason, sa.func.count()).where(job_configuration.c.job == job_id).group_by(reason)
    return {str(name): int(number) for name, number in connection.execute(asked)}


def by_catch(connection: Connection, number: int, limit: int, offset: int) -> list[ByCatch]:
    asked = (
        sa.select(job_by_catch.c.domain, job_by_catch.c.objects, job_by_catch.c.bytes)
        .where(job_by_catch.c.job == number)
        .order_by(job_by_catch.c.objects.desc(), job_by_catch.c.domain)
        .limit(limit)
        .offset(offset)
    )
    return [ByCatch(*found) for found in connection.execute(asked)]


def by_catch_total(connection: Connection, number: int) -> tuple[int, int, int]:
    """Domains, objects, bytes."""
    of = job_by_catch.c
    asked = sa.select(sa.func.count(), sa.func.sum(of.objects), sa.func.sum(of.bytes)).where(of.job == number)
    domains, objects, volume = connection.execute(asked).one()
    return domains, int(objects or 0), int(volume or 0)


def _shown(number: int) -> tuple["sa.ColumnElement[bool]", ...]:
    """Files of a job. The indexes that came with them are the archive's own business."""
    return arrival.c.job == number, arrival.c.kind != INDEX


def files(connection: Connection, number: int, limit: int, offset: Beginning) -> list[File]:
    names = [one for one in arrival.c if one.name in File.__dataclass_fields__]
    asked = sa.select(*names).where(*_shown(number))
    return [File(**found) for found in stretch(connection, asked, [arrival.c.id], limit, offset).mappings()]


def files_total(connection: Connection, number: int) -> tuple[int, int]:
    """Files and their bytes."""
    asked = sa.select(sa.func.count(), sa.func.sum(arrival.c.size)).where(*_shown(number))
    count, size = connection.execute(asked).one()
    return count, int(size or 0)


def samples(connection: Connection, number: int) -> list[Sample]:
    """The progress of a job. Many samples are drawn together to what a plot can show, by time: they lie ever
    farther apart."""
    return [Sample(**found) for found in connection.execute(_samples(), {"number": number}).mappings()]


@cache  # to put it together costs as much as to ask it
def _samples() -> sa.Select[Any]:
    of = sa.select(job_sample).where(job_sample.c.job == sa.bindparam("number")).subquery().c
    first, last = sa.func.min(of.at).over(), sa.func.max(of.at).over()
    part = sa.extract("epoch", of.at - first) / sa.func.greatest(sa.extract("epoch", last - first), 1)
    whole = sa.func.least(sa.func.count().over(), MOST_SAMPLES)
    placed = sa.select(*of.values(), sa.func.floor(part * (whole - 0.001)).label("place")).subquery().c
    rates = [sa.func.avg(placed[name]).label(name) for name in ("objects_per_second", "bytes_per_second")]
    last_of = ("at", "objects", "bytes", "queued", "queues")
    figures = [sa.func.max(placed[name]).label(name) for name in last_of]
    return sa.select(*figures, *rates).group_by(placed.place).order_by(placed.place)


def speeds(connection: Connection, numbers: Sequence[int]) -> dict[int, list[float]]:
    """Objects per second of these jobs, lately, the oldest first."""
    mine = sa.select(job_sample.c.at, job_sample.c.objects_per_second).where(job_sample.c.job == job.c.id)
    last = mine.order_by(job_sample.c.at.desc()).limit(MOST_SPEEDS).lateral("last")
    asked = sa.select(job.c.id, last.c.objects_per_second).join(last, sa.true()).order_by(last.c.at)
    asked = asked.where(job.c.id == sa.any_(sa.literal(list(numbers), sa.ARRAY(sa.BigInteger))))
    found: dict[int, list[float]] = {number: [] for number in numbers}
    for number, speed in connection.execute(asked):
        found[number].append(speed)
    return found


def largest(connection: Connection, number: int, most: int) -> list[ConfigurationRow]:
    """The configurations of which most was expected, or came."""
    of = job_configuration.c
    size = sa.func.greatest(of.estimate, of.objects)
    asked = (
        sa.select(
            *(one for one in job_configuration.c if one.name != "job"),
            sa.func.coalesce(configuration.c.name, "").label("name"),
            sa.func.coalesce(domain.c.name, "").label("domain_name"),
        )
        .outerjoin(configuration, configuration.c.id == of.configuration)
        .outerjoin(domain, domain.c.id == of.domain)
        .where(of.job == number)
        .order_by(size.desc(), of.configuration)
        .limit(most)
    )
    return [ConfigurationRow(**found) for found in connection.execute(asked).mappings()]


def commands(connection: Connection, number: int, limit: int = 50) -> list[CommandRow]:
    asked = _commands().where(job_command.c.job == number).order_by(job_command.c.id.desc()).limit(limit)
    return [_command(found) for found in connection.execute(asked).mappings()]


def command(connection: Connection, number: int) -> CommandRow | None:
    found = connection.execute(_commands().where(job_command.c.id == number)).mappings().first()
    return _command(found) if found else None


def _commands() -> "sa.Select[Any]":
    names = [one for one in job_command.c if one.name not in ("job", "attempt")]
    return sa.select(*names, job.c.state.label("job_state")).join(job, job.c.id == job_command.c.job)


def _command(found: Mapping[Any, Any]) -> CommandRow:
    return CommandRow(**{**found, "job_state": JobState(found["job_state"])})


def add_command(connection: Connection, values: Mapping[str, Any]) -> int:
    number: int = connection.execute(
        job_command.insert().values(**values).returning(job_command.c.id)
    ).scalar_one()
    return number


def order_parts(connection: Connection, number: int) -> Iterator[bytes]:
    asked = sa.select(job_order.c.document).where(job_order.c.job == number).order_by(job_order.c.part)
    yield from connection.scalars(asked)


def watch(connection: Connection, number: int, now: datetime) -> None:
    """Note that somebody looks; not at every glance."""
    stale = sa.or_(job.c.watched_at.is_(None), job.c.watched_at < now - timedelta(seconds=WATCH_SECONDS))
    leased = job.c.state.in_(sorted(LEASED))
    connection.execute(sa.update(job).where(job.c.id == number, leased, stale).values(watched_at=now))


def waiting(connection: Connection, row: JobRow, heard_since: datetime) -> Waiting:
    """What stands between a job and a collector."""
    serving = sa.and_(
        collector.c.active,
        collector.c.revoked_at.is_(None),
        sa.literal(row.channel) == sa.any_(collector.c.channels),
    )
    asked = sa.select(collector.c.id, collector.c.slots, collector.c.seen_at, collector.c.facts).where(
        serving
    )
    all_of_them = connection.execute(asked).mappings().all()
    heard = [one for one in all_of_them if one["seen_at"] and one["seen_at"] >= heard_since]
    busy = sa.select(sa.func.count()).where(
        job.c.collector.in_([one["id"] for one in heard]), job.c.state.in_(sorted(LEASED))
    )
    before = sa.or_(job.c.priority > row.priority, sa.and_(job.c.priority == row.priority, job.c.id < row.id))
    in_channel = sa.select(channel.c.id).where(channel.c.name == row.channel).scalar_subquery()
    ahead = sa.select(sa.func.count()).where(
        job.c.state == JobState.NEW.value, job.c.channel == in_channel, before
    )
    failed = [one.error for one in attempts(connection, row.id) if one.end in FAILURES]  # the last first
    troubles = [str(one["facts"].get("trouble") or "") for one in heard]
    return Waiting(
        serving=len(all_of_them),
        heard=len(heard),
        slots=sum(one["slots"] for one in heard),
        busy=connection.scalar(busy) or 0,
        ahead=connection.scalar(ahead) or 0,
        trouble=troubles[0] if troubles and all(troubles) else "",
        failed=len(failed),
        error=failed[0] if failed else "",
    )


def copy_of(connection: Connection, number: int, now: datetime) -> int:
    """A new job for the same: its order and its configurations as they were, without any result."""
    kept = ("harvest", "run", "channel", "priority", "profile_version", "configurations", "estimate")
    more = ("smallest", "largest", "split", "max_seconds")
    names = [job.c[name] for name in (*kept, *more)]
    values = sa.select(*names, sa.literal(JobState.NEW.value), sa.literal(now), job.c.id).where(
        job.c.id == number
    )
    into = [one.name for one in names] + ["state", "created_at", "resubmission_of"]
    made: int = connection.execute(job.insert().from_select(into, values).returning(job.c.id)).scalar_one()
    frozen = ("configuration", "domain", "estimate", "max_objects", "max_bytes", "limited_by")
    of = [job_configuration.c[name] for name in frozen]
    rows = sa.select(sa.literal(made), *of).where(job_configuration.c.job == number)
    connection.execute(job_configuration.insert().from_select(["job", *frozen], rows))
    parts = sa.select(sa.literal(made), job_order.c.part, job_order.c.document).where(
        job_order.c.job == number
    )
    connection.execute(job_order.insert().from_select(["job", "part", "document"], parts))
    return made


def order_part(connection: Connection, number: int, part: int) -> bytes | None:
    asked = sa.select(job_order.c.document).where(job_order.c.job == number, job_order.c.part == part)
    return connection.scalar(asked)


def put_order_part(connection: Connection, number: int, part: int, document: bytes) -> None:
    at = (job_order.c.job == number, job_order.c.part == part)
    connection.execute(sa.update(job_order).where(*at).values(document=document))


def run_state(connection: Connection, number: int) -> str:
    return connection.scalar(sa.select(harvest_run.c.state).where(harvest_run.c.id == number)) or ""
