"""The verbs on accounts. Nothing is deleted: an account that is no longer wanted becomes inactive."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from armarium.accounts import keys, passwords, queries, rules
from armarium.accounts.directory import tables as directory_queries
from armarium.accounts.model import Account, AccountState, Link, LinkPurpose, Profile, Role
from armarium.accounts.queries import Wanted
from armarium.accounts.settings import AccountSettings
from armarium.audit.entities import Entities, Kind
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.core.errors import NotFound, Refused, existing
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.stretches import Beginning

EVERYBODY = Wanted()
FIRST = Profile("administrator", "", "", "", frozenset({Role.ADMINISTRATOR}))


@dataclass(frozen=True)
class NewLink:
    """A one-time link at its birth: the only moment at which its key can be read."""

    key: str
    expires_at: datetime


def subject(account: Account) -> Subject:
    return Subject("account", account.id, account.name)


class Accounts(Entities[Account]):
    kind = Kind(
        name="account",
        topic="accounts",
        missing=message("There is no account with the number %(number)s."),
        taken=message("The name %(name)s is taken."),
        changed=message(
            "Somebody else has changed this account in the meantime. Reload the page, then save."
        ),
    )
    rows = queries.ACCOUNTS

    def __init__(self, database: Database, settings: AccountSettings) -> None:
        super().__init__(database)
        self.settings = settings

    # Reading

    def page(
        self, wanted: Wanted = EVERYBODY, *, limit: int, offset: Beginning = 0
    ) -> tuple[list[Account], int]:
        with self._database.transaction() as connection:
            return self.rows.page(connection, limit, offset, *queries.matching(wanted))

    def named(self, name: str) -> Account:
        with self._database.transaction() as connection:
            found = self.rows.by_name(connection, name.strip().lower())
            missing = message("There is no account named %(name)s.", name=name)
            return existing(found, missing, name=name, known=lambda: self.rows.names(connection))

    def people_by_role(self) -> dict[Role, int]:
        """How many active accounts have each role."""
        return {role: self.page(Wanted(role=role, active=True), limit=0)[1] for role in Role}

    def has_administrator(self) -> bool:
        return self.page(Wanted(role=Role.ADMINISTRATOR, state=AccountState.ACTIVE), limit=1)[1] > 0

    # Changing

    def create(self, actor: Actor, profile: Profile) -> Account:
        with self._database.transaction() as connection:
            return self._create(connection, actor, rules.checked(profile), password_hash=None)

    def change(self, actor: Actor, number: int, profile: Profile, *, seen: str | None = None) -> Account:
        """Change everything that an administrator may change; sessions end when the account is closed.

        `seen`: the mark of the account as it was shown; what changed since must not be undone unawares.
        """
        profile = rules.checked(profile)
        with self._database.transaction() as connection:
            administrators = queries.lock_administrators(connection)
            before = self.locked(connection, number, seen)
            self._keep_an_administrator(before, profile, administrators)
            rules.keep_roles_of_directory(before, profile)
            return self._change(connection, actor, before, profile)

    def change_own(self, actor: Actor, number: int, display_name: str, mail: str, language: str) -> Account:
        """Change what people may change about their own account.

        Roles are read in the same transaction: who is being demoted must not save the old ones back.
        """
        with self._database.transaction() as connection:
            before = self.existing(connection, number, lock=True)
            if not before.is_local:  # the directory tells the rest at each sign-in
                display_name, mail = before.display_name, before.mail
            profile = Profile(before.name, display_name, mail, language, before.roles, before.active)
            return self._change(connection, actor, before, rules.checked(profile))

    def set_language(self, actor: Actor, number: int, language: str) -> None:
        with self._database.transaction() as connection:
            before = self.existing(connection, number, lock=True)
            if before.language == language:
                return
            self.rows.update(connection, number, language=language)
            was, now = {"language": before.language}, {"language": language}
            record(connection, actor, "account.changed", subject(before), before=was, after=now)

    def change_password(self, actor: Actor, number: int, new: str, *, keep_session: int | None) -> None:
        """Set a new password for somebody who has proven the present one; every other session ends."""
        account = self.get(number)
        if not account.is_local:
            raise rules.kept_elsewhere(account)
        rules.check_password(new, account.name)
        password_hash = passwords.hashed(new)
        with self._database.transaction() as connection:
            self._set_password(connection, actor, account, password_hash)
            queries.delete_sessions(connection, of=number, but=keep_session)

    # One-time links

    def first_link(self) -> NewLink | None:
        """A link to make the first administrator, or None if there is one. Earlier such links die."""
        if self.has_administrator():
            return None
        with self._database.transaction() as connection:
            return self._new_link(connection, LinkPurpose.FIRST, None)

    def password_link(self, actor: Actor, number: int) -> NewLink:
        """A link with which the account's owner sets a password; earlier ones die."""
        with self._database.transaction() as connection:
            account = self.existing(connection, number)
            if not account.is_local:
                raise rules.kept_elsewhere(account)
            if not account.active:
                raise Refused(message("The account %(name)s is inactive.", name=account.name))
            record(connection, actor, "account.link_made", subject(account))
            return self._new_link(connection, LinkPurpose.PASSWORD, number)

    def look_at_link(self, key: str) -> tuple[Link, Account | None]:
        """What the link is for, without spending it: mail programs open links before people do."""
        with self._database.transaction() as connection:
            return self._good_link(connection, key)

    def use_link(self, key: str, password: str, address: str, *, first: Profile | None = None) -> Account:
        """Set the password and end all sessions; `first`: the administrator whom a first link makes."""
        with self._database.transaction() as connection:
            _, account = self._good_link(connection, key)
        profile = rules.checked(first or FIRST)
        name = account.name if account else profile.name
        rules.check_password(password, name)
        password_hash = passwords.hashed(password)
        with self._database.transaction() as connection:
            queries.one_at_a_time(connection, "one-time links")
            link, account = self._good_link(connection, key)
            if account is None and queries.lock_administrators(connection):
                raise _link_is_dead()  # an administrator was made in another way since
            actor = Actor(name=name, via=Via.PAGE, account=account.id if account else None, address=address)
            if account is None:
                profile = replace(profile, roles=FIRST.roles, active=True)
                account = self._create(connection, actor, profile, password_hash=password_hash)
            else:
                self._set_password(connection, actor, account, password_hash)
                queries.delete_sessions(connection, of=account.id)
            queries.spend_links(connection, clock.now(), account_id=link.account, purpose=link.purpose)
            return account

    def forget_expired(self) -> int:
        """Clear away sessions, links and failures that no longer matter."""
        now = clock.now()
        with self._database.transaction() as connection:
            gone = queries.delete_expired(connection, now, now - rules.FAILURES_REMEMBERED)
            return gone + directory_queries.delete_expired(connection, now)

    # Steps

    def _create(
        self, connection: Connection, actor: Actor, profile: Profile, *, password_hash: str | None
    ) -> Account:
        values = {**profile.values(), "created_at": clock.now(), "password_hash": password_hash}
        account = self.insert(connection, values)
        by = replace(actor, account=account.id) if actor.account is None and password_hash else actor
        self.note(connection, by, None, account)
        return account

    def _change(self, connection: Connection, actor: Actor, before: Account, profile: Profile) -> Account:
        after = self.update(connection, before, profile.values())
        if not profile.active:
            queries.delete_sessions(connection, of=before.id)
            self._spend_links(connection, before)
        self.note(connection, actor, before, after)
        return after

    def _keep_an_administrator(
        self, before: Account, profile: Profile, administrators: Sequence[Account]
    ) -> None:
        """Somebody must be able to let others in; who never set a password cannot."""
        was = before.active and Role.ADMINISTRATOR in before.roles
        stays = profile.active and Role.ADMINISTRATOR in profile.roles
        others = [other for other in administrators if other.id != before.id and other.can_sign_in]
        if was and not stays and not others:
            raise Refused(message("This is the last administrator. Create another one first."), field="roles")

    def _set_password(
        self, connection: Connection, actor: Actor, account: Account, password_hash: str
    ) -> None:
        self.rows.update(connection, account.id, password_hash=password_hash)
        self._spend_links(connection, account)
        record(connection, actor, "account.password_set", subject(account))

    def _spend_links(self, connection: Connection, account: Account) -> None:
        """A link that was made for another password, or before the account was closed, opens nothing."""
        queries.spend_links(connection, clock.now(), account_id=account.id, purpose=LinkPurpose.PASSWORD)

    def _new_link(self, connection: Connection, purpose: LinkPurpose, account: int | None) -> NewLink:
        now = clock.now()
        queries.spend_links(connection, now, account_id=account, purpose=purpose)
        key, expires = keys.new_key(), now + timedelta(hours=self.settings.link_hours)
        values = {
            "key_digest": keys.digest(key),
            "purpose": purpose.value,
            "account": account,
            "created_at": now,
            "expires_at": expires,
        }
        queries.LINKS.add(connection, **values)
        return NewLink(key, expires)

    def _good_link(self, connection: Connection, key: str) -> tuple[Link, Account | None]:
        link = queries.good_link(connection, keys.digest(key), clock.now())
        account = self.existing(connection, link.account) if link and link.account else None
        if link is None or (account and not (account.active and account.is_local)):
            raise _link_is_dead()
        return link, account


def _link_is_dead() -> NotFound:
    return NotFound(message("This link has been used or has expired. Ask an administrator for a new one."))
