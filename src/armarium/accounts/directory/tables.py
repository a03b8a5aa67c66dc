"""The tables of directories."""

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.accounts import queries
from armarium.accounts.model import Account, Source
from armarium.accounts.tables import account, moment, session, token
from armarium.db.schema import schema

#: As the directory told them at the last sign-in.
account_group = sa.Table(
    "account_group",
    schema,
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), primary_key=True),
    sa.Column("source", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Index("account_group_name_index", "name"),
)

#: Browsers that were sent to a provider and may come back, each once.
attempt = sa.Table(
    "openid_attempt",
    schema,
    sa.Column("key_digest", sa.LargeBinary, primary_key=True),
    sa.Column("target", sa.Text, nullable=False),
    moment("expires_at"),
)


# --- The SQL of directories: rows in, values out.


# Groups ---------------------------------------------------------------------------------------------


def groups_of(connection: Connection, account_id: int) -> frozenset[str]:
    """The groups of a person, as the directory told them at the last sign-in."""
    wanted = sa.select(account_group.c.name).where(account_group.c.account == account_id)
    return frozenset(connection.scalars(wanted))


def groups_of_each(connection: Connection, accounts: Collection[int]) -> dict[int, list[str]]:
    """The groups of several people, in the order of their names."""
    found: dict[int, list[str]] = {number: [] for number in accounts}
    wanted = sa.select(account_group.c.account, account_group.c.name).where(
        account_group.c.account.in_(list(found))
    )
    for number, name in connection.execute(wanted.order_by(account_group.c.name)):
        found[number].append(name)
    return found


def known_groups(connection: Connection) -> list[str]:
    """Every group of which somebody who has signed in is a member."""
    return list(connection.scalars(sa.select(account_group.c.name).distinct().order_by(account_group.c.name)))


def replace_groups(connection: Connection, account_id: int, source: Source, groups: Collection[str]) -> None:
    connection.execute(account_group.delete().where(account_group.c.account == account_id))
    rows = [{"account": account_id, "source": source.value, "name": name} for name in sorted(groups)]
    if rows:
        connection.execute(account_group.insert(), rows)


# Accounts -------------------------------------------------------------------------------------------


def account_by_subject(connection: Connection, source: Source, subject: str) -> Account | None:
    conditions = account.c.source == source.value, account.c.subject == subject
    return queries.ACCOUNTS.one(connection, *conditions, lock=True)


def with_something_open(connection: Connection, source: Source, at: datetime) -> list[Account]:
    """Those of a directory who are signed in, or have a token that is still good."""
    unspent = token.c.revoked_at.is_(None) & ((token.c.expires_at > at) | token.c.expires_at.is_(None))
    signed_in = sa.exists().where(session.c.account == account.c.id, session.c.expires_at > at)
    with_token = sa.exists().where(token.c.account == account.c.id, unspent)
    known = account.c.source == source.value, account.c.subject.is_not(None), account.c.active
    asked = queries.ACCOUNTS.selected().where(*known, signed_in | with_token).order_by(account.c.id)
    return queries.ACCOUNTS.read(connection, asked)


# Browsers on their way ------------------------------------------------------------------------------


def insert_attempt(connection: Connection, key_digest: bytes, target: str, expires_at: datetime) -> None:
    connection.execute(attempt.insert().values(key_digest=key_digest, target=target, expires_at=expires_at))


def take_attempt(connection: Connection, key_digest: bytes, at: datetime) -> str | None:
    """Where the browser wanted to go; whoever comes a second time finds nothing."""
    gone = attempt.delete().where(attempt.c.key_digest == key_digest, attempt.c.expires_at > at)
    return connection.execute(gone.returning(attempt.c.target)).scalar_one_or_none()


def delete_expired(connection: Connection, at: datetime) -> int:
    return connection.execute(attempt.delete().where(attempt.c.expires_at <= at)).rowcount
