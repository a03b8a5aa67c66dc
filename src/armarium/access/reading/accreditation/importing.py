"""Lists of readers: first seen without being done, then done, all of a list or nothing of it."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection

from armarium.access.reading.accreditation.model import Period
from armarium.access.reading.accreditation.service import TOPIC, Accreditations
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.db.announce import announce

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
        raise Refused(message("A list may have %(most)s lines at most.", most=MOST_LINES), field="list")
    separator = ";" if text.count(";") > text.count(",") else ","
    reader = csv.reader(text.removeprefix("\ufeff").splitlines(), delimiter=separator)
    try:
        for row in reader:
            values = [value.strip() for value in row]
            if any(values) and values[0].lower() != HEADING:
                yield _line(reader.line_num, values)
    except csv.Error as problem:
        told = message("Line %(number)s is no CSV: %(why)s.", number=reader.line_num, why=str(problem))
        raise Refused(told, field="list") from problem


def _line(number: int, values: Sequence[str]) -> Line:
    name, first, last, note = (*values, "", "", "", "")[:4]
    try:
        period = Period(date.fromisoformat(first), date.fromisoformat(last))
    except ValueError:
        told = message("The days have to be written as 2026-12-31.")
        return Line(number, name, note=note, fault=told)
    return Line(number, name, period, note)
