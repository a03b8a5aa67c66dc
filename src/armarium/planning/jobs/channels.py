"""Channels: which collectors serve which jobs, and which are served first."""

import json
import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.planning.jobs import channels_queries as queries
from armarium.planning.jobs.channels_queries import Channel, Traffic
from armarium.planning.model import HarvestKind

NAME = re.compile(r"[\w-]{1,60}")
HIGHEST = 1_000_000


class Harvest(Protocol):
    """What a row of the table of harvests says about its channel."""

    @property
    def channel(self) -> int | None: ...

    @property
    def kind(self) -> str: ...


def subject(channel: Channel) -> Subject:
    return Subject("channel", channel.id, channel.name)


def mark_of(channel: Channel) -> str:
    """Changes whenever something about the channel changes."""
    return sha256(json.dumps(channel.described(), sort_keys=True).encode()).hexdigest()[:16]


class Channels:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def all(self) -> list[Channel]:
        """Those in use first, then by priority. A handful: nobody has more kinds of machine than that."""
        with self._database.transaction() as connection:
            return queries.channels(connection)

    def active(self) -> list[Channel]:
        """Those that may be chosen, for select boxes."""
        return [channel for channel in self.all() if channel.active]

    def get(self, number: int) -> Channel:
        return self._existing(self.all(), number)

    def named(self, name: str) -> Channel:
        found = [channel for channel in self.all() if channel.name == name.strip()]
        if not found:
            raise NotFound(message("There is no channel named %(name)s.", name=name))
        return found[0]

    def traffic(self) -> dict[int, Traffic]:
        with self._database.transaction() as connection:
            return queries.traffic(connection)

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
            known = queries.locked(connection)
            values = {"name": name.strip(), "description": description.strip(), "priority": priority}
            number = queries.insert(connection, **values, default_for=" ".join(kinds))
            if number is None:
                raise _name_taken(name)
            self._take_over(connection, actor, known, kinds)
            made = self._existing(queries.channels(connection), number)
            record(connection, actor, "channel.created", subject(made), after=made.described())
            announce(connection, "channels")
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
            known = queries.locked(connection)
            before = self._existing(known, number)
            if seen and seen != mark_of(before):
                raise Refused(
                    message("Somebody changed this channel meanwhile. Look at it again, then save.")
                )
            self._refuse_orphans(connection, before, kinds, active)
            self._take_over(connection, actor, [one for one in known if one.id != number], kinds)
            try:
                values = {"description": description.strip(), "priority": priority, "active": active}
                queries.update(connection, number, name=name.strip(), default_for=" ".join(kinds), **values)
            except IntegrityError as taken:
                raise _name_taken(name) from taken
            if name.strip() != before.name:
                queries.rename_in_collectors(connection, before.name, name.strip())
            after = self._existing(queries.channels(connection), number)
            self._record(connection, actor, before, after)
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
                queries.update(connection, other.id, default_for=" ".join(left))
                after = self._existing(queries.channels(connection), other.id)
                self._record(connection, actor, other, after)

    def _record(self, connection: Connection, actor: Actor, before: Channel, after: Channel) -> None:
        old, new = before.described(), after.described()
        record(connection, actor, "channel.changed", subject(after), before=old, after=new)
        announce(connection, "channels")

    def _existing(self, known: Iterable[Channel], number: int) -> Channel:
        for channel in known:
            if channel.id == number:
                return channel
        raise NotFound(message("There is no channel with the number %(number)s.", number=number))


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


def _name_taken(name: str) -> Refused:
    return Refused(message("There is a channel named %(name)s already.", name=name), field="name")
