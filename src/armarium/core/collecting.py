"""What a collector and the server say to each other, as documents. Both sides are checked against them.

Every request but the first is signed by the collector's own key (`formats.token`). A request about a job
names the attempt under which the collector holds it: whoever names an older one is refused.
"""

import enum
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from armarium.core.crawl_order import CrawlOrder

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")]

CHUNK_BYTES = 4 * 1024 * 1024  # of an upload, at most
LEASE_LOST = "lease-lost"  # the `code` of the refusal (409) that means: put this job aside


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Machine(_Document):
    """What a collector tells about itself with each request for work."""

    version: str = ""
    machine: str = ""
    slots: Annotated[int, Field(ge=0, le=1000)] = 1
    free_bytes: Annotated[int, Field(ge=0)] = 0
    total_bytes: Annotated[int, Field(ge=0)] = 0
    load: float = 0.0
    jobs: tuple[int, ...] = ()  # that it works on
    put_aside: tuple[str, ...] = ()  # folders of jobs that were taken from it, for a person to look at
    trouble: str = ""  # why it takes no work at the moment


class Enrolment(_Document):
    code: str
    name: Name
    signing_key: Mapping[str, str]  # public JSON web key, Ed25519
    sealing_key: Mapping[str, str]  # public JSON web key, X25519
    channels: tuple[str, ...] = ()  # wished for; those of the code are stronger
    machine: Machine = Machine()


class Enrolled(_Document):
    name: str
    server_key: Mapping[str, str]  # public JSON web key, Ed25519: task tokens are signed with it


class Held(_Document):
    """A job whose folder lies on the collector, under a lease that may have ended."""

    job: int
    attempt: int


class LeaseRequest(_Document):
    machine: Machine
    free_slots: Annotated[int, Field(ge=0, le=1000)] = 0
    held: tuple[Held, ...] = ()  # folders that nobody works on: after a restart, or a lost lease


class LeaseAnswer(_Document):
    token: str | None = None  # a task token; None: there is nothing to do
    abandon: tuple[Held, ...] = ()  # held in vain: another collector has them, or they have ended
    wait_seconds: float = 10.0  # until the next request
    reason: str = ""  # why there is nothing, for the log and the system page


class TaskOrder(_Document):
    """What is inside a task token: everything that the task needs."""

    job: int
    attempt: int
    resume: bool = False  # the collector holds the folder of an earlier attempt, and goes on in it
    lease_until: datetime
    beat_seconds: float = 10.0
    order: CrawlOrder


class Command(_Document):
    """Something that a person wants of a running job: a verb of the engine's control socket, or `log`."""

    id: int
    verb: str
    arguments: Mapping[str, Any] = {}


class CommandAnswer(_Document):
    id: int
    accepted: bool
    answer: Mapping[str, Any] = {}  # {"error": sentence} where it was refused


class Phase(enum.StrEnum):
    STARTING = "starting"
    CRAWLING = "crawling"
    UPLOADING = "uploading"


class Heartbeat(_Document):
    attempt: int
    phase: Phase
    report: Mapping[str, Any] = {}  # as the engine's verb `status` gives it
    tail: tuple[str, ...] = ()  # the last lines of crawl.log
    answers: tuple[CommandAnswer, ...] = ()


class HeartbeatAnswer(_Document):
    lease_until: datetime
    commands: tuple[Command, ...] = ()
    beat_seconds: float = 10.0  # until the next one; short while somebody looks


class FileOffered(_Document):
    attempt: int
    name: FileName
    kind: Annotated[str, Field(pattern="^(data|metadata)$")] = "data"
    size: Annotated[int, Field(ge=0)]
    sha256: Sha256


class FileState(_Document):
    name: str
    state: str  # receiving, stored
    received: int


class DomainResult(_Document):
    domain: str
    objects: int = 0
    bytes: int = 0
    reason: str = "complete"  # as in summary.json


class EndKind(enum.StrEnum):
    DONE = "done"
    FAILED = "failed"
    RETURNED = "returned"  # the collector ends; somebody else may have the job


class JobEnd(_Document):
    attempt: int
    kind: EndKind
    outcome: str = ""  # the status in summary.json: "Finished", "Finished - Timelimit hit" …
    error: str = ""
    objects: int = 0
    bytes: int = 0
    domains: tuple[DomainResult, ...] = ()
    files: tuple[FileName, ...] = ()  # all that the job made: each must have been stored


class Ended(_Document):
    state: str  # of the job
