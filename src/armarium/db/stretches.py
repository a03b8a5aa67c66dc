"""Stretches of long lists: so many rows, after so many others, or after the one that a cursor names.

A cursor holds the values by which a list is ordered, of the last row that was given. What is added meanwhile
moves no other row, and the millionth row comes as fast as the first: nothing is counted off. A list must be
ordered by something that no two rows share.
"""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple
from zlib import crc32

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import Grouping, UnaryExpression

from armarium.core.errors import Refused
from armarium.core.message import message

LARGEST = 2**63 - 1


@dataclass
class Place:
    """Where a stretch begins. Once it was read, `next` is the cursor of the one behind it; None: the end."""

    offset: int = 0
    cursor: str = ""
    next: str | None = field(default=None, init=False)


#: After so many rows, for those who turn pages; or a place, for those who walk through all of them.
Beginning = int | Place


class Key(NamedTuple):
    """One of the values by which a list is ordered."""

    column: ColumnElement[Any]
    falling: bool
    maybe_empty: bool
    empty_last: bool

    def literal(self, value: object) -> ColumnElement[Any]:
        return sa.literal(value, self.column.type)

    def same(self, value: object) -> ColumnElement[bool]:
        return self.column.is_(None) if value is None else self.column == self.literal(value)

    def behind(self, value: object) -> ColumnElement[bool]:
        if value is None:
            return sa.false() if self.empty_last else self.column.is_not(None)
        there = self.literal(value)
        beyond = self.column < there if self.falling else self.column > there
        return sa.or_(beyond, self.column.is_(None)) if self.maybe_empty and self.empty_last else beyond


def stretch(
    connection: Connection,
    asked: "sa.Select[Any]",
    order: Sequence[ColumnElement[Any]],
    limit: int | None,
    beginning: Beginning,
) -> "sa.Result[Any]":
    """The rows of a stretch, in this order, which must be that of no two rows."""
    asked = asked.order_by(*order)
    if isinstance(beginning, int) or limit is None:
        start = beginning if isinstance(beginning, int) else beginning.offset
        return connection.execute(asked.limit(limit).offset(start))
    keys = [key_of(one) for one in order]
    if beginning.cursor:
        asked = asked.where(_behind(keys, read_cursor(keys, beginning.cursor)))
    labelled = asked.add_columns(*(key.column.label(f"key_{n}_") for n, key in enumerate(keys)))
    # One row more than is wanted tells whether there are more.
    found = connection.execute(labelled.limit(limit + 1).offset(beginning.offset)).freeze()
    rows, width = found().all(), len(found().keys()) - len(keys)
    if len(rows) > limit:
        beginning.next = write_cursor(keys, rows[limit - 1][width:])
    return found.with_new_rows(rows[:limit])().columns(*range(width))


def key_of(ordered: ColumnElement[Any]) -> Key:
    falling, empty_last = False, None  # None: as PostgreSQL has it
    while isinstance(ordered, UnaryExpression) and ordered.modifier is not None:
        if ordered.modifier is operators.desc_op:
            falling = True
        elif ordered.modifier in (operators.nulls_last_op, operators.nulls_first_op):
            empty_last = ordered.modifier is operators.nulls_last_op
        ordered = ordered.element
    column = ordered if isinstance(ordered, sa.Column) else Grouping(ordered)
    # Who says where nothing goes expects it: of an outer join the column itself does not know.
    maybe_empty = empty_last is not None or not isinstance(ordered, sa.Column) or bool(ordered.nullable)
    return Key(column, falling, maybe_empty, not falling if empty_last is None else empty_last)


def _behind(keys: Sequence[Key], values: Sequence[object]) -> ColumnElement[bool]:
    """What comes after these values: behind in the first, or the same there and behind in the second, …"""
    same: list[ColumnElement[bool]] = []
    steps: list[ColumnElement[bool]] = []
    for key, value in zip(keys, values, strict=True):
        steps.append(sa.and_(*same, key.behind(value)))
        same.append(key.same(value))
    first = keys[0]
    if len(keys) == 1 or values[0] is None or first.maybe_empty:
        return sa.or_(*steps)
    there = first.literal(values[0])  # said once more, so that an index is entered at the right place
    return sa.and_(first.column <= there if first.falling else first.column >= there, sa.or_(*steps))


