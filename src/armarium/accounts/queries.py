"""The SQL of accounts: rows in, values out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.accounts.model import (
    Account,
    AccountState,
    Link,
    LinkPurpose,
    Permission,
    Role,
    Session,
    Source,
    Token,
)
from armarium.accounts.tables import account, failure, link, session, token
from armarium.db.rows import Condition, Rows


@dataclass(frozen=True)
class Wanted:
    """Which accounts to list; an empty field asks nothing."""

    text: str = ""
    role: Role | None = None
    state: AccountState | None = None
    active: bool | None = None


class AccountRows(Rows[Account]):
    def value(self, row: Mapping[Any, Any]) -> Account:
        # A role that a later version wrote and this one does not know gives no permission.
        known = frozenset(Role(role) for role in row["roles"] if role in set(Role))
        return super().value({**row, "roles": known})


ACCOUNTS = AccountRows(
    account,
    Account,
    order=(account.c.name,),
    joined=sa.select(account, account.c.password_hash.is_not(None).label("has_password")),
)
account_by_id = ACCOUNTS.by_id

HAS_PROOF = sa.or_(account.c.password_hash.is_not(None), account.c.source != Source.LOCAL.value)
IN_STATE = {
    AccountState.ACTIVE: sa.and_(account.c.active, HAS_PROOF),
    AccountState.INVITED: sa.and_(account.c.active, sa.not_(HAS_PROOF)),
    AccountState.BLOCKED: sa.not_(account.c.active),
}


def account_by_name(
    connection: Connection, name: str, *, lock: bool = False
) -> tuple[Account, str | None] | None:
    """The account and the hash of its password."""
    asked = ACCOUNTS.selected().where(account.c.name == name)
    row = connection.execute(ACCOUNTS.locked(asked) if lock else asked).mappings().one_or_none()
    return (ACCOUNTS.value(row), row["password_hash"]) if row else None


def matching(wanted: Wanted) -> Iterator[Condition]:
    if wanted.text:
        places = (account.c.name, account.c.display_name, account.c.mail)
        yield sa.or_(*(place.icontains(wanted.text, autoescape=True) for place in places))
    if wanted.role:
        yield account.c.roles.contains([wanted.role.value])
    if wanted.state:
        yield IN_STATE[wanted.state]
    if wanted.active is not None:
        yield account.c.active == wanted.active


def lock_administrators(connection: Connection) -> list[Account]:
    """The active administrators; their rows stay locked so that two cannot demote each other."""
    return ACCOUNTS.all(connection, *matching(Wanted(role=Role.ADMINISTRATOR, active=True)), lock=True)


# Sessions -------------------------------------------------------------------------------------------

SESSIONS = Rows(session, Session, order=(session.c.last_seen_at.desc(),))


def session_by_digest(connection: Connection, key_digest: bytes) -> Session | None:
    return SESSIONS.one(connection, session.c.key_digest == key_digest)


def open_sessions(connection: Connection, of: int, at: datetime) -> list[Session]:
    return SESSIONS.all(connection, session.c.account == of, session.c.expires_at > at)


def delete_sessions(
    connection: Connection, *, of: int, number: int | None = None, but: int | None = None
) -> int:
    gone = session.delete().where(session.c.account == of)
    if number is not None:
        gone = gone.where(session.c.id == number)
    if but is not None:
        gone = gone.where(session.c.id != but)
    return connection.execute(gone).rowcount


def put_notices(connection: Connection, number: int, notices: list[dict[str, object]]) -> None:
    added = session.c.notices.op("||")(sa.cast(notices, session.c.notices.type))
    connection.execute(session.update().where(session.c.id == number).values(notices=added))


def take_notices(connection: Connection, number: int) -> list[dict[str, object]]:
    """Give and forget the notices that wait for the next page."""
    found = connection.scalar(sa.select(session.c.notices).where(session.c.id == number).with_for_update())
    if found:
        connection.execute(session.update().where(session.c.id == number).values(notices=[]))
    return found or []


# Links ----------------------------------------------------------------------------------------------


LINKS = Rows(link, Link, order=(link.c.id,))


def good_link(connection: Connection, key_digest: bytes, at: datetime) -> Link | None:
    still_good = link.c.key_digest == key_digest, link.c.used_at.is_(None), link.c.expires_at > at
    return LINKS.one(connection, *still_good, lock=True)


def spend_links(
    connection: Connection, at: datetime, *, account_id: int | None, purpose: LinkPurpose
) -> None:
    """No link of this kind for this account is good any more."""
    same = link.c.account.is_(None) if account_id is None else link.c.account == account_id
    open_links = (same, link.c.purpose == purpose.value, link.c.used_at.is_(None))
    connection.execute(link.update().where(*open_links).values(used_at=at))


# Tokens ---------------------------------------------------------------------------------------------


class TokenRows(Rows[Token]):
    def value(self, row: Mapping[Any, Any]) -> Token:
        known = frozenset(Permission(scope) for scope in row["scopes"] if scope in set(Permission))
        return super().value({**row, "scopes": known})


TOKENS = TokenRows(token, Token, order=(token.c.id.desc(),))


# Throttling -----------------------------------------------------------------------------------------


def insert_failure(connection: Connection, name: str, address: str, at: datetime) -> int:
    row = connection.execute(
        failure.insert().values(name=name, address=address, at=at).returning(failure.c.id)
    )
    return int(row.scalar_one())


def failures(
    connection: Connection, since: datetime, name: str | None, address: str | None
) -> list[datetime]:
    wanted = sa.select(failure.c.at).where(failure.c.at > since)
    if name is not None:
        wanted = wanted.where(failure.c.name == name)
    if address is not None:
        wanted = wanted.where(failure.c.address == address)
    return list(connection.scalars(wanted.order_by(failure.c.at.desc()).limit(200)))


def forget_failures(connection: Connection, name: str, address: str) -> None:
    connection.execute(failure.delete().where(failure.c.name == name, failure.c.address == address))


def forget_failure(connection: Connection, number: int) -> None:
    connection.execute(failure.delete().where(failure.c.id == number))


def one_at_a_time(connection: Connection, word: str) -> None:
    """Hold others who say the same word until this transaction ends."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(word, 0))))


# Clean-up -------------------------------------------------------------------------------------------


def delete_expired(connection: Connection, at: datetime, failures_before: datetime) -> int:
    gone = (
        session.delete().where(session.c.expires_at < at),
        link.delete().where(link.c.expires_at < at),
        failure.delete().where(failure.c.at < failures_before),
    )
    return sum(connection.execute(statement).rowcount for statement in gone)
