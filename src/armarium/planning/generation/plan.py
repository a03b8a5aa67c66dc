"""What a run would make, said before it is made, and where its candidates come from."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, LiteralString

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.errors import existing
from armarium.core.message import message
from armarium.planning.generation import queries
from armarium.planning.generation.candidates import Bounds, CandidateFilter, Pace, Row, estimator_of
from armarium.planning.generation.filling import Candidate, Filling, OpenJob, Rules, place_in_order, rules_of
from armarium.planning.model import HarvestKind, Split
from armarium.planning.profiles.rules import order_of
from armarium.planning.settings import PlanningSettings

Place = tuple[int, int]  # domain and configuration of the last candidate that was read
START: Place = (0, 0)


@dataclass(frozen=True)
class Source:
    """Where the candidates of one harvest come from."""

    harvest: Any  # its row
    settings: PlanningSettings
    query: LiteralString
    values: Mapping[str, object]

    @property
    def broad(self) -> bool:
        return bool(self.harvest.kind == HarvestKind.BROAD)

    def chunk(self, connection: Connection, after: Place) -> tuple[list[Row], Place]:
        """The next rows, and the place behind them; none: that was all."""
        where = {"domain": after[0], "configuration": after[1], "most": self.settings.chunk_size}
        rows = queries.rows(connection, self.query, {**self.values, **where})
        return rows, (rows[-1].domain, rows[-1].configuration or 0) if rows else after

    def candidate_filter(self) -> CandidateFilter:
        return candidate_filter_of(self.harvest, self.settings)

    def rules(self) -> Rules:
        return rules_of(self.settings, broad=self.broad)

    def how_many(self, connection: Connection, most: int | None = None) -> int:
        return queries.how_many(connection, self.harvest.id, broad=self.broad, most=most)


def source_of(connection: Connection, harvest: Any, settings: PlanningSettings) -> Source:
    values: dict[str, object] = {**queries.alias_since(settings.alias_days), "harvest": harvest.id}
    if harvest.kind != HarvestKind.BROAD:
        return Source(harvest, settings, queries.SELECTIVE, values)
    if harvest.previous is None:
        return Source(harvest, settings, queries.BROAD, values)
    first, last = queries.job_span(connection, harvest.previous)
    values |= {"previous": harvest.previous, "first_job": first, "last_job": last}
    return Source(harvest, settings, queries.CONTINUATION, values)


def candidate_filter_of(harvest: Any, settings: PlanningSettings) -> CandidateFilter:
    return CandidateFilter(
        estimator_of(settings),
        Bounds(harvest.max_objects, harvest.max_bytes),
        broad=harvest.kind == HarvestKind.BROAD,
        continues=harvest.kind == HarvestKind.BROAD and harvest.previous is not None,
        skip_zero_budgets=settings.skip_zero_budgets,
    )


def existing_harvest(connection: Connection, number: int) -> Any:
    return existing(queries.harvest_of(connection, number), message("There is no harvest %(id)s.", id=number))


NAMES_SHOWN = 5
HOUR = 3600  # seconds


@dataclass(frozen=True)
class PlannedJob:
    profile: str
    configurations: int
    objects: int  # expected
    smallest: int  # estimate in it
    largest: int
    bytes: int
    seconds: float  # that a crawler would need for it
    split: Split  # why it has no more
    domains: tuple[str, ...]  # the first ones


@dataclass(frozen=True)
class Before:
    """The last run, to compare with."""

    number: int
    generated_at: datetime | None
    jobs: int
    configurations: int
    objects: int
    left_out: int


@dataclass(frozen=True)
class Past:
    """A run that is over: how good its estimate was."""

    number: int
    expected: int  # objects
    brought: int


@dataclass(frozen=True)
class Plan:
    made_at: datetime
    jobs: Sequence[PlannedJob]  # the first ones
    job_count: int
    configurations: int
    objects: int
    bytes: int
    seconds: float
    left_out: Mapping[str, int]  # by candidates.LeftOut
    splits: Mapping[str, int]  # jobs by the reason for their end
    before: Before | None = None
    past: Sequence[Past] = ()  # the last runs, the latest first

    @property
    def likely(self) -> tuple[int, int] | None:
        """Objects, from and to, if it is as wrong as the plans of the last runs were; None: nobody knows.

        The plan of the first run was made of guesses, and says nothing of one that is made of results.
        """
        parts = [one.brought / one.expected for one in self.past if one.number > 1]
        if not parts:
            return None
        return round(self.objects * min(1, *parts)), round(self.objects * max(1, *parts))

    def facts(self) -> dict[str, Any]:
        """As JSON keeps it."""
        facts = asdict(self)
        facts["made_at"] = self.made_at.isoformat()
        if self.before and self.before.generated_at:
            facts["before"]["generated_at"] = self.before.generated_at.isoformat()
        return facts

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> "Plan":
        jobs = [
            PlannedJob(**{**job, "split": Split(job["split"]), "domains": tuple(job["domains"])})
            for job in facts["jobs"]
        ]
        before = facts["before"]
        if before is not None:
            at = before["generated_at"]
            before = Before(**{**before, "generated_at": datetime.fromisoformat(at) if at else None})
        made_at = datetime.fromisoformat(facts["made_at"])
        past = [Past(**one) for one in facts.get("past", ())]  # plans of earlier versions have none
        return cls(**{**facts, "made_at": made_at, "jobs": jobs, "before": before, "past": past})


@dataclass
class Sketch:
    """What a planned job has besides its figures."""

    bytes: int = 0
    names: list[str] = field(default_factory=list)

    def add(self, candidate: Candidate) -> None:
        expected = candidate.estimate * candidate.object_bytes
        self.bytes += expected if candidate.max_bytes is None else min(expected, candidate.max_bytes)
        if len(self.names) < NAMES_SHOWN:
            self.names.append(candidate.name)


class Planner:
    """Fills jobs that nobody writes."""

    def __init__(self, source: Source, settings: PlanningSettings) -> None:
        self._source = source
        self._settings = settings
        self._filter = source.candidate_filter()
        self._last = 0
        self._filling = Filling(source.rules(), self._next)
        self._sketches: dict[int, Sketch] = {}

    def add(self, rows: Sequence[Row]) -> None:
        """The next chunk."""
        candidates = self._filter.select(rows)
        candidates.sort(key=place_in_order)
        for candidate in candidates:
            job = self._filling.place(candidate)
            sketch = self._sketches.get(job.number)
            if sketch is None:
                sketch = self._sketches[job.number] = Sketch()
            sketch.add(candidate)
        self._filling.forget_before(rows[-1].domain)

    def plan(self, connection: Connection, most_jobs: int) -> Plan:
        self._filling.end()
        names, paces = self._profiles(connection)
        ordered = sorted(self._filling.closed, key=lambda job: job.number)
        jobs = [self._planned(job, names[job.profile], paces[job.profile]) for job in ordered]
        splits: dict[str, int] = {}
        for job in jobs:
            splits[job.split.value] = splits.get(job.split.value, 0) + 1
        return Plan(
            made_at=clock.now(),
            jobs=jobs[:most_jobs],
            job_count=len(jobs),
            configurations=sum(job.configurations for job in jobs),
            objects=sum(job.objects for job in jobs),
            bytes=sum(job.bytes for job in jobs),
            seconds=sum(job.seconds for job in jobs),
            left_out={reason.value: count for reason, count in self._filter.left_out.items()},
            splits=splits,
            before=before_of(connection, self._source.harvest.id),
            past=[Past(*one) for one in queries.past_runs(connection, self._source.harvest.id)],
        )

    def _planned(self, job: OpenJob, profile: str, pace: Pace) -> PlannedJob:
        sketch = self._sketches[job.number]
        return PlannedJob(
            profile=profile,
            configurations=job.configurations,
            objects=job.total,
            smallest=job.smallest,
            largest=job.largest,
            bytes=sketch.bytes,
            seconds=pace.seconds(job.total, job.largest, self._source.harvest.max_seconds),
            split=job.split,
            domains=tuple(sketch.names),
        )

    def _profiles(self, connection: Connection) -> tuple[dict[int, str], dict[int, Pace]]:
        """Their names, and how fast a crawl by each of them is."""
        measured = queries.measured_pace(connection) or self._settings.objects_per_hour / HOUR
        names, paces = {}, {}
        for number in {job.profile for job in self._filling.closed}:
            found = queries.newest_version(connection, number)
            names[number] = found.name if found else str(number)
            pause = order_of(found.document if found else {}).politeness.min_delay
            paces[number] = Pace(measured, pause)
        return names, paces

    def _next(self) -> int:
        self._last += 1
        return self._last


def before_of(connection: Connection, harvest: int) -> Before | None:
    run = queries.last_run(connection, harvest, "generated")
    if run is None:
        return None
    figures = queries.figures_of_run(connection, run.id)
    return Before(
        number=run.number,
        generated_at=run.generated_at,
        jobs=figures.jobs,
        configurations=int(figures.configurations),
        objects=int(figures.objects),
        left_out=sum(run.left_out.values()),
    )