def counted_off(limit: int, beginning: Beginning, total: int) -> int:
    """Where a stretch begins in a list that is not read by keys. Its cursor says how many rows are left, so
    that the list may grow at its front meanwhile."""
    if isinstance(beginning, int):
        return beginning
    start = beginning.offset
    if beginning.cursor:
        (left,) = read_cursor(LEFT, beginning.cursor)
        start = min(max(total - int(str(left)), 0), total)
    if start + limit < total:
        beginning.next = write_cursor(LEFT, [total - start - limit])
    return start


# Cursors

LEFT = (Key(sa.Column("left", sa.BigInteger, nullable=False), False, False, False),)


def write_cursor(keys: Sequence[Key], values: Sequence[Any]) -> str:
    written = [one.isoformat() if isinstance(one, date) else one for one in values]
    text = json.dumps([_list(keys), *written], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(keys: Sequence[Key], cursor: str) -> list[object]:
    """Refuses what this list has not written."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        return _values(keys, *json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise unknown_cursor() from error


def unknown_cursor() -> Refused:
    text = message("This cursor does not belong to this list. Begin without one.")
    return Refused(text, field="cursor")


def _list(keys: Sequence[Key]) -> int:
    """What tells lists, and orders of a list, apart."""
    return crc32("\n".join(f"{key.column} {key.falling}" for key in keys).encode())


def _values(keys: Sequence[Key], of: object, *given: object) -> list[object]:
    if of != _list(keys):
        raise ValueError("of another list")
    return [_value(key, one) for key, one in zip(keys, given, strict=True)]


def _value(key: Key, given: object) -> object:
    kind = key.column.type.python_type
    if given is None and key.maybe_empty:
        return None
    if issubclass(kind, date) and isinstance(given, str):
        return datetime.fromisoformat(given) if kind is datetime else date.fromisoformat(given)
    if type(given) is not kind:
        raise ValueError("not of the kind of its column")
    if isinstance(given, str):
        given.encode()  # no half characters
    if (isinstance(given, int) and abs(given) > LARGEST) or (isinstance(given, str) and "\0" in given):
        raise ValueError("nothing that a database holds")
    return given


# --- Figures for pages, in SQL that stays quick in long tables: counts that stop, days and weeks of people.


MOST = 1000  # one more than pages show: 999+


def count_up_to(connection: Connection, asked: "Select[Any]", most: int = MOST) -> int:
    """How many rows it finds, but never more than so many."""
    return connection.scalar(sa.select(sa.func.count()).select_from(asked.limit(most).subquery())) or 0


def day_of(moment: "sa.ColumnElement[datetime]", zone: str) -> "sa.ColumnElement[date]":
    """The day on which something was, for those who live in this zone."""
    return sa.cast(sa.func.timezone(zone, moment), sa.Date)


def by_period(
    connection: Connection,
    moment: "sa.ColumnElement[Any]",
    zone: str,
    since: datetime,
    sums: "Iterable[sa.ColumnElement[Any]]",
    *conditions: "sa.ColumnElement[bool]",
    period: str = "week",
) -> list[dict[date, int]]:
    """Each of the sums, by day, week (named by its Monday) or month (by its first day), from a moment on.
    There should be an index on `moment` that has the rest."""
    local = sa.func.timezone(zone, moment)
    begin = sa.cast(sa.func.date_trunc(sa.literal_column(f"'{period}'"), local), sa.Date).label("begin")
    asked = sa.select(begin, *sums).where(moment >= since, *conditions).group_by(begin)
    rows = connection.execute(asked).all()
    return [{row[0]: int(row[at] or 0) for row in rows} for at in range(1, len(list(sums)) + 1)]
