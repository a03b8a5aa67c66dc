"""The task token of a job: its frozen order, completed with secrets and provenance, and sealed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy import Connection
from zstandard import ZstdError

from armarium.accounts.vault import Vault
from armarium.core import clock
from armarium.core.collecting import TaskOrder
from armarium.core.crawl_order import Budget, CrawlOrder, merged
from armarium.core.errors import ArmariumError
from armarium.core.message import message
from armarium.formats.token import make_task_token
from armarium.planning.budgets import NO_SHARE, Share
from armarium.planning.collectors.model import Collector
from armarium.planning.collectors.service import server_key
from armarium.planning.domains.credentials import credentials_of
from armarium.planning.leasing import queries
from armarium.planning.orders import assembled
from armarium.planning.tables.domains import domain, profile, profile_version
from armarium.planning.tables.harvests import harvest, harvest_run, schedule
from armarium.planning.tables.jobs import channel, job, job_configuration


class UnusableOrder(ArmariumError):  # noqa: N818  (reads as what happened)
    """The frozen order of a job is none: no collector could do anything with it."""


@dataclass(frozen=True)
class Lease:
    """What a token says beside the order."""

    job: int
    attempt: int
    resume: bool
    until: datetime
    seconds: float
    beat_seconds: float
    share: Share = NO_SHARE  # of the total budget of its run


def order_of_job(
    connection: Connection, vault: Vault, job: int, harvest: Mapping[str, Any] | None = None
) -> CrawlOrder:
    """The order with the secrets that it needs: they are in no table as they are; and with its `harvest`.

    Raises `Misconfigured` if one was locked with another key than the server has.
    """
    parts = queries.order_parts(connection, job)
    if not parts:
        raise UnusableOrder(
            message("Job %(job)s has no crawl settings. Resubmit it with the current settings.", job=job)
        )
    try:
        secrets = credentials_of(connection, vault, queries.domains_of(connection, job))
        facts = merged(assembled(parts), {"fetching": {"credentials": secrets}, "harvest": harvest or {}})
        return CrawlOrder.model_validate(facts)
    except ValidationError as problem:
        # Only places: there are passwords among the values.
        places = ", ".join(".".join(map(str, error["loc"])) for error in problem.errors()[:5])
        raise _unusable(job, places) from None
    except (ZstdError, ValueError, KeyError, TypeError) as problem:
        raise _unusable(job, str(problem)) from None


def sealed(
    connection: Connection, vault: Vault, collector: Collector, lease: Lease, harvest: Mapping[str, Any]
) -> str:
    task = TaskOrder(
        job=lease.job,
        attempt=lease.attempt,
        resume=lease.resume,
        lease_until=lease.until,
        lease_seconds=lease.seconds,
        beat_seconds=lease.beat_seconds,
        order=_sharing(
            _of_attempt(order_of_job(connection, vault, lease.job, harvest), lease.attempt), lease.share
        ),
    )
    return make_task_token(
        task,
        server=server_key(vault),
        collector=collector.name,
        sealing_key=collector.sealing_key,
        now=clock.now(),
        expires_at=lease.until,
    )


def _of_attempt(order: CrawlOrder, attempt: int) -> CrawlOrder:
    """Files of a later attempt have names of their own: those of earlier ones may have been stored."""
    if attempt == 1:
        return order
    values = dict(order.recording.values)
    values["prefix"] = f"{values['prefix']}.{attempt}"
    recording = order.recording.model_copy(update={"values": values})
    return order.model_copy(update={"name": f"{order.name}.{attempt}", "recording": recording})


def _sharing(order: CrawlOrder, share: Share) -> CrawlOrder:
    budget = Budget(max_objects=share.objects, max_bytes=share.bytes)
    return order.model_copy(update={"limits": order.limits.model_copy(update={"share": budget})})


def _unusable(job: int, reason: str) -> UnusableOrder:
    return UnusableOrder(
        message(
            "The settings of job %(job)s are invalid (%(reason)s). Resubmit it with the current settings.",
            job=job,
            reason=reason,
        )
    )


# Provenance: which harvest it is of, for those who have nothing else --------------------------------


#: The collections of the archive to which what a harvest brings belongs.
CollectionsOf = Callable[[Connection, int], Sequence[str]]


def in_none(_connection: Connection, _harvest: int) -> Sequence[str]:
    return ()


def provenance(
    connection: Connection, number: int, alias_days: int, collections: CollectionsOf
) -> dict[str, Any]:
    """The facts of `crawl_order.Harvest`."""
    of_job = sa.select(
        harvest.c.id.label("definition"),
        harvest.c.name,
        harvest.c.kind,
        harvest.c.comments,
        harvest.c.audience,
        harvest_run.c.number.label("run"),
        job.c.id.label("job"),
        job.c.created_at,
        channel.c.name.label("channel"),
        sa.func.coalesce(schedule.c.name, "").label("schedule"),
        profile.c.name.label("profile"),
        profile_version.c.version.label("profile_version"),
    )
    joined = (
        job.join(harvest, harvest.c.id == job.c.harvest)
        .join(harvest_run, harvest_run.c.id == job.c.run)
        .join(channel, channel.c.id == job.c.channel)
        .join(profile_version, profile_version.c.id == job.c.profile_version)
        .join(profile, profile.c.id == profile_version.c.profile)
        .outerjoin(schedule, schedule.c.id == harvest.c.schedule)
    )
    found = connection.execute(of_job.select_from(joined).where(job.c.id == number)).mappings().one()
    facts = {name: value for name, value in found.items() if name != "created_at"}
    return {
        **facts,
        "planned": found["created_at"].isoformat(),
        "collections": list(collections(connection, found["definition"])),
        "aliases": _aliases(connection, number, alias_days),
        "duplicate_jobs": _earlier(connection, number),
    }


def _aliases(connection: Connection, number: int, days: int) -> dict[str, str]:
    """Domains that the job's own stand for, as long as that holds."""
    own = domain.alias()
    since = sa.func.coalesce(domain.c.alias_since, domain.c.created_at)
    asked = (
        sa.select(domain.c.name, own.c.name)
        .join(own, own.c.id == domain.c.alias_of)
        .where(own.c.id.in_(_domains(number)), since > clock.now() - timedelta(days=days))
    )
    return {row[0]: row[1] for row in connection.execute(asked.order_by(domain.c.name))}


def _earlier(connection: Connection, number: int) -> list[int]:
    """Jobs that brought files of the same domains: what they have is not stored again."""
    others = job_configuration.c
    asked = (
        sa.select(others.job)
        .distinct()
        .join(job, job.c.id == others.job)
        .where(others.domain.in_(_domains(number)), others.job != number, job.c.files > 0)
    )
    return list(connection.scalars(asked.order_by(others.job)))


def _domains(number: int) -> "sa.Select[tuple[int]]":
    return sa.select(job_configuration.c.domain).where(job_configuration.c.job == number)
