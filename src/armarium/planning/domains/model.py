"""What domains are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from armarium.core.entities import named_values

#: Beyond this, a list says "more than": nobody turns 200 pages, and counting millions takes seconds.
MOST_COUNTED = 10_000


@dataclass(frozen=True)
class Total:
    """How many there are; `more`: that many and further ones that were not counted."""

    number: int
    more: bool = False


class AliasFilter(StrEnum):
    NONE = "none"  # domains that are no alias
    LIVE = "live"
    EXPIRED = "expired"


@dataclass(frozen=True)
class DomainFilter:
    """Which domains to look for; an empty field asks nothing."""

    name: str = ""  # part of a name, or a pattern with * and ?
    tld: str = ""
    active: bool | None = None
    alias: AliasFilter | None = None
    traps: bool | None = None
    never_harvested: bool = False  # no job ever had anything of it
    comment: str = ""  # part of the comments
    broad: bool | None = None  # taken by broad harvests


@dataclass(frozen=True)
class DomainRow:
    """A domain in a list."""

    id: int
    name: str
    active: bool
    alias_of: int | None
    alias_name: str | None
    alias_since: datetime | None
    traps: int  # how many
    comments: str
    broad: bool
    captured_at: datetime | None  # when a job last had anything of it
    max_objects: int | None  # of its default configuration
    max_bytes: int | None

    @property
    def harvested(self) -> bool:
        return self.captured_at is not None


@dataclass(frozen=True)
class Domain:
    id: int
    name: str
    active: bool
    broad: bool  # taken by broad harvests
    comments: str
    traps: tuple[str, ...]
    default_configuration: int | None
    alias_of: int | None
    alias_since: datetime | None
    fields: Mapping[str, Any]  # custom fields, by their number
    origin: str
    created_at: datetime
    captured_at: datetime | None  # when a job last had anything of it; None: never
    edition: int

    def described(self) -> dict[str, object]:
        """For the audit log."""
        return named_values(self, "active", "broad", "comments", "traps", "fields")


@dataclass(frozen=True)
class SeedList:
    id: int
    domain: int
    name: str
    seeds: str
    comments: str
    edition: int

    def described(self) -> dict[str, object]:
        return named_values(self, "name", "seeds", "comments")


@dataclass(frozen=True)
class Configuration:
    id: int
    domain: int
    name: str
    active: bool
    profile: int
    profile_name: str
    seed_lists: tuple[int, ...]
    max_objects: int | None
    max_bytes: int | None
    overrides: Mapping[str, Any]
    comments: str
    best_objects: int | None
    best_bytes: int | None
    best_complete: bool
    edition: int

    def described(self) -> dict[str, object]:
        limits = ("max_objects", "max_bytes", "overrides")
        said = named_values(self, "name", "active", "seed_lists", *limits, "comments")
        return {**said, "profile": self.profile_name}


@dataclass(frozen=True)
class NewConfiguration:
    """What a person says about a configuration."""

    name: str
    profile: int
    seed_lists: tuple[int, ...]
    max_objects: int | None = None
    max_bytes: int | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    comments: str = ""
    active: bool = True


class CredentialKind(StrEnum):
    BASIC = "basic"
    DIGEST = "digest"
    FORM = "form"


@dataclass(frozen=True)
class Credential:
    """A credential as it is shown: without its secret."""

    id: int
    domain: int
    kind: CredentialKind
    realm: str
    user_name: str
    login_url: str
    active: bool
    created_at: datetime

    def described(self) -> dict[str, object]:
        return named_values(self, "kind", "realm", "user_name", "login_url", "active")


@dataclass(frozen=True)
class NewCredential:
    """A credential as it is entered; never kept in this form."""

    kind: CredentialKind
    realm: str = ""
    user_name: str = ""
    password: str = field(default="", repr=False)
    login_url: str = ""
    fields: Mapping[str, str] = field(default_factory=dict, repr=False)  # of a form


@dataclass(frozen=True)
class Alias:
    """A domain that has the same content as another one."""

    id: int
    name: str
    of_id: int
    of_name: str
    since: datetime
    until: datetime


@dataclass(frozen=True)
class Import:
    """One import of a file of domains."""

    id: int
    name: str
    state: str  # reading, running, done, failed
    begun_at: datetime
    ended_at: datetime | None
    lines: int
    created: int
    known: int
    repeated: int  # its domain stood in the file before
    refused: int
    skipped: int  # empty, a comment, or the heading
    faults: tuple[Mapping[str, Any], ...]  # {"line": number, "text": …, "fault": {"template", "values"}}
    by: str
    error: str
    origin: str
    actor: Mapping[str, Any] = field(repr=False)

    @property
    def done(self) -> int:
        """Of how many lines it is known what became of them."""
        return self.created + self.known + self.repeated + self.refused + self.skipped


@dataclass(frozen=True)
class TldCount:
    name: str
    domains: int
    active: int
    below: tuple[tuple[str, int], ...] = ()  # registries of the second level, with their domains
