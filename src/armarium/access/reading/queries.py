"""The SQL of readers' sessions: who has the session of this number, as of this moment."""

from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.tables import accreditation
from armarium.accounts import queries
from armarium.accounts.model import Account, Session
from armarium.accounts.tables import session


@dataclass(frozen=True)
class Known:
    """Somebody who has signed in."""

    session: Session
    account: Account
    accredited: bool


def known(connection: Connection, number: int, now: datetime, today: date) -> Known | None:
    """None: the session has ended, or its account has been blocked."""
    wanted = sa.select(*queries.SESSION_COLUMNS).where(session.c.id == number, session.c.expires_at > now)
    row = connection.execute(wanted).mappings().one_or_none()
    if row is None:
        return None
    found = Session(**row)
    account = queries.account_by_id(connection, found.account)
    if account is None or not account.active:
        return None
    return Known(found, account, is_accredited(connection, account.id, today))


def is_accredited(connection: Connection, account: int, today: date) -> bool:
    fits = sa.and_(accreditation.c.account == account, valid_on(today))
    return bool(connection.scalar(sa.select(sa.exists().where(fits))))


def valid_on(day: date) -> sa.ColumnElement[bool]:
    return sa.and_(
        accreditation.c.ended_at.is_(None),
        accreditation.c.first_day <= day,
        accreditation.c.last_day >= day,
    )


def session_of_key(connection: Connection, digest: bytes) -> Session | None:
    return queries.session_by_digest(connection, digest)


def renew(connection: Connection, number: int, now: datetime, expires: datetime) -> None:
    queries.update_session(connection, number, last_seen_at=now, expires_at=expires)
