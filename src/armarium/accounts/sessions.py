"""Signing in and out, and who a session key belongs to."""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from armarium.accounts import keys, passwords, queries, rules
from armarium.accounts.model import Account, Identity, Session
from armarium.accounts.service import subject
from armarium.accounts.settings import AccountSettings
from armarium.accounts.throttled import Throttled
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.db.database import Database

log = structlog.get_logger(__name__)

SEEN_EVERY = timedelta(minutes=1)  # how exact `last_seen_at` is; writing it at each request would cost


class Sessions:
    def __init__(self, database: Database, settings: AccountSettings) -> None:
        self.database = database
        self.settings = settings

    def sign_in(self, name: str, password: str, *, address: str, agent: str) -> tuple[str, Account]:
        """A new session's key, or a refusal that does not tell whether the account exists."""
        name = name.strip().lower()[: rules.LONGEST_TEXT]
        account, password_hash = self._proven(name, password, address)
        with self.database.transaction() as connection:
            if not self._still_holds(connection, name, password_hash):
                # Blocked, or given another password, while we were hashing: what was proven is out of date.
                raise Refused(message("Name or password is not right."))
            queries.forget_failures(connection, name, rules.origin(address))
            if password_hash and passwords.outdated(password_hash):
                queries.update_account(connection, account.id, password_hash=passwords.hashed(password))
            return self._open(connection, account, address, agent), account

    def prove(self, account: Account, password: str, *, address: str) -> None:
        """Let somebody who is signed in prove it again, under the same throttle as at the door."""
        self._proven(account.name, password, address)
        with self.database.transaction() as connection:
            queries.forget_failures(connection, account.name, rules.origin(address))

    def open_for(self, account: Account, *, address: str, agent: str) -> str:
        """A session for somebody who has just proven an identity otherwise, with a one-time link."""
        with self.database.transaction() as connection:
            return self._open(connection, account, address, agent)

    def identity(self, key: str, address: str, *, renew: bool = True) -> Identity | None:
        """Whose key this is, with the permissions of this very moment.

        `renew`: somebody does something, so the session lives on; a page that refreshes itself does not.
        """
        now = clock.now()
        with self.database.transaction() as connection:
            session = queries.session_by_digest(connection, keys.digest(key))
            if session is None or session.expires_at <= now:
                return None
            account = queries.account_by_id(connection, session.account)
            if account is None or not account.active:
                return None
            if renew and now - session.last_seen_at > SEEN_EVERY:
                expires = self._expiry(session.created_at, now)
                queries.update_session(connection, session.id, last_seen_at=now, expires_at=expires)
        return Identity(account, rules.permissions_of(account.roles), session, address)

    def sign_out(self, identity: Identity) -> None:
        if identity.session:
            with self.database.transaction() as connection:
                queries.delete_sessions(connection, of=identity.account.id, number=identity.session.id)
                record(connection, identity.actor, "account.signed_out", subject(identity.account))

    def of(self, account: Account) -> list[Session]:
        with self.database.transaction() as connection:
            return [s for s in queries.sessions_of(connection, account.id) if s.expires_at > clock.now()]

    def end(
        self, actor: Actor, account: Account, *, number: int | None = None, but: int | None = None
    ) -> int:
        """End one session of an account, or all, or all but one; how many ended."""
        with self.database.transaction() as connection:
            ended = queries.delete_sessions(connection, of=account.id, number=number, but=but)
            if ended:
                record(connection, actor, "account.sessions_ended", subject(account), after={"ended": ended})
            return ended

    # Notices wait in the session for the next page, since a redirect lies between cause and page.

    def put_notice(self, session: Session, kind: str, text: Message) -> None:
        notice: dict[str, object] = {"kind": kind, "template": text.template, "values": dict(text.values)}
        with self.database.transaction() as connection:
            queries.put_notices(connection, session.id, [notice])

    def take_notices(self, session: Session) -> list[tuple[str, Message]]:
        with self.database.transaction() as connection:
            found = queries.take_notices(connection, session.id)
        return [(str(n["kind"]), Message(str(n["template"]), dict(n["values"]))) for n in found]  # type: ignore[call-overload]

    # Steps

    def _still_holds(self, connection: Connection, name: str, password_hash: str | None) -> bool:
        found = queries.account_by_name(connection, name, lock=True)
        return found is not None and found[0].active and found[1] == password_hash

    def _proven(self, name: str, password: str, address: str) -> tuple[Account, str | None]:
        imposed = self._count_attempt(name, address)
        with self.database.transaction() as connection:
            found = queries.account_by_name(connection, name)
        account, password_hash = found or (None, None)
        right = passwords.matches(password_hash, password[: rules.LONGEST_PASSWORD + 1])
        if account is None or not right or not account.active:
            self._tell_refused(name, address, imposed)
            raise Refused(message("Name or password is not right."))
        return account, password_hash

    def _count_attempt(self, name: str, address: str) -> timedelta:
        """Count the attempt as failed until proven right: a hundred at once count as a hundred.

        What is returned: how long others have to wait should this one fail.
        """
        origin = rules.origin(address)
        with self.database.transaction() as connection:
            # Always the place first, then the name: nobody who holds a name waits for a place.
            queries.one_at_a_time(connection, f"sign-in from {origin}")
            queries.one_at_a_time(connection, f"sign-in as {name}")
            now = clock.now()  # after those whose turn it was before
            wait = self._wait(connection, name, origin, now)
            if not wait:
                queries.insert_failure(connection, name, origin, now)
                return self._wait(connection, name, origin, now)
        log.warning("sign-in throttled", name=name, address=address)
        raise Throttled(wait)

    def _wait(self, connection: Connection, name: str, origin: str, now: datetime) -> timedelta:
        since = now - rules.FAILURES_REMEMBERED
        waits = []
        for throttle in rules.THROTTLES:
            same_name = name if throttle.same_name else None
            same_address = origin if throttle.same_address else None
            failures = queries.failures(connection, since, same_name, same_address)
            waits.append(rules.wait_after(failures, throttle, now))
        return max(waits)

    def _tell_refused(self, name: str, address: str, imposed: timedelta) -> None:
        """Log each refusal; the audit log gets one entry per imposed wait, not one per knock at the door."""
        log.warning("sign-in refused", name=name, address=address)
        if not imposed:
            return
        actor = Actor(name="", via=Via.PAGE, address=address)  # nobody proved to be this person
        knocked_at, wait = Subject("account", "", name), {"seconds": round(imposed.total_seconds())}
        with self.database.transaction() as connection:
            record(connection, actor, "account.throttled", knocked_at, after=wait)

    def _open(self, connection: Connection, account: Account, address: str, agent: str) -> str:
        key, now = keys.new_key(), clock.now()
        values = {
            "account": account.id,
            "key_digest": keys.digest(key),
            "csrf": keys.new_key(),
            "created_at": now,
            "last_seen_at": now,
            "expires_at": self._expiry(now, now),
            "address": address,
            "agent": agent[: rules.LONGEST_TEXT],
        }
        session = queries.insert_session(connection, values)
        queries.update_account(connection, account.id, last_sign_in_at=now)
        identity = Identity(account, rules.permissions_of(account.roles), session, address)
        record(connection, identity.actor, "account.signed_in", subject(account))
        return key

    def _expiry(self, created: datetime, seen: datetime) -> datetime:
        at_most = created + timedelta(days=self.settings.session_days)
        return min(at_most, seen + timedelta(hours=self.settings.session_idle_hours))
