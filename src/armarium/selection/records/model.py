"""A record, and what people write into it."""

from dataclasses import dataclass, field
from datetime import datetime

from armarium.core.entities import values_of
from armarium.selection.model import Budget, Combination, Depth, Frequency, Origin, RecordState


@dataclass(frozen=True)
class Further:
    """One more address from which the same site is harvested, as a sitemap."""

    address: str
    note: str = ""
    #: When it was last seen to answer. Nobody writes it: two that say the same are the same.
    checked_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Draft:
    """What somebody enters. `theme` is a number, `responsible` that of an account."""

    collection: int
    address: str
    theme: int
    budget: Budget
    frequency: Frequency
    depth: Depth
    title: str = ""
    language: str = ""
    keywords: tuple[str, ...] = ()
    content_notes: str = ""
    technical_notes: str = ""
    responsible: int | None = None
    active: bool = True
    further: tuple[Further, ...] = ()

    @property
    def combination(self) -> Combination:
        return Combination(self.budget, self.frequency, self.depth)


#: What may be changed in a record: the fields of a draft.
FIELDS = tuple(Draft.__dataclass_fields__)

#: Another value in one of these, and what a curator validated is no longer what would be harvested.
TECHNICAL = frozenset({"address", "budget", "frequency", "depth", "further"})


@dataclass(frozen=True, kw_only=True)
class Record(Draft):
    id: int
    key: str
    host: str
    domain: str
    state: RecordState
    state_reason: str
    stated_at: datetime | None
    stated_by: str
    origin: Origin
    check: int | None
    checked_at: datetime | None  # when its address was last seen to answer
    taken_over: bool  # with these addresses it came by an import: chosen elsewhere, before
    created_at: datetime
    created_by: str
    modified_at: datetime
    modified_by: str
    harvested_at: datetime | None
    harvested_job: int | None
    harvested_objects: int | None
    harvested_bytes: int | None
    harvested_stop: str
    edition: int
    collection_name: str
    theme_name: str
    responsible_name: str  # the account's name; empty: nobody

    @property
    def name(self) -> str:
        return self.title or self.address

    @property
    def draft(self) -> Draft:
        """What people wrote into it."""
        return Draft(**values_of(self, Draft))

    @property
    def addresses(self) -> tuple[str, ...]:
        return (self.address, *(one.address for one in self.further))

    @property
    def unseen(self) -> tuple[str, ...]:
        """Its addresses that have not been seen to answer; those of an import need not be."""
        if self.taken_over:
            return ()
        own = () if self.checked_at else (self.address,)
        return (*own, *(one.address for one in self.further if one.checked_at is None))

    @property
    def can_be_validated(self) -> bool:
        """Nobody selects what does not answer."""
        return not self.unseen

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        return {
            "collection": self.collection_name,
            "address": self.address,
            "addresses": [f"{one.address} ({one.note})" if one.note else one.address for one in self.further],
            "title": self.title,
            "theme": self.theme_name,
            "budget": self.budget.value,
            "frequency": self.frequency.value,
            "depth": self.depth.value,
            "language": self.language,
            "keywords": list(self.keywords),
            "content_notes": self.content_notes,
            "technical_notes": self.technical_notes,
            "responsible": self.responsible_name,
            "active": self.active,
            "state": self.state.value,
            "state_reason": self.state_reason,
        }


@dataclass(frozen=True)
class Comment:
    id: int
    record: int
    at: datetime
    author: str
    text: str
