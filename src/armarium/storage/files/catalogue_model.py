"""What people look for among the files, and what lists and histories say of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from armarium.storage.model import CopyState, FileState


class CopiesSought(StrEnum):
    """Files of which some copy, in a replica that is in use, is …"""

    DAMAGED = "damaged"  # missing, of other bytes, or being repaired
    UNFINISHED = "unfinished"  # not yet in the replica


@dataclass(frozen=True)
class Sought:
    """Which files somebody looks for; None means: all."""

    text: str = ""  # part of the name, or the beginning of the SHA-256
    state: FileState | None = None
    job: int | None = None
    harvest: int | None = None
    accession: int | None = None
    copies: CopiesSought | None = None
    replica: int | None = None  # alone: that has a copy there; else the copies above are those in it


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


@dataclass(frozen=True)
class Occurrence:
    """Something that happened to a file: an event, or a look at one of its copies."""

    at: datetime
    kind: str  # of an event; empty: a check
    outcome: str = ""  # of a check
    replica: str = ""
    actor: str = ""
    details: Mapping[str, object] = field(default_factory=dict)
    audit: int | None = None
