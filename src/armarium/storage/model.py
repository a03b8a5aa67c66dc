"""The words of storage: replicas, and the states of files and of their copies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class ReplicaKind(StrEnum):
    FOLDER = "folder"
    S3 = "s3"
    CHECKSUM = "checksum"  # knows the checksums and no bytes: a cheap vote, far away from the copies


class ReplicaRole(StrEnum):
    PRIMARY = "primary"  # is read first
    COPY = "copy"  # is read if no primary answers
    WITNESS = "witness"  # is asked for checksums only


class ReplicaState(StrEnum):
    ACTIVE = "active"
    READ_ONLY = "read-only"  # gets no new files, and none has to wait for it; it is read and audited
    RETIRED = "retired"  # not asked any more; what is known of it stays


@dataclass(frozen=True)
class Replica:
    id: int
    name: str
    kind: ReplicaKind
    role: ReplicaRole
    state: ReplicaState
    location: str  # a folder, absolute or below the data folder; or s3://bucket/prefix
    options: Mapping[str, str] = field(
        default_factory=dict
    )  # of S3: endpoint, region, path_style, allow_http
    rate_bytes: int = 0  # a second, at most, for a process; 0: as fast as it goes


class FileState(StrEnum):
    STORING = "storing"  # on its way into the replicas
    STORED = "stored"  # every replica has read it back and agreed
    LOST = "lost"  # altered where it had arrived, before any replica had it; whoever sent it has it no more
    WITHDRAWN = "withdrawn"  # is not given out and not indexed; the copies stay


class CopyState(StrEnum):
    WAITING = "waiting"  # has to be put into the replica
    UPLOADING = "uploading"
    UPLOADED = "uploaded"  # all bytes are there, says the replica; not yet read back
    ACCEPTED = "accepted"  # read back, and what was registered
    FAILED = "failed"  # the last try did not succeed; there will be another
    MISSING = "missing"  # an audit did not find it
    CORRUPT = "corrupt"  # an audit found other bytes
    REPAIRING = "repairing"  # the bad copy is being moved aside


C = CopyState
#: From which state a copy may come into which; whatever was killed begins again at `uploading`.
TRANSITIONS: dict[CopyState, frozenset[CopyState]] = {
    C.WAITING: frozenset({C.UPLOADING}),
    C.UPLOADING: frozenset({C.UPLOADING, C.UPLOADED, C.FAILED}),
    C.UPLOADED: frozenset({C.UPLOADING, C.ACCEPTED, C.FAILED}),
    C.FAILED: frozenset({C.UPLOADING}),
    C.ACCEPTED: frozenset({C.MISSING, C.CORRUPT}),
    C.MISSING: frozenset({C.ACCEPTED, C.CORRUPT, C.UPLOADING}),
    C.CORRUPT: frozenset({C.ACCEPTED, C.MISSING, C.REPAIRING}),
    C.REPAIRING: frozenset({C.REPAIRING, C.UPLOADING, C.ACCEPTED, C.CORRUPT, C.MISSING}),
}
DAMAGED = frozenset({C.MISSING, C.CORRUPT, C.REPAIRING})
UNFINISHED = frozenset({C.WAITING, C.UPLOADING, C.UPLOADED, C.FAILED})


def moved(present: CopyState | str, to: CopyState) -> CopyState:
    """The state `to`, if a copy may come into it, or is in it. Whoever writes a state asks here."""
    if to != present and to not in TRANSITIONS[CopyState(present)]:
        raise ValueError(f"A copy that is {present} cannot become {to}.")
    return to


class Origin(StrEnum):
    COLLECTOR = "collector"
    IMPORT = "import"
    REBUILD = "rebuild"  # found in the replicas when the register was made anew


class FileKind(StrEnum):
    DATA = "data"
    METADATA = "metadata"


@dataclass(frozen=True)
class File:
    """A file as the register knows it."""

    id: int
    name: str
    kind: FileKind
    size: int
    sha256: str
    blake3: str  # empty until it is stored
    state: FileState
    origin: Origin
    job: int | None
    harvest: int | None
    accession: int | None
    registered_at: datetime
    stored_at: datetime | None
    source: str  # where the file lies until it is stored; empty afterwards
    companion: str  # where the index lies that came with it; empty without one
    companion_sha256: str = ""  # as it was sent; empty where nobody has said it


class CheckOutcome(StrEnum):
    OK = "ok"
    MISSING = "missing"
    CORRUPT = "corrupt"
    UNREADABLE = "unreadable"  # the replica answers, and these bytes cannot be read: counts as corrupt
    AWAY = "away"  # the replica does not answer: says nothing about the file


class AuditKind(StrEnum):
    PRESENCE = "presence"  # is every file there, with its size
    CHECKSUM = "checksum"  # every byte is read


class RunState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class RepairState(StrEnum):
    PROPOSED = "proposed"  # waits for approval
    APPROVED = "approved"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"  # by a person
    UNDECIDED = "undecided"  # the votes are even, or against the register, or nothing healthy is left
    FAILED = "failed"  # could not be carried out; is tried again
    VOID = "void"  # the copy turned out to be well
