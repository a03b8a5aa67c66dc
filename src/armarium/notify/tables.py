"""The table of notifications and its SQL."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB

from armarium.core import clock
from armarium.core.message import Message
from armarium.db.rows import Rows
from armarium.db.schema import schema
from armarium.notify.model import Letter, Notification, Sent, Severity

notification = sa.Table(
    "notification",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("severity", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("audience", sa.Text, nullable=False),
    sa.Column("subject", JSONB, nullable=False),  # {"template": …, "values": {…}}
    sa.Column("text", JSONB, nullable=False),
    sa.Column("deliveries", JSONB, nullable=False),  # {channel: task}
    sa.Column("repeats", sa.Integer, nullable=False, server_default="0"),
    sa.Column("last_repeat", sa.DateTime(timezone=True)),
    sa.Index("ix_notification_key", "key", "at"),
    sa.Index("ix_notification_at", "at"),
)


def one_at_a_time(connection: Connection, key: str) -> None:
    """Let those who notify about the same thing wait for each other until the end of the transaction."""
    connection.execute(
        sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(f"notification {key}", 0)))
    )


def repeat(connection: Connection, key: str, since: datetime) -> int | None:
    """Count one more of a notification sent since then; None if there was none."""
    last = (
        sa.select(notification.c.id)
        .where(notification.c.key == key, notification.c.at > since)
        .order_by(notification.c.at.desc())
        .limit(1)
        .scalar_subquery()
    )
    number: int | None = connection.scalar(
        notification.update()
        .where(notification.c.id == last)
        .values(repeats=notification.c.repeats + 1, last_repeat=clock.now())
        .returning(notification.c.id)
    )
    return number


def sent_since(connection: Connection, key: str, since: datetime) -> bool:
    at = last_sent(connection, key)
    return at is not None and at > since


def last_sent(connection: Connection, key: str) -> datetime | None:
    at: datetime | None = connection.scalar(
        sa.select(sa.func.max(notification.c.at)).where(notification.c.key == key)
    )
    return at


def insert(connection: Connection, about: Notification) -> int:
    return NOTIFICATIONS.add(
        connection,
        at=clock.now(),
        severity=about.severity.value,
        key=about.key,
        audience=about.audience,
        subject=_kept(about.subject),
        text=_kept(about.text),
        deliveries={},
    )


def set_deliveries(connection: Connection, number: int, deliveries: dict[str, int]) -> None:
    NOTIFICATIONS.update(connection, number, deliveries=deliveries)


def forget(connection: Connection, days: int) -> int:
    before = clock.now() - timedelta(days=days)
    return connection.execute(notification.delete().where(notification.c.at < before)).rowcount


def _kept(message: Message) -> dict[str, object]:
    simple = (str, int, float, bool, type(None))
    values = {
        name: value if isinstance(value, simple) else str(value) for name, value in message.values.items()
    }
    return {"template": message.template, "values": values}


class NotificationRows(Rows[Sent]):
    def value(self, row: Mapping[Any, Any]) -> Sent:
        said = {name: Message(**row[name]) for name in ("subject", "text")}
        about = Notification(Severity(row["severity"]), **said, key=row["key"], audience=row["audience"])
        return super().value({**row, "notification": about})


NOTIFICATIONS = NotificationRows(notification, Sent, order=(notification.c.id.desc(),))


# Letters

#: Mail to one person: the answer to a nomination, a digest. Notifications are for those who run the house.
letter = sa.Table(
    "letter",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("recipient", sa.Text, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("sent_at", sa.DateTime(timezone=True)),
    sa.Index("letter_at_index", "at"),
)


def insert_letter(connection: Connection, written: Letter) -> int:
    values = {name: getattr(written, name) for name in ("recipient", "language", "subject", "text")}
    number: int = connection.execute(
        letter.insert().values(at=clock.now(), **values).returning(letter.c.id)
    ).scalar_one()
    return number


def letter_to_send(connection: Connection, number: int) -> tuple[Letter, datetime, bool] | None:
    """The letter, when it was written, and whether it was sent already."""
    row = connection.execute(sa.select(letter).where(letter.c.id == number)).one_or_none()
    if row is None:
        return None
    return Letter(row.recipient, row.language, row.subject, row.text), row.at, row.sent_at is not None


def letter_was_sent(connection: Connection, number: int) -> None:
    connection.execute(letter.update().where(letter.c.id == number).values(sent_at=clock.now()))


def forget_letters(connection: Connection, days: int) -> int:
    old = clock.now() - timedelta(days=days)
    return connection.execute(letter.delete().where(letter.c.at < old)).rowcount
