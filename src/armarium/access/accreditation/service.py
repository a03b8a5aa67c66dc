"""The verbs on accreditations, one or many. Nothing is deleted: one that was ended stays, as history."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from armarium.access.accreditation import queries
from armarium.access.accreditation.model import (
    Accreditation,
    AccreditationFilter,
    AccreditationState,
    Period,
    checked_note,
)
from armarium.accounts import queries as account_queries
from armarium.accounts.model import Account
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refusals, Refused
from armarium.core.message import Message, message
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

    def page(
        self, wanted: AccreditationFilter, *, limit: int, offset: Beginning = 0
    ) -> tuple[list[Accreditation], int]:
        with self.database.transaction() as connection:
            return queries.page(connection, wanted, self.today(), limit, offset)

    def count(self, state: AccreditationState) -> int:
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

    def check(self, name: str, period: Period | None, note: str) -> None:
        """All that is wrong with an accreditation, at once."""
        with Refusals() as wrong, self.database.transaction() as connection:
            wrong.attempt(lambda: self._account(connection, name))
            wrong.attempt(lambda: checked_note(note))
            wrong.attempt(lambda: period.checked() if period else None)

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
            raise Refused(message("This accreditation has ended. Accredit the reader again."))
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
                    "%(name)s is already accredited from %(first)s to %(last)s. Renew that instead.",
                    name=found.name,
                    first=found.first_day.isoformat(),
                    last=found.last_day.isoformat(),
                ),
                field="first_day",
            )


def subject(accreditation: Accreditation) -> Subject:
    return Subject("accreditation", accreditation.id, accreditation.name)


# Lists of readers: first seen without being done, then done, all of a list or nothing of it.


COLUMNS = ("name", "first_day", "last_day", "note")
MOST_LINES = 10_000
HEADING = COLUMNS[0]


@dataclass(frozen=True)
class Line:
    """What would become, or became, of a line."""

    number: int  # in the file, from 1
    name: str
    period: Period | None = None
    note: str = ""
    fault: Message | None = None


@dataclass(frozen=True)
class Outcome:
    lines: list[Line]
    done: bool

    @property
    def faults(self) -> list[Line]:
        return [line for line in self.lines if line.fault is not None]


class Imports:
    def __init__(self, accreditations: Accreditations) -> None:
        self._accreditations = accreditations

    def run(self, actor: Actor, text: str, *, try_only: bool) -> Outcome:
        return self.carry_out(actor, list(lines_of(text)), try_only=try_only)

    def carry_out(self, actor: Actor, lines: Sequence[Line], *, try_only: bool) -> Outcome:
        """Done only if no line is wrong. A try goes the same way, and is rolled back."""
        with self._accreditations.database.transaction() as connection:
            trying = connection.begin_nested()
            tried = [self._tried(connection, actor, line) for line in lines]
            done = not try_only and not any(line.fault for line in tried)
            if done:
                trying.commit()
                announce(connection, TOPIC)
            else:
                trying.rollback()
        return Outcome(tried, done)

    def _tried(self, connection: Connection, actor: Actor, line: Line) -> Line:
        if line.fault is not None or line.period is None:
            return line
        try:
            self._accreditations.added(connection, actor, line.name, line.period, line.note)
        except Refused as refusal:  # nothing was sent to the database that it refused
            return Line(line.number, line.name, line.period, line.note, refusal.message)
        return line


def lines_of(text: str) -> Iterator[Line]:
    """Name, first day, last day, note; commas or semicolons between them; a line of titles is passed."""
    if len(text.splitlines()) > MOST_LINES:
        raise Refused(message("A list can have at most %(most)s lines.", most=MOST_LINES), field="list")
    separator = ";" if text.count(";") > text.count(",") else ","
    reader = csv.reader(text.removeprefix("\ufeff").splitlines(), delimiter=separator)
    try:
        for row in reader:
            values = [value.strip() for value in row]
            if any(values) and values[0].lower() != HEADING:
                yield _line(reader.line_num, values)
    except csv.Error as problem:
        told = message("Line %(number)s is not CSV: %(why)s.", number=reader.line_num, why=str(problem))
        raise Refused(told, field="list") from problem


def _line(number: int, values: Sequence[str]) -> Line:
    name, first, last, note = (*values, "", "", "", "")[:4]
    try:
        period = Period(date.fromisoformat(first), date.fromisoformat(last))
    except ValueError:
        told = message("Write the days as 2026-12-31.")
        return Line(number, name, note=note, fault=told)
    return Line(number, name, period, note)
