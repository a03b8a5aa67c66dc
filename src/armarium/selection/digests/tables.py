"""How often each person wants a digest, and when the last one was written."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.accounts.tables import account
from armarium.db.schema import moment, schema, text
from armarium.selection.digests.model import LISTED, USUAL, Line, Reader, Rhythm
from armarium.selection.model import RecordState
from armarium.selection.tables import collection, comment, record

digest = sa.Table(
    "selection_digest",
    schema,
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), primary_key=True),
    text("rhythm"),  # never, daily, weekly
    moment("written_at", nullable=True),
)


# Questions


def readers(connection: Connection, roles: Collection[str]) -> list[Reader]:
    """Everybody with a mail address and one of these roles."""
    wanted = sa.literal(sorted(roles), sa.ARRAY(sa.Text))
    asked = _selected().where(account.c.active, account.c.mail != "", account.c.roles.overlap(wanted))
    return [_reader(row) for row in connection.execute(asked.order_by(account.c.id))]


def reader(connection: Connection, number: int, *, lock: bool = False) -> Reader | None:
    """Those who write the digest of one person at the same time wait for each other."""
    if lock:
        name = sa.func.hashtextextended(f"digest {number}", 0)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(name)))
    row = connection.execute(_selected().where(account.c.id == number)).one_or_none()
    return _reader(row) if row else None


def put(connection: Connection, number: int, **values: object) -> None:
    made = postgresql_insert(digest).values(account=number, **{"rhythm": USUAL.value, **values})
    connection.execute(made.on_conflict_do_update(index_elements=[digest.c.account], set_=values))


def proposals(connection: Connection) -> int:
    """Those of active collections that wait for a decision."""
    asked = sa.select(sa.func.count()).select_from(record.join(collection))
    waiting = asked.where(record.c.state == RecordState.PROPOSED.value, record.c.active, collection.c.active)
    return int(connection.scalar(waiting) or 0)


def refused(connection: Connection, number: int, since: datetime) -> list[Line]:
    """Records of a person that were refused."""
    asked = sa.select(record.c.id, record.c.title, record.c.address, record.c.state_reason).where(
        record.c.responsible == number,
        record.c.state == RecordState.REFUSED.value,
        record.c.stated_at > since,
    )
    rows = connection.execute(asked.order_by(record.c.stated_at).limit(LISTED))
    return [Line(row.id, row.title or row.address, row.state_reason) for row in rows]


def comments(connection: Connection, number: int, since: datetime) -> list[Line]:
    """What others said about the records of a person."""
    asked = (
        sa.select(record.c.id, record.c.title, record.c.address, comment.c.author, comment.c.text)
        .join(record, record.c.id == comment.c.record)
        .where(record.c.responsible == number, comment.c.at > since)
        .where(comment.c.account.is_distinct_from(number))
        .order_by(comment.c.id)
        .limit(LISTED)
    )
    rows = connection.execute(asked)
    return [Line(row.id, row.title or row.address, f"{row.author}: {row.text}") for row in rows]


def _selected() -> "sa.Select[Any]":
    columns = (account.c.id, account.c.display_name, account.c.mail, account.c.language, account.c.roles)
    return sa.select(*columns, digest.c.rhythm, digest.c.written_at).outerjoin(
        digest, digest.c.account == account.c.id
    )


def _reader(row: "sa.Row[Any]") -> Reader:
    rhythm = Rhythm(row.rhythm) if row.rhythm else USUAL
    roles = frozenset(row.roles)
    return Reader(row.id, row.display_name, row.mail, row.language, roles, rhythm, row.written_at)
