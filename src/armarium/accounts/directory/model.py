"""What a directory tells about a person, and what this house makes of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from armarium.accounts.model import Role, Source
from armarium.core.errors import Refused
from armarium.core.message import Message

LONGEST = 200  # of a name, as in `rules.LONGEST_TEXT`; longer ones are no names


def tidy(text: str) -> str:
    """A directory's word as the database and a page can hold it."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:LONGEST]


@dataclass(frozen=True)
class Person:
    """Somebody whom a directory has vouched for, in the directory's own words."""

    source: Source
    subject: str  # does not change when the person marries or moves to another department
    name: str
    display_name: str
    mail: str
    groups: frozenset[str]


@dataclass(frozen=True)
class Terms:
    """On which terms people of a directory come in."""

    roles: Mapping[str, frozenset[Role]]  # by group
    required_group: str | None = None
    creates_accounts: bool = True
    ignores_case: bool = False  # LDAP compares names of groups without regard to case; OpenID does not

    def roles_of(self, groups: Iterable[str]) -> frozenset[Role]:
        mine = {self._key(group) for group in groups}
        return frozenset().union(*(roles for group, roles in self.roles.items() if self._key(group) in mine))

    def lacks_required(self, groups: Iterable[str]) -> bool:
        needed = self.required_group
        return needed is not None and self._key(needed) not in {self._key(group) for group in groups}

    def _key(self, group: str) -> str:
        return group.casefold() if self.ignores_case else group


class Reason(StrEnum):
    """Why somebody whom a directory vouched for was not let in."""

    NAME_TAKEN = "name_taken"
    NAME_UNFIT = "name_unfit"
    BLOCKED = "blocked"
    NO_ACCOUNT = "no_account"
    NO_ROLE = "no_role"
    GROUP_MISSING = "group_missing"


@dataclass(frozen=True)
class Refusal:
    """The house's decision not to let a person in: kept as a value until the audit log has it."""

    reason: Reason
    text: Message
    groups: frozenset[str] = field(default_factory=frozenset)


class NotAdmitted(Refused):
    """The directory knows the person, but this house does not let them in."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.text)
        self.reason = refusal.reason
        self.groups = refusal.groups


class Untrusted(Refused):
    """What a provider answered proves nothing: it is expired, forged, or meant for somebody else."""
