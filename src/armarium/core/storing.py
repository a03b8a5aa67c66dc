"""Documents between harvest, storage, index and those who read."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class SealedFile:
    """A W/ARC file that will not change any more, and lies in a folder of ours until storage has it."""

    name: str
    kind: str  # data, metadata
    size: int
    sha256: str
    path: Path
    job: int | None = None
    harvest: int | None = None
    companion: Path | None = None  # CDXJ that came with it
    companion_sha256: str = ""  # as it was sent; empty where nobody has said it


@dataclass(frozen=True)
class StoredFile:
    """A file that every replica has accepted."""

    id: int
    name: str
    kind: str
    size: int
    sha256: str
    stored_at: datetime
    job: int | None = None
    harvest: int | None = None
    accession: int | None = None
    companion: Path | None = None
    companion_sha256: str = ""


@dataclass(frozen=True)
class Places:
    """Where copies of a file lie, the preferred one first: a line of the PATH index."""

    name: str
    addresses: tuple[str, ...] = field(default=())
