"""The task token of a job: its frozen order, completed with secrets, sealed for one collector."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
from armarium.planning.collectors.model import Collector
from armarium.planning.collectors.service import server_key
from armarium.planning.domains.credentials import credentials_of
from armarium.planning.jobs import lease_queries as queries
from armarium.planning.jobs.share_queries import NO_SHARE, Share
from armarium.planning.orders import assembled


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
            message("Job %(job)s has no order. Resubmit it with the current settings.", job=job)
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
            "The order of job %(job)s cannot be used (%(reason)s). Resubmit it with the current settings.",
            job=job,
            reason=reason,
        )
    )
