"""A profile: how a crawl behaves, as people named it, in versions that are never altered."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from armarium.core.entities import Described, named_values


@dataclass(frozen=True)
class Profile(Described):
    id: int
    name: str
    description: str
    active: bool  # offered where a profile is chosen
    shipped: bool  # came with Armarium
    version: int  # the newest
    version_id: int  # its number in the table of versions, which jobs cite
    document: Mapping[str, Any]  # of the newest version: what differs from the defaults of a crawl order

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        return named_values(self, "name", "description", "active", "version")


@dataclass(frozen=True)
class Version:
    id: int
    profile: int
    version: int  # 1, 2, …
    document: Mapping[str, Any]
    reason: str  # why it was made
    by: str
    created_at: datetime


@dataclass(frozen=True)
class Usage:
    """A configuration that uses a profile."""

    domain: int
    domain_name: str
    configuration: str
    active: bool


@dataclass(frozen=True)
class Difference:
    """A key in which two documents differ; None: the default holds."""

    key: str  # scope.max_hops
    before: object
    after: object
