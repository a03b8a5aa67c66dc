"""The words of the chain."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import BinaryIO, Protocol

from sqlalchemy import Connection

from armarium.core.storing import Places, StoredFile

MAIN = "main"  # the collection that has everything


class Kind(StrEnum):
    CDX = "cdx"
    ROWS = "rows"
    STANDING = "standing"  # lines that go on answering until those that are made anew take their place


class Level(StrEnum):
    FILE = "file"  # one file; the only level that is source of both kinds
    DAY = "day"
    BIG = "big"


class RunState(StrEnum):
    MAKING = "making"  # announced: its bytes may be there, or not yet
    LIVE = "live"
    STANDING = "standing"  # answers while the index, or its collection, is made anew; no merge takes it
    RETIRED = "retired"  # replaced; kept a while for those who read it


class IndexState(StrEnum):
    WAITING = "waiting"
    AGAIN = "again"  # to be indexed anew; what the runs hold of it is not answered
    INDEXED = "indexed"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


#: Lines of files in these states are not answered, and dropped at the next merge.
HIDDEN = (IndexState.WITHDRAWN, IndexState.AGAIN)
UNFINISHED = (IndexState.WAITING, IndexState.AGAIN, IndexState.FAILED)


@dataclass(frozen=True)
class IndexedFile:
    file: int
    name: str
    day: date
    state: IndexState
    sha256: str  # of the content that was last indexed
    harvest: int | None = None
    accession: int | None = None
    job: int | None = None
    made_from: str = ""
    error: str = ""
    lines: int = 0
    indexed_at: datetime | None = None
    asked_at: datetime | None = None  # when its state was last decided, by whomever


@dataclass(frozen=True)
class RunRow:
    id: int
    collection: int
    kind: Kind
    level: Level
    day: date | None
    name: str
    lines: int
    bytes: int
    state: RunState
    sha256: str = ""


@dataclass(frozen=True)
class Choice:
    """What people say of a collection: it has the files of these harvests and accessions."""

    title: str = ""
    harvests: Sequence[int] = ()
    accessions: Sequence[int] = ()
    active: bool = True

    def described(self) -> dict[str, object]:
        """For the audit log, and as columns."""
        numbers = {"harvests": sorted(self.harvests), "accessions": sorted(self.accessions)}
        return {"title": self.title, **numbers, "active": self.active}


@dataclass(frozen=True)
class Collection:
    """A set of files with an index of its own."""

    id: int
    name: str
    title: str
    everything: bool
    harvests: tuple[int, ...] = field(default=())
    accessions: tuple[int, ...] = field(default=())
    active: bool = True
    edition: int = 1

    def has(self, harvest: int | None, accession: int | None) -> bool:
        return self.everything or harvest in self.harvests or accession in self.accessions

    @property
    def choice(self) -> Choice:
        return Choice(self.title, self.harvests, self.accessions, self.active)


@dataclass(frozen=True)
class Piece:
    """A finished file that is to become a run."""

    collection: int
    kind: Kind
    level: Level
    day: date | None
    name: str
    lines: int
    bytes: int
    sha256: str
    first: str
    last: str


@dataclass(frozen=True)
class Indexed:
    """What came of indexing a file."""

    lines: int
    made_from: str  # companion, file
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class StepRow:
    id: int
    step: str
    state: str
    about: str
    started_at: datetime
    heard_at: datetime | None
    ended_at: datetime | None
    done: int
    total: int
    error: str


class Archive(Protocol):
    """What the index asks of storage, and of planning."""

    def open(self, name: str) -> BinaryIO:
        """A file that can be read anywhere."""

    def stored_after(self, file_id: int, most: int) -> list[StoredFile]:
        """Files that are stored and not withdrawn, by number."""

    def places(self) -> Iterator[Places]:
        """Where each is, sorted by the bytes of its name."""

    def harvest_name(self, connection: Connection, number: int) -> str:
        """What people call a harvest; empty: it is not known here."""

    def taken_over(self, connection: Connection, file_id: int) -> None:
        """The index needs the source and the companion of a file no more."""


# Figures


@dataclass(frozen=True)
class Totals:
    files: Mapping[IndexState, int]
    failed: int  # of all states: files that were tried and could not be indexed
    lines: int
    bytes: int  # of the runs that hold them

    @property
    def waiting(self) -> int:
        asked = self.files.get(IndexState.WAITING, 0) + self.files.get(IndexState.AGAIN, 0)
        return asked - (self.failed - self.files.get(IndexState.FAILED, 0))

    @property
    def indexed(self) -> int:
        return self.files.get(IndexState.INDEXED, 0)

    @property
    def withdrawn(self) -> int:
        return self.files.get(IndexState.WITHDRAWN, 0)


@dataclass(frozen=True)
class LevelFigures:
    runs: int = 0
    lines: int = 0
    bytes: int = 0
