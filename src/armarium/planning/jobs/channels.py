"""Channels: which collectors serve which jobs, and which are served first."""

import re
from collections.abc import Iterable
from typing import Protocol

from sqlalchemy import Connection

from armarium.audit.entities import Entities, Kind
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.reading import reading
from armarium.planning.jobs import channels_queries as queries
from armarium.planning.jobs.channels_queries import Channel
from armarium.planning.model import HarvestKind

NAME = re.compile(r"[\w-]{1,60}")
HIGHEST = 1_000_000


class Harvest(Protocol):
    """What a row of the table of harvests says about its channel."""

    @property
    def channel(self) -> int | None: ...

    @property
    def kind(self) -> str: ...


class Channels(Entities[Channel]):
    rows = queries.channels
    kind = Kind(
        "channel",
        topic="channels",
        missing=message("There is no channel with the number %(number)s."),
        unnamed=message("There is no channel named %(name)s."),
        taken=message("There is a channel named %(name)s already."),
        changed=message("Somebody changed this channel meanwhile. Look at it again, then save."),
    )

    #: Those in use first, then by priority. A handful: nobody has more kinds of machine than that.
    all = reading(queries.channels.all)
    traffic = reading(queries.traffic)

    def active(self) -> list[Channel]:
        """Those that may be chosen, for select boxes."""
        return [channel for channel in self.all() if channel.active]

    def for_harvest(self, connection: Connection, harvest: Harvest) -> int:
        """The channel of its jobs: its own, or the default of its kind."""
        found = harvest.channel or queries.default_of(connection, harvest.kind)
        if found is None:
            raise Refused(
                message(
                    "No channel is the default for harvests of the kind “%(kind)s”. Choose one on the "
                    "page of channels.",
                    kind=harvest.kind,
                )
            )
        return found

    # Changing

    def create(
        self,
        actor: Actor,
        name: str,
        *,
        description: str = "",
        priority: int = 0,
        default_for: Iterable[str] = (),
    ) -> Channel:
        kinds = _checked(name, priority, default_for)
        with self._database.transaction() as connection:
            known = self.rows.all(connection, lock=True)
            values = {"name": name.strip(), "description": description.strip(), "priority": priority}
            made = self.insert(connection, {**values, "default_for": " ".join(kinds)})
            self._take_over(connection, actor, known, kinds)
            self.note(connection, actor, None, made)
            return made

    def change(
        self,
        actor: Actor,
        number: int,
        *,
        name: str,
        description: str,
        priority: int,
        default_for: Iterable[str],
        active: bool,
        seen: str | None = None,
    ) -> Channel:
        """Change a channel. A kind of harvest that it takes over is no longer another's."""
        kinds = _checked(name, priority, default_for)
        with self._database.transaction() as connection:
            others = [one for one in self.rows.all(connection, lock=True) if one.id != number]
            before = self.locked(connection, number, seen)
            self._refuse_orphans(connection, before, kinds, active)
            self._take_over(connection, actor, others, kinds)
            said = {"name": name.strip(), "description": description.strip(), "default_for": " ".join(kinds)}
            after = self.update(connection, before, {**said, "priority": priority, "active": active})
            if after.name != before.name:
                queries.rename_in_collectors(connection, before.name, after.name)
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
                "Make another one their default first.",
                kind=lost[0],
            )
            raise Refused(text, field="default_for")
        busy = queries.traffic(connection)[before.id]
        if before.active and not active and (busy.waiting or busy.running or busy.harvests):
            text = message("Active harvests, or jobs that wait or run, use this channel.")
            raise Refused(text, field="active")

    def _take_over(
        self, connection: Connection, actor: Actor, others: Iterable[Channel], kinds: tuple[str, ...]
    ) -> None:
        for other in others:
            left = tuple(kind for kind in other.kinds if kind not in kinds)
            if left != other.kinds:
                after = self.update(connection, other, {"default_for": " ".join(left)})
                self.note(connection, actor, other, after)


def _checked(name: str, priority: int, default_for: Iterable[str]) -> tuple[str, ...]:
    if not NAME.fullmatch(name.strip()):
        text = message("A channel's name has letters, digits, - and _, at most 60, and no space.")
        raise Refused(text, field="name")
    if not -HIGHEST <= priority <= HIGHEST:
        text = message("Write a number from %(least)s to %(most)s.", least=-HIGHEST, most=HIGHEST)
        raise Refused(text, field="priority")
    kinds = tuple(default_for)
    unknown = [kind for kind in kinds if kind not in set(HarvestKind)]
    if unknown:
        text = message("There is no kind of harvest named %(name)s.", name=unknown[0])
        raise Refused(text, field="default_for")
    return tuple(kind.value for kind in HarvestKind if kind.value in kinds)
