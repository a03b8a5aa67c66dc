"""The verbs of schedules. None is deleted: one that is no longer wanted becomes inactive."""

from dataclasses import replace

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.planning.harvests.dating import date_anew
from armarium.planning.profiles.rules import check_name
from armarium.planning.schedules import queries, rules
from armarium.planning.schedules.model import Rhythm, Schedule
from armarium.planning.schedules.queries import Follower


def subject(schedule: Schedule) -> Subject:
    return Subject("schedule", schedule.id, schedule.name)


class Schedules:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[Schedule], int]:
        with self._database.transaction() as connection:
            return queries.schedules(connection, limit, offset)

    def active(self) -> list[Schedule]:
        """Those that may be chosen, for select boxes."""
        with self._database.transaction() as connection:
            return queries.active(connection)

    def get(self, number: int) -> Schedule:
        with self._database.transaction() as connection:
            return self._existing(connection, number)

    def named(self, name: str) -> Schedule:
        with self._database.transaction() as connection:
            found = queries.by_name(connection, name.strip())
        if found is None:
            raise NotFound(message("There is no schedule named %(name)s.", name=name))
        return found

    def followers(self, number: int, *, limit: int) -> list[Follower]:
        """Harvests that run by this schedule."""
        with self._database.transaction() as connection:
            return queries.followers(connection, number, limit=limit)

    def follower_counts(self) -> dict[int, int]:
        with self._database.transaction() as connection:
            return queries.follower_counts(connection)

    # Changing

    def create(self, actor: Actor, name: str, rhythm: Rhythm, *, comments: str = "") -> Schedule:
        name, values = check_name(name), _values(rhythm)
        with self._database.transaction() as connection:
            number = queries.insert(connection, name=name, comments=comments.strip(), **values)
            if number is None:
                raise _name_taken(name)
            made = self._existing(connection, number)
            record(connection, actor, "schedule.created", subject(made), after=made.described())
            announce(connection, "schedules")
            return made

    def change(
        self,
        actor: Actor,
        number: int,
        name: str,
        rhythm: Rhythm,
        *,
        comments: str = "",
        active: bool = True,
        seen: str | None = None,
    ) -> Schedule:
        """Change a schedule; by another rhythm its harvests get their next date anew."""
        name, values = check_name(name), _values(rhythm)
        with self._database.transaction() as connection:
            before = self._existing(connection, number, lock=True)
            _refuse_unseen(before, seen)
            try:
                said = {"name": name, "comments": comments.strip(), "active": active}
                queries.update(connection, number, **said, **values)
            except IntegrityError as taken:
                raise _name_taken(name) from taken
            return self._changed(connection, actor, before)

    def set_active(self, actor: Actor, number: int, active: bool, *, seen: str | None = None) -> Schedule:
        """Pause a schedule, or let it go on: what fell due meanwhile was missed, and its harvests say so."""
        with self._database.transaction() as connection:
            before = self._existing(connection, number, lock=True)
            _refuse_unseen(before, seen)
            queries.update(connection, number, active=active)
            return self._changed(connection, actor, before)

    # Steps

    def _changed(self, connection: Connection, actor: Actor, before: Schedule) -> Schedule:
        after = self._existing(connection, before.id)
        if _values(before) != _values(after):
            date_anew(connection, replace(after, active=True), clock.now())
        record(
            connection,
            actor,
            "schedule.changed",
            subject(after),
            before=before.described(),
            after=after.described(),
        )
        announce(connection, "schedules")
        return after

    def _existing(self, connection: Connection, number: int, *, lock: bool = False) -> Schedule:
        found = queries.by_id(connection, number, lock=lock)
        if found is None:
            raise NotFound(message("There is no schedule with the number %(number)s.", number=number))
        return found


def _values(rhythm: Rhythm) -> dict[str, object]:
    """The columns of a rhythm; a whole schedule may be given, of which the rest is left alone."""
    checked = rules.checked(rhythm)
    return {name: getattr(checked, name) for name in Rhythm.__dataclass_fields__}


def _refuse_unseen(before: Schedule, seen: str | None) -> None:
    if seen and seen != before.mark:
        raise Refused(message("Somebody changed this schedule meanwhile. Look at it again, then save."))


def _name_taken(name: str) -> Refused:
    return Refused(message("There is a schedule named %(name)s already.", name=name), field="name")
