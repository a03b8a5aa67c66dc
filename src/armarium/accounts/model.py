"""Accounts, roles, permissions, and what proves an identity."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from armarium.core.actor import Actor, Via
from armarium.core.entities import Described
from armarium.core.errors import Refused
from armarium.core.message import message


class Role(StrEnum):
    """The people of a web archive; an account may have several roles."""

    ADMINISTRATOR = "administrator"
    LIBRARIAN = "librarian"
    CURATOR = "curator"
    ENGINEER = "engineer"
    PRESERVATION = "preservation"
    MANAGER = "manager"
    RESEARCHER = "researcher"
    READER = "reader"


class Permission(StrEnum):
    """What a page, an operation of the API or a token's scope can ask for."""

    ACCOUNTS_VIEW = "accounts.view"
    ACCOUNTS_MANAGE = "accounts.manage"
    AUDIT_VIEW = "audit.view"
    SETTINGS_VIEW = "settings.view"
    SYSTEM_VIEW = "system.view"
    TASKS_VIEW = "tasks.view"
    TASKS_MANAGE = "tasks.manage"
    SELECTION_VIEW = "selection.view"
    SELECTION_EDIT = "selection.edit"
    SELECTION_EVERYWHERE = "selection.everywhere"
    SELECTION_VALIDATE = "selection.validate"
    SELECTION_TRANSFER = "selection.transfer"
    SELECTION_RULES = "selection.rules"
    PLANNING_VIEW = "planning.view"
    PLANNING_EDIT = "planning.edit"
    PLANNING_RULES = "planning.rules"
    JOBS_MANAGE = "jobs.manage"
    COLLECTORS_MANAGE = "collectors.manage"
    STORAGE_VIEW = "storage.view"
    STORAGE_READ = "storage.read"
    STORAGE_MANAGE = "storage.manage"
    REPAIRS_APPROVE = "repairs.approve"
    INDEX_VIEW = "index.view"
    INDEX_MANAGE = "index.manage"
    ACCESS_VIEW = "access.view"
    ACCESS_RULES = "access.rules"
    ACCESS_READERS = "access.readers"
    ACCESS_EVERYTHING = "access.everything"
    VIEWER_USE = "viewer.use"


class Source(StrEnum):
    """Who says that this person is this person."""

    LOCAL = "local"  # Armarium itself, by a password
    LDAP = "ldap"  # the directory of the library
    OPENID = "openid"  # a provider of OpenID Connect


class AccountState(StrEnum):
    ACTIVE = "active"
    INVITED = "invited"  # has not yet set a password
    BLOCKED = "blocked"  # stays in the history, but cannot be used


@dataclass(frozen=True)
class Profile:
    """What an administrator enters about an account."""

    name: str
    display_name: str
    mail: str
    language: str
    roles: frozenset[Role]
    active: bool = True

    def values(self) -> dict[str, Any]:
        """As the table and the audit log have them."""
        return {**vars(self), "roles": sorted(self.roles)}


@dataclass(frozen=True)
class Account(Described):
    id: int
    name: str  # for signing in; lower case
    display_name: str
    mail: str
    language: str  # empty: the browser's preference
    roles: frozenset[Role]
    active: bool
    has_password: bool
    created_at: datetime
    last_sign_in_at: datetime | None
    source: Source = Source.LOCAL
    subject: str | None = None  # what the source calls the person for ever; None: has not come yet

    @property
    def is_local(self) -> bool:
        return self.source is Source.LOCAL

    @property
    def can_sign_in(self) -> bool:
        """Active, and with something to prove an identity by."""
        return self.active and (self.has_password or not self.is_local)

    @property
    def state(self) -> AccountState:
        if not self.active:
            return AccountState.BLOCKED
        return AccountState.ACTIVE if self.can_sign_in else AccountState.INVITED

    @property
    def profile(self) -> Profile:
        own = self.name, self.display_name, self.mail, self.language, self.roles, self.active
        return Profile(*own)

    def described(self) -> dict[str, object]:
        return self.profile.values()


@dataclass(frozen=True)
class Session:
    id: int
    account: int
    csrf: str  # proves that a form was served to this very session
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    address: str
    agent: str


@dataclass(frozen=True)
class Token:
    """An API token as it can be shown: its secret exists only in its owner's hands."""

    id: int
    account: int
    name: str
    hint: str  # the first letters of the secret, to tell tokens apart
    scopes: frozenset[Permission]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    def state(self, now: datetime) -> str:
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= now else "active"


@dataclass(frozen=True)
class Identity:
    """Somebody whose identity is proven, for the length of one request."""

    account: Account
    permissions: frozenset[Permission]
    session: Session | None = None  # None: an API token was shown
    address: str | None = None

    @property
    def via(self) -> Via:
        return Via.PAGE if self.session else Via.API

    def may(self, permission: Permission) -> bool:
        return permission in self.permissions

    @property
    def actor(self) -> Actor:
        return Actor(name=self.account.name, via=self.via, account=self.account.id, address=self.address)


class LinkPurpose(StrEnum):
    FIRST = "first"  # make the first administrator
    PASSWORD = "password"  # noqa: S105  (a purpose, not a password)


@dataclass(frozen=True)
class Link:
    """A one-time link that is still good."""

    id: int
    purpose: LinkPurpose
    account: int | None  # None: the account is made when the link is used
    expires_at: datetime


class Throttled(Refused):
    """Too many failures: the attempt was not even looked at."""

    def __init__(self, wait: timedelta) -> None:
        self.seconds = max(1, round(wait.total_seconds()))
        super().__init__(
            message("Too many failed attempts. Try again in %(seconds)s seconds.", seconds=self.seconds)
            if self.seconds > 1
            else message("Too many failed attempts. Try again in a second.")
        )
