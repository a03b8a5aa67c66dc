"""The verbs on accreditations. Nothing is deleted: one that was ended stays, as history."""

from datetime import date
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from armarium.access.reading.accreditation import queries
from armarium.access.reading.accreditation.model import Accreditation, Period, State, Wanted, checked_note
from armarium.accounts import queries as account_queries
from armarium.accounts.model import Account
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.stretches import Beginning

TOPIC = "readers"


class Accreditations:
    def __init__(self, database: Database, zone: str) -> None:
        self.database = database
        self._zone = ZoneInfo(zone)

    def today(self) -> date:
        """The day in the library, which is what its staff mean by a day."""
        return clock.now().astimezone(self._zone).date()

    # Reading

    def page(self, wanted: Wanted, *, limit: int, offset: Beginning = 0) -> tuple[list[Accreditation], int]:
        with self.database.transaction() as connection:
            return queries.page(connection, wanted, self.today(), limit, offset)

    def count(self, state: State) -> int:
        with self.database.transaction() as connection:
            return queries.count(connection, state, self.today())

    def get(self, number: int) -> Accreditation:
        with self.database.transaction() as connection:
            return self._existing(connection, number)

    # Changing

    def add(self, actor: Actor, name: str, period: Period, note: str = "") -> Accreditation:
        with self.database.transaction() as connection:
            added = self.added(connection, actor, name, period, note)
            announce(connection, TOPIC)
            return added

    def added(
        self, connection: Connection, actor: Actor, name: str, period: Period, note: str
    ) -> Accreditation:
        """In the transaction of a caller who adds several."""
        period, note = period.checked(), checked_note(note)
        account = self._account(connection, name)
        queries.lock_account(connection, account.id)
        self._refuse_overlap(connection, account.id, period)
        values = {
            "account": account.id,
            "first_day": period.first_day,
            "last_day": period.last_day,
            "note": note,
            "created_at": clock.now(),
            "created_by": actor.name,
        }
        added = self._existing(connection, queries.insert(connection, values))
        record(connection, actor, "accreditation.added", subject(added), after=added.described())
        return added

    def change(self, actor: Actor, number: int, period: Period, note: str) -> Accreditation:
        """Renew it, shorten it, or write something else about it."""
        period, note = period.checked(), checked_note(note)
        with self.database.transaction() as connection:
            before = self._living(connection, number)
            queries.lock_account(connection, before.account)
            self._refuse_overlap(connection, before.account, period, but=number)
            queries.update(
                connection, number, first_day=period.first_day, last_day=period.last_day, note=note
            )
            after = self._existing(connection, number)
            record(
                connection,
                actor,
                "accreditation.changed",
                subject(after),
                before=before.described(),
                after=after.described(),
            )
            announce(connection, TOPIC)
            return after

    def end(self, actor: Actor, number: int) -> Accreditation:
        """At once: whoever reads now reads on as anybody else within seconds."""
        with self.database.transaction() as connection:
            before = self._living(connection, number)
            queries.update(connection, number, ended_at=clock.now(), ended_by=actor.name)
            record(connection, actor, "accreditation.ended", subject(before), before=before.described())
            announce(connection, TOPIC)
            return self._existing(connection, number)

    # Steps

    def _existing(self, connection: Connection, number: int, *, lock: bool = False) -> Accreditation:
        found = queries.by_id(connection, number, lock=lock)
        if found is None:
            raise NotFound(message("There is no accreditation with the number %(number)s.", number=number))
        return found

    def _living(self, connection: Connection, number: int) -> Accreditation:
        found = self._existing(connection, number, lock=True)
        if found.ended_at is not None:
            raise Refused(message("This accreditation has been ended. Accredit the reader anew."))
        return found

    def _account(self, connection: Connection, name: str) -> Account:
        name = name.strip().lower()
        found = account_queries.account_by_name(connection, name)
        if found is None:
            raise Refused(message("There is no account named %(name)s.", name=name), field="name")
        return found[0]

    def _refuse_overlap(
        self, connection: Connection, account: int, period: Period, but: int | None = None
    ) -> None:
        found = queries.overlapping(connection, account, period, but)
        if found is not None:
            raise Refused(
                message(
                    "%(name)s is accredited from %(first)s to %(last)s already. Renew that one instead.",
                    name=found.name,
                    first=found.first_day.isoformat(),
                    last=found.last_day.isoformat(),
                ),
                field="first_day",
            )


def subject(accreditation: Accreditation) -> Subject:
    return Subject("accreditation", accreditation.id, accreditation.name)
