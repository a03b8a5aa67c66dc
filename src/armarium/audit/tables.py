"""The table of the audit log and its SQL."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy import Connection, Select
from sqlalchemy.dialects.postgresql import JSONB

from armarium.audit.model import Entry, Question
from armarium.core.actor import Via
from armarium.db.schema import schema
from armarium.db.stretches import Beginning, stretch

audit = sa.Table(
    "audit",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("account", sa.BigInteger),  # no foreign key: the log outlives everything it speaks of
    sa.Column("via", sa.Text, nullable=False),
    sa.Column("address", sa.Text),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("object_kind", sa.Text, nullable=False),
    sa.Column("object_id", sa.Text, nullable=False),
    sa.Column("object_name", sa.Text, nullable=False),
    sa.Column("before", JSONB, nullable=False),
    sa.Column("after", JSONB, nullable=False),
    sa.Index("audit_at_index", "at"),
    sa.Index("audit_object_index", "object_kind", "object_id"),
    sa.Index("audit_actor_index", "actor"),
)


def first_moment(connection: Connection) -> datetime | None:
    """When the log begins."""
    found: datetime | None = connection.scalar(sa.select(sa.func.min(audit.c.at)))
    return found


OFTEN = 5000  # entries that one statement writes


def insert_many(connection: Connection, entries: Sequence[dict[str, object]]) -> None:
    for start in range(0, len(entries), OFTEN):
        connection.execute(audit.insert(), entries[start : start + OFTEN])


def matching(question: Question) -> Select[tuple[object, ...]]:
    wanted = sa.select(*audit.c)
    if question.actor:
        wanted = wanted.where(audit.c.actor.icontains(question.actor, autoescape=True))
    if question.below:
        wanted = wanted.where(audit.c.id < question.below)
    for column in ("object_kind", "object_id"):
        if value := getattr(question, column):
            wanted = wanted.where(audit.c[column] == value)
    if question.action:
        wanted = wanted.where(audit.c.action.startswith(question.action, autoescape=True))
    if question.object_name:
        wanted = wanted.where(audit.c.object_name.icontains(question.object_name, autoescape=True))
    if question.since:
        wanted = wanted.where(audit.c.at >= beginning(question.since, question.zone))
    if question.until and question.until < date.max:  # no day comes after the last one
        wanted = wanted.where(audit.c.at < beginning(question.until + timedelta(days=1), question.zone))
    return wanted


def beginning(day: date, zone: str) -> datetime:
    # Near the ends of the calendar a zone's offset would lead out of it.
    inside = timedelta(days=2) < day - date.min and timedelta(days=2) < date.max - day
    return datetime.combine(day, time.min, ZoneInfo(zone) if inside else UTC)


def count(connection: Connection, question: Question) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(matching(question).subquery())) or 0


def select(connection: Connection, question: Question, limit: int, offset: Beginning) -> Iterator[Entry]:
    rows = stretch(connection, matching(question), [audit.c.id.desc()], limit, offset)
    for row in rows.mappings():
        yield Entry(**{**row, "via": Via(row["via"])})


def actions(connection: Connection) -> list[str]:
    return list(connection.scalars(sa.select(audit.c.action).distinct().order_by(audit.c.action)))
