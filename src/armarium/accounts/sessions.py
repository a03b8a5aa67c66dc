"""Signing in and out, and who a session key belongs to."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from armarium.accounts import keys, passwords, queries, rules
from armarium.accounts.directory.model import NotAdmitted, Person
from armarium.accounts.directory.service import Directories
from armarium.accounts.model import Account, Identity, Session, Throttled
from armarium.accounts.service import subject
from armarium.accounts.settings import AccountSettings
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.core.errors import Refused, Unavailable
from armarium.core.message import Message, message
from armarium.db.database import Database

log = structlog.get_logger(__name__)

SEEN_EVERY = timedelta(minutes=1)  # how exact `last_seen_at` is; writing it at each request would cost


@dataclass(frozen=True)
class Attempt:
    """A sign-in that counts as failed until it succeeds."""

    number: int
    imposed: timedelta  # how long others have to wait should this one fail


class Sessions:
    def __init__(
        self, database: Database, settings: AccountSettings, directories: Directories | None = None
    ) -> None:
        self.database = database
        self.settings = settings
        self.directories = directories

    def sign_in(self, name: str, password: str, *, address: str, agent: str) -> tuple[str, Account]:
        """A new session's key, or a refusal that does not tell whether the account exists."""
        name = name.strip().lower()[: rules.LONGEST_TEXT]
        attempt = self._count_attempt(name, address)
        account, password_hash = self._looked_up(name)
        if self._matches(account, password_hash, password):
            return self._enter_by_password(name, password, password_hash, address, agent)
        person = self._vouched_for(name, password, account, attempt)
        if person is None:
            self._tell_refused(name, address, attempt.imposed)
            raise Refused(message("Name or password is not right."))
        return self.enter(person, name=name, address=address, agent=agent)

    def enter(self, person: Person, *, address: str, agent: str, name: str = "") -> tuple[str, Account]:
        """A session for somebody whom a directory vouches for; `name`: what was typed, if something was."""
        assert self.directories is not None, "one of them vouched"
        with self.database.transaction() as connection:
            admitted = self.directories.admission.admit(connection, person, address)
            if isinstance(admitted, Account):
                queries.forget_failures(connection, name, rules.origin(address))
                return self._open(connection, admitted, address, agent), admitted
        raise NotAdmitted(admitted)  # after the transaction, which has written down why

    def _enter_by_password(
        self, name: str, password: str, password_hash: str | None, address: str, agent: str
    ) -> tuple[str, Account]:
        with self.database.transaction() as connection:
            account = self._still_holds(connection, name, password_hash)
            if account is None:
                # Blocked, or given another password, while we were hashing: what was proven is out of date.
                raise Refused(message("Name or password is not right."))
            queries.forget_failures(connection, name, rules.origin(address))
            if password_hash and passwords.outdated(password_hash):
                queries.ACCOUNTS.update(connection, account.id, password_hash=passwords.hashed(password))
            return self._open(connection, account, address, agent), account

    def prove(self, account: Account, password: str, *, address: str) -> None:
        """Let somebody who is signed in prove it again, under the same throttle as at the door."""
        if not account.is_local:
            raise rules.kept_elsewhere(account)
        attempt = self._count_attempt(account.name, address)
        if not self._matches(*self._looked_up(account.name), password):
            self._tell_refused(account.name, address, attempt.imposed)
            raise Refused(message("Name or password is not right."))
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
                queries.SESSIONS.update(connection, session.id, last_seen_at=now, expires_at=expires)
        return Identity(account, rules.permissions_of(account.roles), session, address)

    def sign_out(self, identity: Identity) -> None:
        if identity.session:
            with self.database.transaction() as connection:
                queries.delete_sessions(connection, of=identity.account.id, number=identity.session.id)
                record(connection, identity.actor, "account.signed_out", subject(identity.account))

    def of(self, account: Account) -> list[Session]:
        with self.database.transaction() as connection:
            return queries.open_sessions(connection, account.id, clock.now())

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

    def _still_holds(self, connection: Connection, name: str, password_hash: str | None) -> Account | None:
        found = queries.account_by_name(connection, name, lock=True)
        return found[0] if found and found[0].active and found[1] == password_hash else None

    def _looked_up(self, name: str) -> tuple[Account | None, str | None]:
        with self.database.transaction() as connection:
            return queries.account_by_name(connection, name) or (None, None)

    def _matches(self, account: Account | None, password_hash: str | None, password: str) -> bool:
        right = passwords.matches(password_hash, password[: rules.LONGEST_PASSWORD + 1])
        return right and account is not None and account.active

    def _vouched_for(
        self, name: str, password: str, account: Account | None, attempt: Attempt
    ) -> Person | None:
        """The person of the directory, for whom there is no local password, or another one.

        The directory is asked about names of local accounts too: whoever it vouches for is then told that the
        name is taken, instead of that the password is wrong.
        """
        if self.directories is None:
            return None
        try:
            return self.directories.proven(name, password)
        except Unavailable:
            if account is not None and account.is_local:
                return None  # the local password was wrong, which is all there is to say
            with self.database.transaction() as connection:  # nobody guessed: there was nothing to guess at
                queries.forget_failure(connection, attempt.number)
            raise

    def _count_attempt(self, name: str, address: str) -> Attempt:
        """Count the attempt as failed until proven right: a hundred at once count as a hundred."""
        origin = rules.origin(address)
        with self.database.transaction() as connection:
            # Always the place first, then the name: nobody who holds a name waits for a place.
            queries.one_at_a_time(connection, f"sign-in from {origin}")
            queries.one_at_a_time(connection, f"sign-in as {name}")
            now = clock.now()  # after those whose turn it was before
            wait = self._wait(connection, name, origin, now)
            if not wait:
                number = queries.insert_failure(connection, name, origin, now)
                return Attempt(number, self._wait(connection, name, origin, now))
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
        session = queries.SESSIONS.new(connection, **values)
        queries.ACCOUNTS.update(connection, account.id, last_sign_in_at=now)
        identity = Identity(account, rules.permissions_of(account.roles), session, address)
        record(connection, identity.actor, "account.signed_in", subject(account))
        return key

    def _expiry(self, created: datetime, seen: datetime) -> datetime:
        at_most = created + timedelta(days=self.settings.session_days)
        return min(at_most, seen + timedelta(hours=self.settings.session_idle_hours))
