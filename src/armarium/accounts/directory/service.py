"""The directories of this house: those that the settings name, and what comes of their word."""

from collections.abc import Collection
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import Connection

from armarium.accounts import queries
from armarium.accounts.directory import tables as directory_queries
from armarium.accounts.directory.admission import Admission
from armarium.accounts.directory.model import Person, Refusal
from armarium.accounts.directory.openid import OpenId
from armarium.accounts.directory.settings import DirectorySettings, OpenIdSettings
from armarium.accounts.model import Account, LinkPurpose, Source
from armarium.accounts.service import Accounts, subject
from armarium.audit.service import record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.late import late
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database

if TYPE_CHECKING:  # most houses have no directory
    from armarium.accounts.directory.ldap import Ldap
else:
    Ldap = late("armarium.accounts.directory.ldap:Ldap")


class Directories:
    def __init__(self, database: Database, ldap: DirectorySettings, openid: OpenIdSettings) -> None:
        self.ldap = Ldap(ldap) if ldap.url else None
        self.openid = OpenId(database, openid) if openid.issuer else None
        self.admission = Admission({Source.LDAP: ldap.terms, Source.OPENID: openid.terms})

    def proven(self, name: str, password: str) -> Person | None:
        """The person of the directory whose name and password these are."""
        return self.ldap.proven(name, password) if self.ldap else None

    @property
    def sources(self) -> list[Source]:
        """By which ways people can sign in here."""
        ways = {Source.LOCAL: True, Source.LDAP: self.ldap, Source.OPENID: self.openid}
        return [source for source, there in ways.items() if there]


# --- What administrators do about accounts of a directory, beside what the directory itself decides.


log = structlog.get_logger(__name__)


class DirectoryAccounts:
    def __init__(self, database: Database, directories: Directories) -> None:
        self.database = database
        self.directories = directories

    @property
    def sources(self) -> list[Source]:
        return self.directories.sources

    def groups_of(self, account: Account) -> list[str]:
        return self.groups_of_each([account.id])[account.id]

    def groups_of_each(self, accounts: Collection[int]) -> dict[int, list[str]]:
        with self.database.transaction() as connection:
            return directory_queries.groups_of_each(connection, accounts)

    def refusal_of(self, person: Person) -> Refusal | None:
        """Why the person would not be let in at this moment; nothing is written."""
        with self.database.transaction() as connection:
            return self.directories.admission.refusal_of(connection, person)

    def hand_over(self, actor: Actor, number: int, source: Source) -> Account:
        """Let an account sign in by another way from now on: its password is gone and its sessions end.

        The person whom a directory knows by the account's name has it from the next sign-in on.
        """
        if source not in self.sources:
            raise Refused(
                message(
                    "There is no sign-in by %(source)s here. Set it up in the settings first.",
                    source=source.value,
                ),
                field="source",
            )
        with self.database.transaction() as connection:
            before = self._existing(connection, number)
            if before.source is source:
                return before
            queries.ACCOUNTS.update(connection, number, source=source.value, subject=None, password_hash=None)
            directory_queries.replace_groups(connection, number, source, ())
            queries.delete_sessions(connection, of=number)
            queries.spend_links(connection, clock.now(), account_id=number, purpose=LinkPurpose.PASSWORD)
            was, now = {"source": before.source.value}, {"source": source.value}
            record(connection, actor, "account.handed_over", subject(before), before=was, after=now)
            announce(connection, "accounts")
            return self._existing(connection, number)

    def review(self) -> list[Account]:
        """Ask the directory anew about everybody who is signed in or has a token; those who had to go.

        Whoever it no longer has, or gives no role, loses the roles and the sessions. Should it have been
        mistaken, the next sign-in brings them back. Providers of OpenID Connect cannot be asked without the
        person.
        """
        if self.directories.ldap is None:
            return []
        with self.database.transaction() as connection:
            open_now = directory_queries.with_something_open(connection, Source.LDAP, clock.now())
        return [account for account in open_now if not self._may_stay(self.directories.ldap, account)]

    def _may_stay(self, ldap: "Ldap", account: Account) -> bool:
        """One person of whom nothing sensible can be said must not end the review of the others."""
        try:
            person = ldap.look_up(account.name)  # refused if it has several people of this name
            with self.database.transaction() as connection:
                return self.directories.admission.review(connection, account, person)
        except Refused as reason:
            log.warning("nothing can be decided about an account", name=account.name, reason=str(reason))
            return True

    def _existing(self, connection: Connection, number: int) -> Account:
        found = queries.ACCOUNTS.by_id(connection, number, lock=True)
        return existing(found, Accounts.kind.missing.saying(number=number))
