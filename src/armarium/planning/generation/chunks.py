"""One step of a run: the next chunk of candidates goes into jobs, each with its frozen order, all at once.

Part 0 of an order is without seeds; each further part adds domains, as many as one chunk brought. The parts
never hold credentials: those are added when a collector takes the job.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.crawl_order import merged
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.generation import queries
from armarium.planning.generation.filling import Candidate, Filling, OpenJob, place_in_order
from armarium.planning.generation.plan import START, Place, Source
from armarium.planning.model import JobState
from armarium.planning.orders import packed
from armarium.planning.profiles.rules import DEFAULTS, order_of
from armarium.planning.settings import PlanningSettings


@dataclass(frozen=True)
class Frame:
    """What all jobs of a run share."""

    harvest: int
    max_objects: int | None  # of each queue that has no budget of its own
    max_bytes: int | None
    max_seconds: int | None
    reject: Sequence[str]  # crawler traps, of all domains and of the harvest
    identity: Mapping[str, str] = field(default_factory=dict)  # where the profile names none
    file_prefix: str = ""


@dataclass
class DomainsPart:
    """Domains on their way into a part. The budget of each is for what comes from its seeds."""

    seeds: list[tuple[str, str]] = field(default_factory=list)
    budgets: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)
    traps: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, candidate: Candidate) -> None:
        name = candidate.name
        for seed in candidate.seeds:
            self.seeds.append((seed, name))
        if candidate.max_objects is not None or candidate.max_bytes is not None:
            self.budgets[name] = (candidate.max_objects, candidate.max_bytes)
        if candidate.traps:
            self.traps[name] = candidate.traps

    def packed(self) -> bytes:
        return packed({"seeds": self.seeds, "budgets": self.budgets, "traps": self.traps})


def first_part(job: int, document: Mapping[str, Any], overrides: Mapping[str, Any], frame: Frame) -> bytes:
    """Part 0; raises `Refused` where profile and overrides give no order."""
    under = merged(DEFAULTS, {"identity": dict(frame.identity)})
    order = order_of(under, document, overrides, _settled(job, frame))
    facts = order.model_dump(mode="json", exclude={"seeds": True, "fetching": {"credentials"}})
    facts["scope"]["reject"] = [*facts["scope"]["reject"], *frame.reject]
    return packed({"order": facts})


def _settled(job: int, frame: Frame) -> dict[str, Any]:
    """What planning says, whatever the profile."""
    queues: dict[str, Any] = {}
    if frame.max_objects is not None:
        queues["max_objects"] = frame.max_objects
    if frame.max_bytes is not None:
        queues["max_bytes"] = frame.max_bytes
    prefix = f"{frame.file_prefix}-" if frame.file_prefix else ""
    return {
        "name": f"job-{job}",
        "queues": queues,
        # The name of a seed leads where its owner wants: into our own network, perhaps.
        "fetching": {"seeds_open_ranges": False},
        "limits": {} if frame.max_seconds is None else {"max_seconds": frame.max_seconds},
        "recording": {"values": {"prefix": f"{prefix}{job}-{frame.harvest}"}},
    }


NONE = queries.NONE


class Chunk:
    """Placed in jobs, not yet written."""

    def __init__(self, filling: Filling) -> None:
        self._filling = filling
        self._lines: list[str] = []
        self._parts: dict[int, DomainsPart] = {}
        self._touched: dict[int, OpenJob] = {}

    def place(self, candidates: list[Candidate]) -> None:
        candidates.sort(key=place_in_order)
        for candidate in candidates:
            job = self._filling.place(candidate)
            self._lines.append(line_of(job.number, candidate))
            part = self._parts.get(job.number)
            if part is None:
                part = self._parts[job.number] = DomainsPart()
                self._touched[job.number] = job
            part.add(candidate)

    def write(self, connection: Connection, jobs: "JobMaker") -> None:
        """Rows of the jobs, their configurations, and the parts of their orders."""
        fresh = {job.number for job in self._filling.opened}
        parts = [(job.number, 0, jobs.first_part(job)) for job in self._filling.opened]
        for number, part in self._parts.items():
            job = self._touched[number]
            parts.append((number, job.parts, part.packed()))
            job.parts += 1
        # Jobs that took nothing may have got another reason for their end, those closed just now as well.
        others = [*self._filling.still_open(), *self._filling.closed]
        grown = {**self._touched, **{job.number: job for job in others}}
        queries.put_jobs(
            connection,
            [jobs.row(job) for job in self._filling.opened],
            [figures(job) for number, job in grown.items() if number not in fresh],
        )
        queries.put_parts(connection, parts)
        queries.copy_configurations(connection, self._lines)


def line_of(job: int, candidate: Candidate) -> str:
    """As COPY reads it; there is no text in it that would need escaping."""
    objects = NONE if candidate.max_objects is None else candidate.max_objects
    size = NONE if candidate.max_bytes is None else candidate.max_bytes
    return (
        f"{job}\t{candidate.configuration}\t{candidate.domain}\t{candidate.estimate}\t{objects}\t{size}"
        f"\t{candidate.limited_by}\n"
    )


def figures(job: OpenJob) -> dict[str, Any]:
    return {
        "id": job.number,
        "configurations": job.configurations,
        "estimate": job.total,
        "smallest": job.smallest,
        "largest": job.largest,
        "split": job.split.value,
    }


class JobMaker:
    """Rows and orders of the jobs of one run."""

    def __init__(self, connection: Connection, common: dict[str, Any], frame: Frame) -> None:
        self._connection = connection
        self._common = {**common, "created_at": clock.now(), "max_seconds": frame.max_seconds}
        self._frame = frame
        self._profiles: dict[int, Any] = {}

    def number(self) -> int:
        return queries.next_job(self._connection)

    def row(self, job: OpenJob, state: JobState = JobState.PLANNED) -> dict[str, Any]:
        version = self._profile(job.profile).version
        return {**self._common, **figures(job), "state": state.value, "profile_version": version}

    def first_part(self, job: OpenJob) -> bytes:
        profile = self._profile(job.profile)
        try:
            return first_part(job.number, profile.document, json.loads(job.overrides), self._frame)
        except Refused as refusal:
            raise Refused(
                message(
                    "The profile %(name)s and the settings of a configuration do not go together: "
                    "%(problem)s Correct one of them; the settings are: %(overrides)s",
                    name=profile.name,
                    problem=str(refusal),
                    overrides=job.overrides[:500],
                )
            ) from refusal

    def _profile(self, number: int) -> Any:
        if number not in self._profiles:
            self._profiles[number] = queries.newest_version(self._connection, number)
            if self._profiles[number] is None:
                raise Refused(message("The profile %(id)s has no version to make a job with.", id=number))
        return self._profiles[number]


@dataclass(frozen=True)
class Cursor:
    """Where a run is: all that its next step has to know."""

    after: Place = START
    done: int = 0  # candidates looked at
    of: int = 0
    open: tuple[OpenJob, ...] = field(default=())

    def facts(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {
            "after": list(self.after),
            "done": self.done,
            "of": self.of,
            "open": [job.facts() for job in self.open],
        }

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> "Cursor":
        domain, configuration = facts["after"]
        return cls(
            (domain, configuration),
            facts["done"],
            facts["of"],
            tuple(OpenJob.of(one) for one in facts["open"]),
        )


def step(connection: Connection, run: Any, source: Source, jobs: JobMaker) -> bool:
    """The next chunk of a run that is held; False: there was none left."""
    cursor = Cursor.read(run.cursor) if run.cursor else Cursor(of=source.how_many(connection))
    rows, after = source.chunk(connection, cursor.after)
    if not rows:
        return False
    candidate_filter = source.candidate_filter()
    candidates = candidate_filter.select(rows)
    filling = Filling(source.rules(), jobs.number, cursor.open)
    chunk = Chunk(filling)
    chunk.place(candidates)
    chunk.write(connection, jobs)
    filling.forget_before(after[0])
    behind = Cursor(after, cursor.done + len(rows), cursor.of, tuple(filling.still_open()))
    left_out = Counter(run.left_out)
    left_out.update({reason.value: count for reason, count in candidate_filter.left_out.items()})
    queries.save_run(
        connection,
        run.id,
        cursor=behind.facts(),
        jobs=run.jobs + len(filling.opened),
        configurations=run.configurations + len(candidates),
        left_out=dict(left_out),
    )
    return True


def frame_of(connection: Connection, harvest: Any, settings: PlanningSettings) -> Frame:
    """Crawler traps for all domains and those of the harvest; limits; who harvests."""
    traps = [*queries.active_traps(connection), *harvest.traps]
    who = {"operator": settings.operator, "contact": settings.contact, "mail": settings.mail}
    return Frame(
        harvest=harvest.id,
        max_objects=harvest.max_objects,
        max_bytes=harvest.max_bytes,
        max_seconds=harvest.max_seconds,
        reject=tuple(dict.fromkeys(traps)),
        identity={name: value for name, value in who.items() if value},
        file_prefix=settings.file_prefix,
    )
