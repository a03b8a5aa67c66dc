"""SQL of channels."""

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.entities import Described
from armarium.db.rows import Rows
from armarium.planning.model import LEASED, JobState
from armarium.planning.tables.collectors import collector
from armarium.planning.tables.harvests import harvest
from armarium.planning.tables.jobs import channel, job


@dataclass(frozen=True)
class Channel(Described):
    id: int
    name: str
    description: str
    priority: int  # higher is served first
    default_for: str  # kinds of harvest, with a space between
    active: bool

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(self.default_for.split())


channels = Rows(channel, Channel, order=(channel.c.active.desc(), channel.c.priority.desc(), channel.c.id))


@dataclass(frozen=True)
class Traffic:
    """What goes on in a channel."""

    waiting: int = 0
    running: int = 0
    harvests: int = 0  # active ones that name this channel
    collectors: list[tuple[int, str, bool]] = field(default_factory=list)  # number, name, active


def default_of(connection: Connection, kind: str) -> int | None:
    """The channel of harvests of this kind that name none."""
    asked = (
        sa.select(channel.c.id)
        .where(
            channel.c.active, sa.literal(kind) == sa.any_(sa.func.string_to_array(channel.c.default_for, " "))
        )
        .order_by(channel.c.priority.desc(), channel.c.id)
        .limit(1)
    )
    return connection.scalar(asked)


def traffic(connection: Connection) -> dict[int, Traffic]:
    """By channel. Counted through the partial indexes: ended jobs, however many, cost nothing."""
    waiting = _counts(connection, job.c.channel, job.c.state == JobState.NEW)
    leased = job.c.state.in_(sorted(LEASED))
    running = _counts(connection, job.c.channel, leased)
    harvests = _counts(connection, harvest.c.channel, harvest.c.active & harvest.c.channel.is_not(None))
    served: dict[str, list[tuple[int, str, bool]]] = {}
    machines = sa.select(collector.c.id, collector.c.name, collector.c.active, collector.c.channels)
    for number, name, active, names in connection.execute(
        machines.where(collector.c.revoked_at.is_(None)).order_by(collector.c.name)
    ):
        for one in names:
            served.setdefault(one, []).append((number, name, active))
    return {
        one.id: Traffic(
            waiting.get(one.id, 0), running.get(one.id, 0), harvests.get(one.id, 0), served.get(one.name, [])
        )
        for one in channels.all(connection)
    }


def _counts(connection: Connection, column: Any, condition: Any) -> dict[int, int]:
    asked = sa.select(column, sa.func.count()).where(condition).group_by(column)
    return {row[0]: row[1] for row in connection.execute(asked)}


def rename_in_collectors(connection: Connection, old: str, new: str) -> None:
    """Collectors name their channels: they follow when one is renamed."""
    renamed = sa.func.array_replace(collector.c.channels, old, new)
    connection.execute(
        sa.update(collector).where(sa.literal(old) == sa.any_(collector.c.channels)).values(channels=renamed)
    )
