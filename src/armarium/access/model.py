"""What all doors of the reading room speak of, and what they ask of others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from typing import Protocol

from armarium.accounts.model import Role
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Found, Query
from armarium.formats.warc.records import Record

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


class Captures(Protocol):
    """An index over one collection, or several, or the files of some jobs."""

    def search(self, query: Query) -> Found: ...

    def raw(self, query: Query) -> Iterator[bytes]: ...

    def resolve(self, line: CdxLine, *, url: str = "", date: str = "") -> CdxLine | None: ...


class Archive(Protocol):
    """Collections, their captures, and the records of these. Everything blocks: call it in a thread."""

    def collections(self) -> Sequence[Collection]:
        """Those that readers can choose, `all` first."""

    def collection(self, name: str) -> Collection:
        """One of them, or several joined by "+"; raises `NotFound`."""

    def captures(self, collection: Collection) -> Captures: ...

    def record(self, filename: str, offset: int, length: int | None) -> Record:
        """The record that begins there. A short one was read and found whole; a long one comes as it is read.

        Raises `NotFound` where the file is not, `Unavailable` where no copy of it can be read now.
        """

    def record_pieces(
        self, filename: str, offset: int, length: int, first: int = 0, last: int | None = None
    ) -> Iterator[bytes]:
        """A record as it stands in the file, or its bytes from `first` to `last`, that one included.

        Where files are verified, this happens before anything is given back.
        """

    def provenance(self, filename: str) -> Provenance: ...


class Policy(Protocol):
    """One policy for every door."""

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision: ...
