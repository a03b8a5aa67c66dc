"""The SQL of accounts: rows in, values out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping, Select

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
from armarium.db.stretches import Beginning, stretch


@dataclass(frozen=True)
class Wanted:
    """Which accounts to list; an empty field asks nothing."""

    text: str = ""
    role: Role | None = None
    state: AccountState | None = None
    active: bool | None = None


ACCOUNT_COLUMNS = (
    account.c.id,
    account.c.name,
    account.c.display_name,
    account.c.mail,
    account.c.language,
    account.c.roles,
    account.c.active,
    account.c.created_at,
    account.c.last_sign_in_at,
    account.c.source,
    account.c.subject,
    account.c.password_hash.is_not(None).label("has_password"),
)


HAS_PROOF = sa.or_(account.c.password_hash.is_not(None), account.c.source != Source.LOCAL.value)
IN_STATE = {
    AccountState.ACTIVE: sa.and_(account.c.active, HAS_PROOF),
    AccountState.INVITED: sa.and_(account.c.active, sa.not_(HAS_PROOF)),
    AccountState.BLOCKED: sa.not_(account.c.active),
}


def to_account(row: RowMapping) -> Account:
    # A role that a later version wrote and this one does not know gives no permission.
    known = frozenset(Role(role) for role in row["roles"] if role in set(Role))
    return Account(**{**row, "roles": known, "source": Source(row["source"])})


def account_by_id(connection: Connection, number: int, *, lock: bool = False) -> Account | None:
    wanted = sa.select(*ACCOUNT_COLUMNS).where(account.c.id == number)
    row = connection.execute(wanted.with_for_update() if lock else wanted).mappings().one_or_none()
    return to_account(row) if row else None


def account_by_name(
    connection: Connection, name: str, *, lock: bool = False
) -> tuple[Account, str | None] | None:
    """The account and the hash of its password."""
    wanted = sa.select(*ACCOUNT_COLUMNS, account.c.password_hash).where(account.c.name == name)
    row = connection.execute(wanted.with_for_update() if lock else wanted).mappings().one_or_none()
    if row is None:
        return None
    values = dict(row)
    password_hash: str | None = values.pop("password_hash")
    return to_account(values), password_hash  # type: ignore[arg-type]


def matching(wanted: Wanted) -> Select[Any]:
    chosen = sa.select(*ACCOUNT_COLUMNS)
    if wanted.text:
        places = (account.c.name, account.c.display_name, account.c.mail)
        chosen = chosen.where(sa.or_(*(p.icontains(wanted.text, autoescape=True) for p in places)))
    if wanted.role:
        chosen = chosen.where(account.c.roles.contains([wanted.role.value]))
    if wanted.state:
        chosen = chosen.where(IN_STATE[wanted.state])
    if wanted.active is not None:
        chosen = chosen.where(account.c.active == wanted.active)
    return chosen


def accounts(
    connection: Connection, wanted: Wanted, limit: int, offset: Beginning
) -> tuple[list[Account], int]:
    chosen = matching(wanted)
    total = connection.scalar(sa.select(sa.func.count()).select_from(chosen.subquery())) or 0
    rows = stretch(connection, chosen, [account.c.name], limit, offset).mappings()
    return [to_account(row) for row in rows], total


def lock_administrators(connection: Connection) -> list[Account]:
    """The active administrators; their rows stay locked so that two cannot demote each other.

    In the order of their numbers: two that lock in different orders would wait for each other for ever.
    """
    wanted = matching(Wanted(role=Role.ADMINISTRATOR, active=True)).order_by(account.c.id)
    return [to_account(row) for row in connection.execute(wanted.with_for_update()).mappings()]


def insert_account(connection: Connection, values: Mapping[str, object]) -> int:
    return int(connection.execute(account.insert().values(values).returning(account.c.id)).scalar_one())


def update_account(connection: Connection, number: int, **values: object) -> None:
    connection.execute(account.update().where(account.c.id == number).values(**values))


# Sessions -------------------------------------------------------------------------------------------

SESSION_COLUMNS = tuple(column for column in session.c if column.name not in {"key_digest", "notices"})


def insert_session(connection: Connection, values: Mapping[str, object]) -> Session:
    row = connection.execute(session.insert().values(values).returning(*SESSION_COLUMNS)).mappings().one()
    return Session(**row)


def session_by_digest(connection: Connection, key_digest: bytes) -> Session | None:
    wanted = sa.select(*SESSION_COLUMNS).where(session.c.key_digest == key_digest)
    row = connection.execute(wanted).mappings().one_or_none()
    return Session(**row) if row else None


def sessions_of(connection: Connection, number: int) -> list[Session]:
    wanted = (
        sa.select(*SESSION_COLUMNS).where(session.c.account == number).order_by(session.c.last_seen_at.desc())
    )
    return [Session(**row) for row in connection.execute(wanted).mappings()]


def update_session(connection: Connection, number: int, **values: object) -> None:
    connection.execute(session.update().where(session.c.id == number).values(**values))


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


def insert_link(connection: Connection, values: Mapping[str, object]) -> None:
    connection.execute(link.insert().values(values))


def good_link(connection: Connection, key_digest: bytes, at: datetime) -> Link | None:
    wanted = (
        sa.select(link.c.id, link.c.purpose, link.c.account, link.c.expires_at)
        .where(link.c.key_digest == key_digest, link.c.used_at.is_(None), link.c.expires_at > at)
        .with_for_update()
    )
    row = connection.execute(wanted).mappings().one_or_none()
    return Link(**{**row, "purpose": LinkPurpose(row["purpose"])}) if row else None


def spend_links(
    connection: Connection, at: datetime, *, account_id: int | None, purpose: LinkPurpose
) -> None:
    """No link of this kind for this account is good any more."""
    same = link.c.account.is_(None) if account_id is None else link.c.account == account_id
    open_links = (same, link.c.purpose == purpose.value, link.c.used_at.is_(None))
    connection.execute(link.update().where(*open_links).values(used_at=at))


# Tokens ---------------------------------------------------------------------------------------------

TOKEN_COLUMNS = tuple(column for column in token.c if column.name != "key_digest")


def to_token(row: RowMapping) -> Token:
    known = frozenset(Permission(scope) for scope in row["scopes"] if scope in set(Permission))
    return Token(**{**row, "scopes": known})


def insert_token(connection: Connection, values: Mapping[str, object]) -> Token:
    return to_token(
        connection.execute(token.insert().values(values).returning(*TOKEN_COLUMNS)).mappings().one()
    )


def token_by_digest(connection: Connection, key_digest: bytes) -> Token | None:
    wanted = sa.select(*TOKEN_COLUMNS).where(token.c.key_digest == key_digest)
    row = connection.execute(wanted).mappings().one_or_none()
    return to_token(row) if row else None


def tokens_of(connection: Connection, number: int) -> list[Token]:
    wanted = sa.select(*TOKEN_COLUMNS).where(token.c.account == number).order_by(token.c.id.desc())
    return [to_token(row) for row in connection.execute(wanted).mappings()]


def update_token(connection: Connection, number: int, **values: object) -> None:
    connection.execute(token.update().where(token.c.id == number).values(**values))


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
