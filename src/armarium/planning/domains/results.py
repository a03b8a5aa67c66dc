"""What the harvests of a domain brought, and which come next."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.message import message
from armarium.planning.labels import reason_title
from armarium.planning.model import StopReason
from armarium.planning.tables.domains import configuration
from armarium.planning.tables.harvests import harvest, harvest_configuration, harvest_run, schedule
from armarium.planning.tables.jobs import job, job_configuration
from armarium.web.plots.model import Drawable, Part, Plot, Series, Shares, Unit

MOST = 10  # harvests named


@dataclass(frozen=True)
class Result:
    """What one job brought of the domain."""

    job: int
    state: str
    at: datetime  # when it ended
    harvest: int
    harvest_name: str
    run: int
    estimate: int
    objects: int
    bytes: int
    stop_reason: str | None


@dataclass(frozen=True)
class Total:
    """What all jobs brought of it."""

    results: int
    objects: int
    bytes: int


def results_of(connection: Connection, number: int, limit: int) -> tuple[list[Result], Total]:
    """The newest first, and the sum of all of them."""
    of = job_configuration.c
    mine = (of.domain == number, of.objects.is_not(None))
    some = sa.select(job_configuration).where(*mine).order_by(of.job.desc(), of.configuration).limit(limit)
    last = some.subquery()
    asked = (
        sa.select(
            last.c.job,
            job.c.state,
            sa.func.coalesce(job.c.ended_at, job.c.created_at).label("at"),
            harvest.c.id.label("harvest"),
            harvest.c.name.label("harvest_name"),
            harvest_run.c.number.label("run"),
            *(last.c[name] for name in ("estimate", "objects", "bytes", "stop_reason")),
        )
        .select_from(last)
        .join(job, job.c.id == last.c.job)
        .join(harvest, harvest.c.id == job.c.harvest)
        .join(harvest_run, harvest_run.c.id == job.c.run)
        .order_by(last.c.job.desc(), last.c.configuration)
    )
    found = [Result(**row) for row in connection.execute(asked).mappings()]
    sums = (sa.func.coalesce(sa.func.sum(one), 0) for one in (of.objects, of.bytes))
    total = connection.execute(sa.select(sa.func.count(), *sums).where(*mine)).one()
    return found, Total(*(int(one) for one in total))


@dataclass(frozen=True)
class Next:
    """A harvest that takes the domain."""

    id: int
    name: str
    configuration: str
    next_at: datetime | None  # None: it is not active, or its schedule is paused


def next_harvests_of(connection: Connection, number: int) -> list[Next]:
    held = sa.and_(schedule.c.id == harvest.c.schedule, sa.not_(schedule.c.active))
    runs = sa.case((sa.and_(harvest.c.active, schedule.c.id.is_(None)), harvest.c.next_at))
    asked = (
        sa.select(
            harvest.c.id,
            harvest.c.name,
            configuration.c.name.label("configuration"),
            runs.label("next_at"),
        )
        .select_from(harvest_configuration)
        .join(configuration, configuration.c.id == harvest_configuration.c.configuration)
        .join(harvest, harvest.c.id == harvest_configuration.c.harvest)
        .outerjoin(schedule, held)
        .where(configuration.c.domain == number)
        .order_by(sa.nulls_last(runs), harvest.c.name)
        .limit(MOST)
    )
    return [Next(**row) for row in connection.execute(asked).mappings()]


def last_seeds_of(connection: Connection, number: int) -> list[Mapping[str, Any]]:
    """What the last harvest found wrong with the seeds."""
    of = job_configuration.c
    asked = sa.select(of.seeds).where(of.domain == number, of.objects.is_not(None))
    found: list[Mapping[str, Any]] | None = connection.scalar(asked.order_by(of.job.desc()).limit(1))
    return found or []


def plots_of(rows: Sequence[Result], *, whole: bool) -> list[Drawable]:
    """Curves over its harvests, the oldest first; `whole`: there are no earlier ones."""
    labels = [row.at.date() for row in rows]
    hrefs = [f"/harvesting/jobs/{row.job}" for row in rows]
    # Of the first harvest nobody knew anything: its estimate speaks of limits, not of the site.
    expected = [None if whole and not place else row.estimate for place, row in enumerate(rows)]
    reasons = Counter(row.stop_reason or "" for row in rows)
    tones = {StopReason.COMPLETE.value: "good", "": "soft"}
    return [
        Plot(
            "objects",
            message("Objects per harvest"),
            labels,
            [
                Series(message("Brought"), [row.objects for row in rows]),
                Series(message("Expected"), expected, tone="second", line=True),
            ],
            hrefs=hrefs,
        ),
        Plot(
            "bytes",
            message("Size per harvest"),
            labels,
            [Series(message("Size"), [row.bytes for row in rows])],
            unit=Unit.BYTES,
            hrefs=hrefs,
        ),
        Shares(
            "reasons",
            message("How its harvests ended"),
            [
                Part(reason_title(name), count, tone=tones.get(name, "warning"))
                for name, count in reasons.most_common()
            ],
        ),
    ]
