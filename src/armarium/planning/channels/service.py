"""Channels: which collectors serve which jobs, and which are served first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.audit.entities import Entities, Kind
from armarium.core.actor import Actor
from armarium.core.entities import Described
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.db.reading import reading
from armarium.db.rows import Rows
from armarium.planning.model import LEASED, HarvestKind, JobState
from armarium.planning.tables.harvests import collector, harvest
from armarium.planning.tables.jobs import channel, job


@dataclass(frozen=True)
class Channel(Described):
    id: int = 0
    name: str = ""
    description: str = ""
    priority: int = 0  # higher is served first
    default_for: str = ""  # kinds of harvest, with a space between
    active: bool = True

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


def traffic_of_all(connection: Connection) -> dict[int, Traffic]:
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


NAME = re.compile(r"[\w-]{1,60}")
HIGHEST = 1_000_000


class Harvest(Protocol):
    """What a row of the table of harvests says about its channel."""

    @property
    def channel(self) -> int | None: ...

    @property
    def kind(self) -> str: ...


class Channels(Entities[Channel]):
    rows = channels
    kind = Kind(
        "channel",
        topic="channels",
        missing=message("There is no channel with the number %(number)s."),
        unnamed=message("There is no channel named %(name)s."),
        taken=message("A channel named %(name)s already exists."),
        changed=message("Somebody else changed this channel meanwhile. Check it, then save again."),
    )

    #: Those in use first, then by priority. A handful: nobody has more kinds of machine than that.
    all = reading(channels.all)
    traffic = reading(traffic_of_all)

    def active(self) -> list[Channel]:
        """Those that may be chosen, for select boxes."""
        return [channel for channel in self.all() if channel.active]

    def for_harvest(self, connection: Connection, harvest: Harvest) -> int:
        """The channel of its jobs: its own, or the default of its kind."""
        found = harvest.channel or default_of(connection, harvest.kind)
        if found is None:
            raise Refused(
                message(
                    "There is no default channel for harvests of the kind “%(kind)s”. Choose one under "
                    "Channels.",
                    kind=harvest.kind,
                )
            )
        return found

    # Changing

    def create(self, actor: Actor, new: Channel) -> Channel:
        values = _checked(new)
        with self._database.transaction() as connection:
            known = self.rows.all(connection, lock=True)
            made = self.insert(connection, values)
            self._take_over(connection, actor, known, made.kinds)
            self.note(connection, actor, None, made)
            return made

    def change(self, actor: Actor, number: int, new: Channel, *, seen: str | None = None) -> Channel:
        """Change a channel. A kind of harvest that it takes over is no longer another's."""
        values = _checked(new)
        with self._database.transaction() as connection:
            others = [one for one in self.rows.all(connection, lock=True) if one.id != number]
            before = self.locked(connection, number, seen)
            self._refuse_orphans(connection, before, new.kinds, new.active)
            self._take_over(connection, actor, others, new.kinds)
            after = self.update(connection, before, {**values, "active": new.active})
            if after.name != before.name:
                rename_in_collectors(connection, before.name, after.name)
            self.note(connection, actor, before, after)
            return after

    # Steps

    def _refuse_orphans(
        self, connection: Connection, before: Channel, kinds: tuple[str, ...], active: bool
    ) -> None:
        """Nobody may be left without a channel."""
        lost = [kind for kind in before.kinds if kind not in kinds or not active]
        if lost and before.active:
            text = message(
                "Harvests of the kind “%(kind)s” would have no channel. "
                "Choose another default channel for them first.",
                kind=lost[0],
            )
            raise Refused(text, field="default_for")
        busy = traffic_of_all(connection)[before.id]
        if before.active and not active and (busy.waiting or busy.running or busy.harvests):
            text = message("This channel is used by active harvests or by waiting or running jobs.")
            raise Refused(text, field="active")

    def _take_over(
        self, connection: Connection, actor: Actor, others: Iterable[Channel], kinds: tuple[str, ...]
    ) -> None:
        for other in others:
            left = tuple(kind for kind in other.kinds if kind not in kinds)
            if left != other.kinds:
                after = self.update(connection, other, {"default_for": " ".join(left)})
                self.note(connection, actor, other, after)


def _checked(new: Channel) -> dict[str, object]:
    name = new.name.strip()
    if not NAME.fullmatch(name):
        text = message("Use up to 60 letters, digits, - and _, without spaces.")
        raise Refused(text, field="name")
    if not -HIGHEST <= new.priority <= HIGHEST:
        text = message("Write a number from %(least)s to %(most)s.", least=-HIGHEST, most=HIGHEST)
        raise Refused(text, field="priority")
    unknown = [kind for kind in new.kinds if kind not in set(HarvestKind)]
    if unknown:
        text = message("There is no kind of harvest named %(name)s.", name=unknown[0])
        raise Refused(text, field="default_for")
    kinds = " ".join(kind.value for kind in HarvestKind if kind.value in new.kinds)
    said = {"name": name, "description": new.description.strip(), "priority": new.priority}
    return {**said, "default_for": kinds}


ACTIONS: dict[str, Message] = {
    "channel.created": message("Channel created"),
    "channel.changed": message("Channel changed"),
}
WORDS: dict[str, Message] = {
    "channel": message("Channel"),
    "priority": message("Priority"),
    "default_for": message("Default for"),
}
