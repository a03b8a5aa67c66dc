"""What rules say, and for whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from armarium.access.model import Reader
from armarium.accounts.model import Role


class RuleEffect(StrEnum):
    ALLOW = "allow"
    RESTRICT = "restrict"  # it is said that it exists, and not shown (451)
    HIDE = "hide"  # as if it were not there (404)
    EMBARGO = "embargo"  # restricted until some time after the capture


class AddressMatch(StrEnum):
    """How much a rule covers; the later, the more specific."""

    EVERYTHING = "everything"
    DOMAIN = "domain"  # the host and all hosts below it
    HOST = "host"
    PREFIX = "prefix"
    EXACT = "exact"


class State(StrEnum):
    """Whether a rule has a say at this moment."""

    IN_FORCE = "in-force"
    PLANNED = "planned"  # from a day to come
    EXPIRED = "expired"  # its last day is over
    ENDED = "ended"  # by somebody


@dataclass(frozen=True)
class Audience:
    """For whom a rule is. All kinds that are given must fit, of each kind any; nothing given: everyone."""

    accredited: bool = False
    roles: frozenset[Role] = frozenset()
    accounts: frozenset[int] = frozenset()
    networks: frozenset[int] = frozenset()

    def fits(self, reader: Reader) -> bool:
        return (
            (not self.accounts or reader.account in self.accounts)
            and (not self.accredited or reader.accredited)
            and (not self.roles or not self.roles.isdisjoint(reader.roles))
            and (not self.networks or not self.networks.isdisjoint(reader.networks))
        )

    @property
    def weight(self) -> int:
        """How specific: an account more than what somebody is, that more than where somebody sits."""
        return 4 * bool(self.accounts) + 2 * bool(self.accredited or self.roles) + bool(self.networks)


EVERYONE = Audience()


UNITS = ("years", "months", "days")  # of an embargo


@dataclass(frozen=True)
class Period:
    years: int = 0
    months: int = 0
    days: int = 0

    def __bool__(self) -> bool:
        return bool(self.years or self.months or self.days)


@dataclass(frozen=True)
class Terms:
    """What a rule says."""

    effect: RuleEffect
    match: AddressMatch = AddressMatch.EVERYTHING
    pattern: str = ""  # as people typed it
    key: str = ""  # what it is in the index
    collection: str = ""  # empty: any
    captured_from: str = ""  # timestamps or their first digits, both included; empty: any
    captured_to: str = ""
    audience: Audience = EVERYONE
    embargo: Period = field(default_factory=Period)
    valid_from: datetime | None = None  # when it is read, not when it was captured
    valid_until: datetime | None = None
    one_reader: bool = False
    no_downloads: bool = False
    public_message: str = ""
    reason: str = ""
    legal_basis: str = ""
    take_down: bool = False  # holds against every other rule

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "Terms":
        """What `flat` gives, from a table or a document, where lists are of any kind."""
        plain = {name: said[name] for name in _PLAIN if name in said}
        plain["effect"], plain["match"] = RuleEffect(said["effect"]), AddressMatch(said["match"])
        roles, accounts = frozenset(map(Role, said["roles"])), frozenset(said["accounts"])
        audience = Audience(said["accredited"], roles, accounts, frozenset(said["networks"]))
        return cls(**plain, audience=audience, embargo=Period(*(said[f"embargo_{unit}"] for unit in UNITS)))

    def flat(self) -> dict[str, Any]:
        """As tables, forms and documents have it, with lists in order."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        named = {name: sorted(getattr(self.audience, name)) for name in ("roles", "accounts", "networks")}
        period = {f"embargo_{unit}": getattr(self.embargo, unit) for unit in UNITS}
        return {**plain, "accredited": self.audience.accredited, **named, **period}

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        moments = {"valid_from": _written(self.valid_from), "valid_until": _written(self.valid_until)}
        said = self.flat() | moments | {"effect": self.effect.value, "match": self.match.value}
        del said["key"]
        return said


_PLAIN = tuple(one.name for one in fields(Terms) if one.name not in ("audience", "embargo"))


def _written(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


@dataclass(frozen=True)
class Rule:
    id: int
    terms: Terms
    edition: int = 1
    created_at: datetime | None = None
    created_by: str = ""
    ended_at: datetime | None = None
    ended_by: str = ""
    ended_why: str = ""

    def state(self, now: datetime) -> State:
        if self.ended_at is not None:
            return State.ENDED
        if self.terms.valid_until is not None and now >= self.terms.valid_until:
            return State.EXPIRED
        if self.terms.valid_from is not None and now < self.terms.valid_from:
            return State.PLANNED
        return State.IN_FORCE
