"""What a collector and the server say to each other, as documents. Both sides are checked against them.

Every request but the first is signed by the collector's own key (`formats.token`). A request about a job
names the attempt under which the collector holds it: whoever names an older one is refused.

Everything has a bound. Numbers out of theirs are refused. Texts are cut and say so: a long error, or the odd
name of a host that some page links to, must not keep an honest collector from telling how its job ended.
"""

import enum
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from armarium.core.crawl_order import CrawlOrder

NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,62}$"  # of a collector
MANY = 2**62  # more than anything that is counted
MOST_SLOTS = 1000
MOST_HELD = 1000
MOST_LINES = 1000
MOST_ANSWERS = 100
MOST_DOMAINS = 200_000
MOST_FILES = 100_000
MOST_SEED_FAULTS = 20  # of one source
LONGEST_LINE = 4000  # characters
LONGEST_DOMAIN = 255
LONGEST_ERROR = 2000
LONGEST_OUTCOME = 200
LONGEST_WORD = 300
CUT = "…"  # where the rest of a text was left out


def cut(text: str, most: int) -> str:
    """At most so many characters, and none that PostgreSQL cannot keep."""
    text = text.replace("\0", "\ufffd")
    return text if len(text) <= most else text[: most - len(CUT)] + CUT


def _up_to(most: int) -> AfterValidator:
    return AfterValidator(lambda text: cut(text, most))


def _first_of(most: int) -> BeforeValidator:
    return BeforeValidator(lambda given: given[:most] if isinstance(given, list | tuple) else given)


Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
#: A W/ARC file has 200 characters at the most, and its index is called as it is, with `.cdxj` behind.
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._~-]{0,204}$")]
Name = Annotated[str, Field(pattern=NAME_PATTERN)]
#: Whole numbers, as the columns of the database hold them; `true` is none.
Id = Annotated[int, Field(strict=True, ge=1, le=2**63 - 1)]
Attempt = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
Count = Annotated[int, Field(strict=True, ge=0, le=MANY)]
Slots = Annotated[int, Field(strict=True, ge=0, le=MOST_SLOTS)]
Word = Annotated[str, _up_to(LONGEST_WORD)]
Line = Annotated[str, _up_to(LONGEST_LINE)]

CHUNK_BYTES = 4 * 1024 * 1024  # of an upload, at most
#: Codes of refusals that a collector acts upon.
REVOKED = "revoked"  # its key opens nothing any more: it ends
BUDGET_SPENT = "Finished - Total budget spent"  # the outcome of a crawl that its harvest's total budget ended
LEASE_LOST = "lease-lost"  # the `code` of the refusal (409) that means: put this job aside


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Machine(_Document):
    """What a collector tells about itself with each request for work."""

    version: Word = ""
    machine: Word = ""
    slots: Slots = 1
    free_bytes: Count = 0
    total_bytes: Count = 0
    load: Annotated[float, Field(ge=0, le=10**6, allow_inf_nan=False)] = 0.0
    jobs: Annotated[tuple[Id, ...], Field(max_length=MOST_HELD)] = ()  # that it works on
    #: Folders of jobs that were taken from it, for a person to look at; the first of them.
    put_aside: Annotated[tuple[Word, ...], _first_of(MOST_HELD)] = ()
    trouble: Word = ""  # why it takes no work at the moment


class Enrolment(_Document):
    code: Annotated[str, Field(max_length=200)]
    name: Name
    signing_key: Annotated[Mapping[str, str], Field(max_length=10)]  # public JSON web key, Ed25519
    sealing_key: Annotated[Mapping[str, str], Field(max_length=10)]  # public JSON web key, X25519
    channels: Annotated[
        tuple[Word, ...], Field(max_length=MOST_HELD)
    ] = ()  # wished for; those of the code are stronger
    machine: Machine = Machine()


class Enrolled(_Document):
    name: str
    server_key: Mapping[str, str]  # public JSON web key, Ed25519: task tokens are signed with it


class Held(_Document):
    """A job whose folder lies on the collector, under a lease that may have ended."""

    job: Id
    attempt: Attempt


class LeaseRequest(_Document):
    machine: Machine
    free_slots: Slots = 0
    #: Folders that nobody works on: after a restart, or a lost lease.
    held: Annotated[tuple[Held, ...], Field(max_length=MOST_HELD)] = ()


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
    lease_seconds: float | None = None  # the same as a duration, from the request on: no two clocks in it
    beat_seconds: float = 10.0
    order: CrawlOrder


