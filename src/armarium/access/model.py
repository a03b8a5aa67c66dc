"""What all doors of the reading room speak of."""

from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from armarium.accounts.model import Role
from armarium.formats.cdx import CdxLine

EVERYTHING = "all"  # the name under which readers find all collections at once


@dataclass(frozen=True)
class Collection:
    """A set of captures that readers can choose."""

    name: str  # as in addresses; several joined by "+"
    title: str
    everything: bool = False
    viewing: int | None = None  # the number of a viewing: only the files of some jobs, for quality assurance


WHOLE = Collection(EVERYTHING, "", everything=True)


@dataclass(frozen=True)
class Reader:
    """Who reads, as far as the rules ask. Nothing of it is ever written into statistics."""

    account: int | None = None  # None: nobody has signed in
    roles: frozenset[Role] = frozenset()
    networks: frozenset[int] = frozenset()  # numbers of the networks in which the address lies
    accredited: bool = False
    sees_everything: bool = False  # staff who look after the rules
    visit: str = ""  # which of the readers at this moment: whose lock it is; not kept


class Effect(StrEnum):
    """What becomes of a capture for one reader."""

    ALLOWED = "allowed"
    RESTRICTED = "restricted"  # it is said that it exists, and not shown
    HIDDEN = "hidden"  # as if it were not there


@dataclass(frozen=True)
class Decision:
    effect: Effect
    rule: int | None = None  # which rule decided; None: the default of the settings
    message: str = ""  # for the reader
    until: date | None = None  # when an embargo ends
    one_reader: bool = False  # only one reader at a time may have the page
    no_downloads: bool = False

    @property
    def allowed(self) -> bool:
        return self.effect is Effect.ALLOWED

    def joined(self, other: "Decision") -> "Decision":
        """With the conditions of another one, for what is made of two captures."""
        alone, closed = other.one_reader, other.no_downloads
        return replace(self, one_reader=self.one_reader or alone, no_downloads=self.no_downloads or closed)


OPEN = Decision(Effect.ALLOWED)


@dataclass(frozen=True)
class Seen:
    """A capture with what was decided about it. Of a restricted one only address and time are left."""

    line: CdxLine
    decision: Decision = OPEN

    @property
    def allowed(self) -> bool:
        return self.decision.allowed


@dataclass(frozen=True)
class Page:
    """Part of an answer, hidden captures left out."""

    captures: list[Seen]
    resume: str | None = None
    short: bool = False  # no more may be read of the index for this request, though there is more


@dataclass(frozen=True)
class Provenance:
    """Where a file came from."""

    file: str
    harvest: int | None = None
    harvest_name: str = ""
    job: int | None = None
    accession: str = ""
    collections: tuple[str, ...] = field(default=())
