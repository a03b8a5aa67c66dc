"""Cursors: what was written is read again, and nothing else."""

import base64
import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.core.errors import Refused
from armarium.db.stretches import Place, counted_off, key_of, read_cursor, write_cursor

table = sa.Table(
    "thing",
    sa.MetaData(),
    sa.Column("id", sa.BigInteger, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("at", sa.DateTime(timezone=True)),
    sa.Column("day", sa.Date, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
)
COLUMNS = (table.c.at.desc(), table.c.day, table.c.name, table.c.done.desc(), table.c.id)
KEYS = [key_of(one) for one in COLUMNS]
NOON = datetime(2026, 11, 18, 12, 0, 0, 123456, tzinfo=UTC)
VALUES = [NOON, date(2026, 11, 18), "ø “x”", True, 2**62]


def forged(change: Any) -> str:
    """A cursor of this list in which somebody changed something."""
    text = write_cursor(KEYS, VALUES)
    document = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    changed = json.dumps(change(document)).encode()
    return base64.urlsafe_b64encode(changed).decode().rstrip("=")


def test_what_was_written_is_read_again() -> None:
    assert read_cursor(KEYS, write_cursor(KEYS, VALUES)) == VALUES
    assert read_cursor(KEYS, write_cursor(KEYS, [None, *VALUES[1:]])) == [None, *VALUES[1:]]


@pytest.mark.parametrize(
    "change",
    [
        lambda it: it[:-1],
        lambda it: [*it, 1],
        lambda it: [it[0] + 1, *it[1:]],
        lambda it: [*it[:-1], "1"],
        lambda it: [*it[:-1], 2**63],
        lambda it: [*it[:-1], 1.5],
        lambda it: [*it[:-1], True],
        lambda it: [*it[:-1], None],
        lambda it: [it[0], "yesterday", *it[2:]],
        lambda it: [*it[:3], "a\0b", *it[4:]],
        lambda it: [*it[:3], "\ud800", *it[4:]],
        lambda it: {"1": it},
        lambda it: 7,
    ],
)
def test_what_somebody_changed_is_refused(change: Any) -> None:
    with pytest.raises(Refused, match="does not belong"):
        read_cursor(KEYS, forged(change))


@pytest.mark.parametrize("text", ["", "=", "ä", "W10", "a b", "[" * 5000, "eyJ" * 2000])
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="does not belong"):
        read_cursor(KEYS, text)


def test_another_order_is_another_list() -> None:
    rising = [key_of(table.c.id)]
    with pytest.raises(Refused):
        read_cursor([key_of(table.c.id.desc())], write_cursor(rising, [1]))


def test_a_single_key_is_one_comparison_that_an_index_answers() -> None:
    assert str(key_of(table.c.id.desc()).behind(7)) == "thing.id < :param_1"


def test_a_list_in_memory_may_grow_at_its_front() -> None:
    first = Place()
    assert counted_off(2, first, 5) == 0
    second = Place(cursor=first.next or "")
    assert counted_off(2, second, 7) == 4  # two more came: the same two rows are behind
    third = Place(cursor=second.next or "")
    assert (counted_off(2, third, 7), third.next) == (6, None)
    assert counted_off(2, 3, 5) == 3
