"""A question for records: what somebody asks of each field. Its query string is the one form in which it is
kept, linked to and sent to the API."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Self
from urllib.parse import parse_qs, urlencode

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.model import Budget, Depth, Frequency, Origin, RecordState
from armarium.selection.search.fields import (
    MOST_NUMBERS,
    NO_AMOUNTS,
    NO_DAYS,
    Amounts,
    AmountSpan,
    Choices,
    Days,
    DaySpan,
    Given,
    Kind,
    Named,
    Numbers,
    Pairs,
    Several,
    Text,
    YesNo,
)

ME = "me"  # whoever asks: a shared search finds each reader's own records
NOBODY = "nobody"
UNKNOWN = "unknown"  # a language that nobody has entered

#: What a list can be ordered by; with “-” before it, the other way round.
ORDERS = (
    "number",
    "address",
    "title",
    "host",
    "domain",
    "collection",
    "theme",
    "budget",
    "frequency",
    "depth",
    "state",
    "reason",
    "active",
    "responsible",
    "language",
    "origin",
    "created",
    "created_by",
    "modified",
    "modified_by",
    "decided",
    "decided_by",
    "harvested",
    "job",
    "objects",
    "bytes",
    "stop",
    "edition",
)
USUAL_ORDER = "-modified"


@dataclass(frozen=True)
class Question:
    q: str = ""  # words anywhere in address, title, keywords and notes
    number: tuple[int, ...] = ()
    address: str = ""  # contains
    begins: str = ""  # the address begins so, however it is spelt
    further: str = ""  # a further address contains
    host: str = ""
    domain: str = ""
    title: str = ""
    collection: tuple[int | str, ...] = ()  # numbers or names
    theme: tuple[int | str, ...] = ()  # numbers or names; a name may be one of several collections
    budget: tuple[Budget, ...] = ()
    frequency: tuple[Frequency, ...] = ()
    depth: tuple[Depth, ...] = ()
    state: tuple[RecordState, ...] = ()
    reason: str = ""
    active: bool | None = None
    responsible: tuple[str, ...] = ()  # names of accounts, ME, NOBODY
    language: tuple[str, ...] = ()
    keyword: tuple[str, ...] = ()  # all of them
    content_notes: str = ""
    technical_notes: str = ""
    origin: tuple[Origin, ...] = ()
    checked: bool | None = None  # its address was seen to answer
    created: Days = NO_DAYS
    created_by: str = ""
    modified: Days = NO_DAYS
    modified_by: str = ""
    decided: Days = NO_DAYS
    decided_by: str = ""
    was_harvested: bool | None = None
    harvested: Days = NO_DAYS
    job: tuple[int, ...] = ()
    objects: Amounts = NO_AMOUNTS
    bytes: Amounts = NO_AMOUNTS
    stop: str = ""
    has_further: bool | None = None
    has_comments: bool | None = None
    comment: str = ""  # a comment contains
    edition: Amounts = NO_AMOUNTS
    order: str = USUAL_ORDER

    @classmethod
    def of(cls, given: Given) -> Self:
        """From parameters, of which those of others are left alone; `Refused` names the one that is wrong."""
        values = {name: kind.read(name, given) for name, kind in KINDS.items()}
        return cls(**values, order=_order(given))

    @classmethod
    def parse(cls, query: str) -> Self:
        """From a query string."""
        try:
            given = parse_qs(query.removeprefix("?"), errors="strict", max_num_fields=200_000)
        except ValueError:
            raise Refused(message("This search cannot be read: it is not valid UTF-8.")) from None
        return cls.of(given)

    def pairs(self) -> Pairs:
        """Each value with its parameter, in the order of the fields."""
        found = [pair for name, kind in KINDS.items() for pair in kind.write(name, getattr(self, name))]
        return found if self.order == USUAL_ORDER else [*found, ("order", self.order)]

    def query(self) -> str:
        """The canonical query string, without a question mark."""
        return urlencode(self.pairs())

    def without(self, pair: tuple[str, str]) -> Self:
        """The same question, that one thing less."""
        given: dict[str, list[str]] = {}
        for name, value in self.pairs():
            if (name, value) != pair:
                given.setdefault(name, []).append(value)
        return self.of(given)

    def but(self, **values: Any) -> Self:
        return replace(self, **values)

    @property
    def narrows(self) -> bool:
        return any(getattr(self, name) != kind.empty for name, kind in KINDS.items())


def _kinds() -> dict[str, Kind]:
    """How each field is read and written, in the order of the query string."""
    texts = ("responsible", "language", "keyword")
    special: dict[str, Kind] = {
        "number": Numbers(MOST_NUMBERS),
        "collection": Named(),
        "theme": Named(),
        "job": Numbers(),
        **{name: Several() for name in texts},
        "budget": Choices(Budget),
        "frequency": Choices(Frequency),
        "depth": Choices(Depth),
        "state": Choices(RecordState),
        "origin": Choices(Origin),
    }
    usual: list[tuple[object, Kind]] = [
        ("", Text()),
        (None, YesNo()),
        (NO_DAYS, DaySpan()),
        (NO_AMOUNTS, AmountSpan()),
    ]
    return {
        one.name: special.get(one.name) or next(kind for empty, kind in usual if one.default == empty)
        for one in fields(Question)
        if one.name != "order"
    }


KINDS: Mapping[str, Kind] = _kinds()


def _order(given: Given) -> str:
    typed = [one.strip() for one in given.get("order", ()) if one.strip()]
    if not typed:
        return USUAL_ORDER
    if typed[-1].removeprefix("-") not in ORDERS:
        raise Refused(
            message("Records can be ordered by: %(known)s.", known=", ".join(ORDERS)), field="order"
        )
    return typed[-1]


# Saved searches


class Shared(StrEnum):
    """With whom a search is shared."""

    NOBODY = "nobody"
    EVERYBODY = "everybody"
    COLLECTION = "collection"  # with the members of one


@dataclass(frozen=True)
class Saved:
    id: int
    owner: int
    owner_name: str
    name: str
    query: str
    shared: Shared
    collection: int | None
    collection_name: str
    created_at: datetime
    modified_at: datetime

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        return {
            "name": self.name,
            "query": self.query,
            "owner": self.owner_name,
            "shared": self.shared.value,
            "collection": self.collection_name,
        }


@dataclass(frozen=True)
class Sharing:
    shared: Shared = Shared.NOBODY
    collection: int | None = None
