"""Sessions of readers: the same as on the staff site, but they end sooner, and are known by their number.

The key of a session that was opened here never leaves this process, so it opens nothing on the staff site.
"""

import time
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from threading import Lock
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.settings import AccessSettings
from armarium.access.tables import accreditation
from armarium.accounts import queries
from armarium.accounts.keys import digest
from armarium.accounts.model import Account, Identity, Session
from armarium.accounts.rules import permissions_of
from armarium.accounts.sessions import SEEN_EVERY, Sessions
from armarium.accounts.tables import session
from armarium.core import clock


@dataclass(frozen=True)
class Known:
    """Somebody who has signed in."""

    session: Session
    account: Account
    accredited: bool


def known_by(connection: Connection, number: int, now: datetime, today: date) -> Known | None:
    """None: the session has ended, or its account has been blocked."""
    found = queries.SESSIONS.one(connection, session.c.id == number, session.c.expires_at > now)
    if found is None:
        return None
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


def prolong(connection: Connection, number: int, now: datetime, expires: datetime) -> None:
    queries.SESSIONS.update(connection, number, last_seen_at=now, expires_at=expires)


FRESH = 4.0  # seconds for which an answer of the database holds; whoever was shut out is out within that
MOST_REMEMBERED = 10_000


class ReaderSessions:
    def __init__(self, sessions: Sessions, settings: AccessSettings, zone: str) -> None:
        self._sessions = sessions
        self._database = sessions.database
        self._settings = settings
        self._zone = ZoneInfo(zone)
        self._remembered: dict[tuple[int, int], tuple[float, Known | None]] = {}
        self._lock = Lock()

    def sign_in(self, name: str, password: str, *, address: str, agent: str) -> Session:
        """Throttled, and as silent about who exists, as on the staff site."""
        key, _account = self._sessions.sign_in(name, password, address=address, agent=agent)
        now = clock.now()
        with self._database.transaction() as connection:
            found = session_of_key(connection, digest(key))
            assert found is not None, "opened a moment ago"
            prolong(connection, found.id, now, self._expiry(found, now, staff=False))
        return found

    def known(self, number: int, since: int, *, renew: bool = False, staff: bool = False) -> Known | None:
        """Who has this session. `renew`: they do something now. `staff`: it is one of the staff site."""
        at, which = time.monotonic(), (number, since)
        with self._lock:
            seen = self._remembered.get(which)
        if seen is not None and at - seen[0] < FRESH and not (renew and _is_due(seen[1])):
            return seen[1]
        found = self._look_up(number, since, renew, staff)
        with self._lock:
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[which] = (at, found)
        return found

    def end(self, number: int, since: int, address: str) -> None:
        found = self._look_up(number, since, False, False)
        if found is not None:
            account = found.account
            person = Identity(account, permissions_of(account.roles), found.session, address)
            self._sessions.sign_out(person)
        with self._lock:
            self._remembered.pop((number, since), None)

    def today(self) -> date:
        return clock.now().astimezone(self._zone).date()

    def _look_up(self, number: int, since: int, renew: bool, staff: bool) -> Known | None:
        now = clock.now()
        with self._database.transaction() as connection:
            found = known_by(connection, number, now, self.today())
            if found is not None and begin_of(found.session) != since:
                return None
            if found is not None and renew and _is_due(found):
                expires = self._expiry(found.session, now, staff=staff)
                prolong(connection, number, now, expires)
                found = replace(found, session=replace(found.session, last_seen_at=now, expires_at=expires))
        return found

    def _expiry(self, session: Session, now: datetime, *, staff: bool) -> datetime:
        chosen = self._sessions.settings
        at_most = session.created_at + timedelta(days=chosen.session_days)
        idle = (
            timedelta(hours=chosen.session_idle_hours)
            if staff
            else timedelta(minutes=self._settings.idle_minutes)
        )
        return min(at_most, now + idle)


def begin_of(session: Session) -> int:
    """By which a session is told from another that had its number before a backup was restored."""
    return int(session.created_at.timestamp())


def _is_due(known: Known | None) -> bool:
    return known is not None and clock.now() - known.session.last_seen_at > SEEN_EVERY
