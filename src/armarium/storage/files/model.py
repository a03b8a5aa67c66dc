"""What is asked of the register, and what it answers of files and copies."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection

from armarium.core.storing import StoredFile
from armarium.storage.model import CopyState, File, FileKind, FileState, Replica


@dataclass(frozen=True)
class Copy:
    """A file in a replica."""

    file: int
    replica: Replica
    state: CopyState
    attempts: int
    error: str
    changed_at: datetime
    seen_at: datetime | None
    checked_at: datetime | None
    outcome: str
    found_sha256: str
    away: bool  # the replica did not answer when it was last asked


@dataclass(frozen=True)
class HeldCopy:
    """What a step of storing looks at, locked."""

    state: CopyState
    attempts: int
    error: str


@dataclass(frozen=True)
class Details:
    """What a file's page says beyond the register's line."""

    file: File
    original_job: str
    withdrawn_at: datetime | None
    withdrawn_reason: str
    taken_over_at: datetime | None
    trouble: str  # why it is not stored yet


@dataclass(frozen=True)
class Totals:
    files: int
    bytes: int
    storing: int
    withdrawn: int


# What people look for, and what lists say


class CopiesSought(StrEnum):
    """Files of which some copy, in a replica that is in use, is …"""

    DAMAGED = "damaged"  # missing, of other bytes, or being repaired
    UNFINISHED = "unfinished"  # not yet in the replica


@dataclass(frozen=True)
class FileFilter:
    """Which files somebody looks for; None means: all."""

    text: str = ""  # part of the name, or the beginning of the SHA-256
    state: FileState | None = None
    job: int | None = None
    harvest: int | None = None
    accession: int | None = None
    copies: CopiesSought | None = None
    replica: int | None = None  # alone: that has a copy there; else the copies above are those in it
    kind: FileKind | None = None


@dataclass(frozen=True)
class Amount:
    files: int
    bytes: int


@dataclass(frozen=True)
class Mark:
    """One copy, in short: for a line of a list."""

    replica: str
    state: CopyState
    away: bool


@dataclass(frozen=True)
class Figures:
    """What stands above the list."""

    files: int
    bytes: int
    storing: int  # files
    withdrawn: int
    damaged: int  # files of which a copy is
    copied_bytes: int  # of files that are being stored: in all replicas together
    to_copy_bytes: int
    as_of: datetime | None = None  # none: of this moment


class Successor(Protocol):
    """Who goes on with a file that is stored: asked for by storage, given by whoever joins the rooms.

    Called inside the transaction: both happen or neither.
    """

    def stored(self, connection: Connection, file: StoredFile) -> None: ...

    def withdrawn(self, connection: Connection, file: StoredFile) -> None: ...

    def restored(self, connection: Connection, file: StoredFile) -> None:
        """It is given out again, or its content was decided anew: index it again."""

    def source_lost(self, connection: Connection, name: str, sha256: str) -> bool:
        """Where it arrived it is gone or altered, and no replica has it: whoever has it has to send it.
        Whether somebody may."""

    def lost(self, connection: Connection, name: str, sha256: str) -> None:
        """Nobody will send it: it will not be stored."""


def as_stored(file: File) -> StoredFile:
    assert file.stored_at is not None, "a file that is not stored has no successor"
    return StoredFile(
        id=file.id,
        name=file.name,
        kind=file.kind.value,
        size=file.size,
        sha256=file.sha256,
        stored_at=file.stored_at,
        job=file.job,
        harvest=file.harvest,
        accession=file.accession,
        companion=Path(file.companion) if file.companion else None,
        companion_sha256=file.companion_sha256,
    )