class Command(_Document):
    """Something that a person wants of a running job: a verb of the engine's control socket, or `log`."""

    id: int
    verb: str
    arguments: Mapping[str, Any] = {}


class CommandAnswer(_Document):
    id: Id
    accepted: bool
    answer: Mapping[str, Any] = {}  # {"error": sentence} where it was refused


class Phase(enum.StrEnum):
    STARTING = "starting"
    CRAWLING = "crawling"
    UPLOADING = "uploading"


class Heartbeat(_Document):
    attempt: Attempt
    phase: Phase
    report: Mapping[str, Any] = {}  # as the engine's verb `status` gave it, `report_age_seconds` ago
    tail: Annotated[tuple[Line, ...], Field(max_length=MOST_LINES)] = ()  # the last lines of crawl.log
    answers: Annotated[tuple[CommandAnswer, ...], Field(max_length=MOST_ANSWERS)] = ()


class HeartbeatAnswer(_Document):
    lease_until: datetime
    lease_seconds: float | None = None  # as in a task
    commands: tuple[Command, ...] = ()
    beat_seconds: float = 10.0  # until the next one; short while somebody looks


class FileOffered(_Document):
    attempt: Attempt
    name: FileName
    kind: Annotated[str, Field(pattern="^(data|metadata|index)$")] = "data"
    size: Count
    sha256: Sha256


class FileState(_Document):
    name: str
    state: str  # receiving; landed: all bytes are here and verified; stored: every replica has it
    received: int


class DomainResult(_Document):
    domain: Annotated[str, _up_to(LONGEST_DOMAIN)]
    objects: Count = 0
    bytes: Count = 0
    reason: Word = "complete"  # as in summary.json


class SeedFault(_Document):
    """A seed with which something is wrong."""

    url: Line
    verdict: Word  # a SeedVerdict
    status: Annotated[int, Field(strict=True, ge=-100_000, le=100_000)] = 0  # at the end of its redirects
    redirect: Line = ""  # where they end


class SourceResult(_Document):
    """What came from the seeds of one tag, wherever they led."""

    source: Annotated[str, _up_to(LONGEST_DOMAIN)]
    objects: Count = 0
    bytes: Count = 0
    reason: Word = "complete"  # as in summary.json
    seeds: Annotated[tuple[SeedFault, ...], _first_of(MOST_SEED_FAULTS)] = ()


class EndKind(enum.StrEnum):
    DONE = "done"
    FAILED = "failed"
    RETURNED = "returned"  # the collector ends; somebody else may have the job


class JobEnd(_Document):
    attempt: Attempt
    kind: EndKind
    final: bool = False  # failed for good: the order cannot be used, and would fail again
    #: The status in summary.json: "Finished", "Finished - Timelimit hit" …
    outcome: Annotated[str, _up_to(LONGEST_OUTCOME)] = ""
    error: Annotated[str, _up_to(LONGEST_ERROR)] = ""
    objects: Count = 0
    bytes: Count = 0
    #: The figures of the whole crawl, by the names that heartbeats use; none if it broke before that.
    report: Mapping[str, Any] = {}
    domains: Annotated[tuple[DomainResult, ...], Field(max_length=MOST_DOMAINS)] = ()
    sources: Annotated[tuple[SourceResult, ...], Field(max_length=MOST_DOMAINS)] = ()
    #: All W/ARC files that the job made: each must have been stored. Their indexes are not named.
    files: Annotated[tuple[FileName, ...], Field(max_length=MOST_FILES)] = ()


class Ended(_Document):
    state: str  # of the job


# --- What became of a seed: the words in which crawler, planning and selection speak of it.


class SeedVerdict(enum.StrEnum):
    FINE = "fine"
    MOVED = "moved"  # it redirects to another site
    DEAD = "dead"  # the server has no such page, or its redirects lead nowhere
    BLOCKED = "blocked"  # the server, its robots.txt or a rule of ours keeps us out
    EMPTY = "empty"  # a page without a single byte
    UNREACHABLE = "unreachable"  # no server answered
    UNTRIED = "untried"  # its turn never came


#: From these something was collected, or nobody knows yet.
NOT_BAD = frozenset({SeedVerdict.FINE, SeedVerdict.MOVED, SeedVerdict.UNTRIED})


def common_fault(verdicts: Iterable[SeedVerdict]) -> SeedVerdict | None:
    """What is wrong with all seeds together: nothing, as long as one of them is good."""
    found = Counter(verdicts)
    if not found or NOT_BAD & set(found):
        return None
    return found.most_common(1)[0][0]
