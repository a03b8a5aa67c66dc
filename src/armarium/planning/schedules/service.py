"""The verbs of schedules. None is deleted: one that is no longer wanted becomes inactive."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.audit.entities import Kind
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.entities import values_of
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.rows import Rows
from armarium.planning.parsing import check_plain_name
from armarium.planning.schedules.model import Rhythm, Schedule
from armarium.planning.schedules.rules import checked
from armarium.planning.searching import Searched
from armarium.planning.tables.harvests import harvest, schedule

schedules = Rows(schedule, Schedule, order=(schedule.c.active.desc(), schedule.c.id))


@dataclass(frozen=True)
class Follower:
    """A harvest that runs by a schedule."""

    id: int
    name: str
    active: bool
    next_at: datetime | None


def followers(connection: Connection, number: int, *, limit: int) -> list[Follower]:
    asked = sa.select(harvest.c.id, harvest.c.name, harvest.c.active, harvest.c.next_at)
    asked = asked.where(harvest.c.schedule == number).order_by(harvest.c.name).limit(limit)
    return [Follower(*row) for row in connection.execute(asked)]


def follower_counts(connection: Connection) -> dict[int, int]:
    asked = sa.select(harvest.c.schedule, sa.func.count()).where(harvest.c.schedule.is_not(None))
    return {row[0]: row[1] for row in connection.execute(asked.group_by(harvest.c.schedule))}


#: Gives the harvests that follow a schedule their next date anew, after its rhythm has changed.
DateAnew = Callable[[Connection, Schedule, datetime], None]


def leave_dates(_connection: Connection, _schedule: Schedule, _now: datetime) -> None:
    """Where there are no harvests."""


class Schedules(Searched[Schedule]):
    rows = schedules
    kind = Kind(
        "schedule",
        topic="schedules",
        missing=message("There is no schedule with the number %(number)s."),
        unnamed=message("There is no schedule named %(name)s."),
        taken=message("There is a schedule named %(name)s already."),
        changed=message("Somebody changed this schedule meanwhile. Look at it again, then save."),
    )

    def __init__(self, database: Database, date_anew: DateAnew = leave_dates) -> None:
        super().__init__(database)
        self._date_anew = date_anew

    all = reading(schedules.all)
    followers = reading(followers)
    follower_counts = reading(follower_counts)

    def active(self) -> list[Schedule]:
        """Those that may be chosen, for select boxes."""
        return [one for one in self.all() if one.active]

    def create(self, actor: Actor, new: Schedule) -> Schedule:
        return self.make(actor, _values(new))

    def change(self, actor: Actor, number: int, new: Schedule, *, seen: str | None = None) -> Schedule:
        """Change a schedule; by another rhythm its harvests get their next date anew."""
        return self.edit(actor, number, {**_values(new), "active": new.active}, seen)

    def set_active(self, actor: Actor, number: int, active: bool, *, seen: str | None = None) -> Schedule:
        """Pause a schedule, or let it go on: what fell due meanwhile was missed, and its harvests say so."""
        return self.edit(actor, number, {"active": active}, seen)

    def edit(self, actor: Actor, number: int, values: Mapping[str, object], seen: str | None) -> Schedule:
        with self._database.transaction() as connection:
            before = self.locked(connection, number, seen)
            after = self.update(connection, before, values)
            if values_of(before, Rhythm) != values_of(after, Rhythm):
                self._date_anew(connection, replace(after, active=True), clock.now())
            self.note(connection, actor, before, after)
            return after


def _values(new: Schedule) -> dict[str, object]:
    said = {"name": check_plain_name(new.name), "comments": new.comments.strip()}
    return {**said, **values_of(checked(new), Rhythm)}
