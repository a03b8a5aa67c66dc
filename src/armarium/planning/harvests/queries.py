"""The SQL of harvest definitions: rows in, values out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.rows import Rows
from armarium.db.stretches import Beginning, stretch
from armarium.planning.harvests.model import Harvest, HarvestRow
from armarium.planning.harvests.run_queries import recent_runs
from armarium.planning.model import HarvestKind, Missed
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.service import schedules as schedule_rows
from armarium.planning.tables.domains import configuration, domain, seed_list
from armarium.planning.tables.harvests import collector, harvest, harvest_configuration, harvest_run, schedule
from armarium.planning.tables.jobs import OPEN, channel, job


class Order(StrEnum):
    """In which order harvests are listed."""

    NAME = "name"
    NEXT = "next"  # what runs soonest first; what has no date last
    LAST = "last"  # what ran last first


@dataclass(frozen=True)
class HarvestFilter:
    """Which harvests to list; an empty field asks nothing."""

    text: str = ""  # part of the name, the comments or the audience
    kind: HarvestKind | None = None
    active: bool | None = None
    channel: int | None = None
    order: Order = Order.NAME


def _standing() -> tuple[sa.ColumnElement[Any], ...]:
    """What schedule and jobs say about where a harvest stands."""
    left = sa.select(sa.func.count()).where(job.c.harvest == harvest.c.id, job.c.state.in_(OPEN))
    making = sa.select(harvest_run.c.id).where(
        harvest_run.c.harvest == harvest.c.id, harvest_run.c.state == "generating"
    )
    held = sa.select(schedule.c.id).where(schedule.c.id == harvest.c.schedule, sa.not_(schedule.c.active))
    return (
        left.correlate(harvest).scalar_subquery().label("jobs_left"),
        making.correlate(harvest).exists().label("making"),
        held.correlate(harvest).exists().label("paused"),
    )


class HarvestRows(Rows[Harvest]):
    """Each with where it stands. Only what people change counts as another edition: see `update_harvest`."""

    def selected(self) -> "sa.Select[Any]":
        return sa.select(harvest, *_standing())

    def value(self, row: Mapping[Any, Any]) -> Harvest:
        typed = {
            "kind": HarvestKind(row["kind"]),
            "missed": Missed(row["missed"] or Missed.SKIP),
            "traps": tuple(row["traps"]),
            "paused": row.get("paused", False),
            "under_way": bool(row.get("making") or row.get("jobs_left")),
            "jobs_left": row.get("jobs_left", 0),
        }
        return Harvest(**{column.name: row[column.name] for column in harvest.c} | typed)


all_harvests = HarvestRows(harvest, Harvest, order=(harvest.c.name,))


def update_harvest(connection: Connection, number: int, **values: object) -> None:
    connection.execute(harvest.update().where(harvest.c.id == number).values(**values))


def matching(wanted: HarvestFilter) -> list[Any]:
    conditions: list[Any] = []
    if wanted.text:
        places = (harvest.c.name, harvest.c.comments, harvest.c.audience)
        conditions.append(sa.or_(*(place.icontains(wanted.text, autoescape=True) for place in places)))
    if wanted.kind:
        conditions.append(harvest.c.kind == wanted.kind.value)
    if wanted.active is not None:
        conditions.append(harvest.c.active == wanted.active)
    if wanted.channel is not None:
        conditions.append(harvest.c.channel == wanted.channel)
    return conditions


_next = sa.case((sa.and_(harvest.c.active, schedule.c.active.is_not(False)), harvest.c.next_at))
_last = (
    sa.select(harvest_run.c.due_at)
    .where(harvest_run.c.harvest == harvest.c.id, harvest_run.c.number.is_not(None))
    .order_by(harvest_run.c.number.desc())
    .limit(1)
    .correlate(harvest)
    .scalar_subquery()
)
ORDERS: Mapping[Order, list[Any]] = {
    Order.NAME: [],
    Order.NEXT: [_next.nulls_last()],
    Order.LAST: [_last.desc().nulls_last()],
}


def harvests(
    connection: Connection, wanted: HarvestFilter, limit: int, offset: Beginning = 0
) -> tuple[list[HarvestRow], int]:
    """A stretch of the list. The last runs are looked up for those shown only."""
    conditions = matching(wanted)
    total = connection.scalar(sa.select(sa.func.count()).select_from(harvest).where(*conditions)) or 0
    chosen = (
        sa.select(
            harvest,
            *_standing(),
            schedule.c.name.label("schedule_name"),
            channel.c.name.label("channel_name"),
        )
        .outerjoin(schedule, schedule.c.id == harvest.c.schedule)
        .outerjoin(channel, channel.c.id == harvest.c.channel)
        .where(*conditions)
    )
    order = [*ORDERS[wanted.order], harvest.c.name]
    rows = stretch(connection, chosen, order, limit, offset).mappings().all()
    recent = recent_runs(connection, [row["id"] for row in rows])
    found = [
        HarvestRow(
            all_harvests.value(row),
            row["schedule_name"] or "",
            row["channel_name"] or "",
            tuple(recent.get(row["id"], ())),
        )
        for row in rows
    ]
    return found, total


def active_by_schedule(connection: Connection, number: int) -> list[Harvest]:
    """Active harvests that follow a schedule, their rows locked."""
    wanted = sa.select(harvest).where(harvest.c.schedule == number, harvest.c.active).order_by(harvest.c.id)
    return [all_harvests.value(row) for row in connection.execute(wanted.with_for_update()).mappings()]


# Schedules, channels, fields ------------------------------------------------------------------------


def schedule_by_id(connection: Connection, number: int | None) -> Schedule | None:
    return None if number is None else schedule_rows.by_id(connection, number)


def schedules(connection: Connection) -> dict[int, Schedule]:
    return {one.id: one for one in sorted(schedule_rows.all(connection), key=lambda one: one.name)}


def channels(connection: Connection) -> list[tuple[int, str, str]]:
    """Number, name, and the kinds of harvest for which it is the default."""
    rows = connection.execute(
        sa.select(channel.c.id, channel.c.name, channel.c.default_for)
        .where(channel.c.active)
        .order_by(channel.c.name)
    )
    return [(row.id, row.name, row.default_for) for row in rows]


def channel_name(connection: Connection, number: int) -> str | None:
    return connection.scalar(sa.select(channel.c.name).where(channel.c.id == number))


def has_collector(connection: Connection, channel_name: str) -> bool:
    """Whether a machine that may be given work serves the channel."""
    serving = (
        collector.c.active,
        collector.c.revoked_at.is_(None),
        collector.c.channels.contains([channel_name]),
    )
    return bool(connection.scalar(sa.select(sa.exists().where(*serving))))


# What a harvest needs before it can begin ------------------------------------------------------------


def has_seeds(connection: Connection, number: int) -> bool:
    """Whether any active configuration of an active domain in the harvest has a seed."""
    wanted = (
        sa.select(sa.literal(1))
        .select_from(harvest_configuration)
        .join(configuration, configuration.c.id == harvest_configuration.c.configuration)
        .join(domain, domain.c.id == configuration.c.domain)
        .join(seed_list, seed_list.c.id == sa.any_(configuration.c.seed_lists))
        .where(
            harvest_configuration.c.harvest == number,
            configuration.c.active,
            domain.c.active,
            seed_list.c.seeds.regexp_match(r"(^|\n)\s*[^#\s]"),
        )
        .limit(1)
    )
    return connection.scalar(wanted) is not None


def has_domains(connection: Connection) -> bool:
    wanted = sa.select(domain.c.id).where(domain.c.active, domain.c.default_configuration.is_not(None))
    return connection.scalar(wanted.limit(1)) is not None


def jobs_made_and_open(connection: Connection, harvest_id: int) -> tuple[int, int]:
    """How many jobs a harvest has had, and how many of them wait or run; a run being made counts as open."""
    row = connection.execute(
        sa.select(sa.func.count(), sa.func.count().filter(job.c.state.in_(OPEN))).where(
            job.c.harvest == harvest_id
        )
    ).one()
    making = connection.scalar(
        sa.select(sa.func.count())
        .select_from(harvest_run)
        .where(harvest_run.c.harvest == harvest_id, harvest_run.c.state == "generating")
    )
    return int(row[0]), int(row[1]) + int(making or 0)


def broad_harvests(connection: Connection, but: int | None) -> list[tuple[int, str]]:
    """Those that a broad harvest may continue, newest first."""
    wanted = sa.select(harvest.c.id, harvest.c.name).where(harvest.c.kind == "broad", harvest.c.runs > 0)
    if but is not None:
        wanted = wanted.where(harvest.c.id != but)
    return [(row.id, row.name) for row in connection.execute(wanted.order_by(harvest.c.id.desc()).limit(200))]


def has_begun_run(connection: Connection, number: int) -> bool:
    """Whether a run of it makes or has made jobs; one that failed does not count."""
    good = (harvest_run.c.harvest == number, harvest_run.c.state.in_(("generating", "generated")))
    return bool(connection.scalar(sa.select(sa.exists().where(*good))))


# Due runs --------------------------------------------------------------------------------------------


def take_due(connection: Connection, now: datetime, above: int) -> Harvest | None:
    """A harvest that is due, its row locked; one that another process holds is passed over.

    A schedule that is paused holds its harvests back.
    """
    paused = sa.exists().where(schedule.c.id == harvest.c.schedule, sa.not_(schedule.c.active))
    wanted = (
        sa.select(harvest)
        .where(harvest.c.active, harvest.c.next_at <= now, harvest.c.id > above, sa.not_(paused))
        .order_by(harvest.c.id)
        .limit(1)
        .with_for_update(skip_locked=True, of=harvest)
    )
    row = connection.execute(wanted).mappings().one_or_none()
    return all_harvests.value(row) if row else None
