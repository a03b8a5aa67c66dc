"""Jobs filled with candidates: which may share a job, and why one may not.

The checks are NetarchiveSuite's, in its order. One of them is gone: limits need not be equal inside a job,
because each domain has its own budget in the order. And a refusal does not close the job: several stay open
beside each other, over the borders of chunks, so that one odd candidate does not leave a small job behind.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from armarium.core.message import Message, message
from armarium.planning.model import Split
from armarium.planning.settings import PlanningSettings

MOST_OPEN_OF_A_KEY = 8  # jobs for the same profile and overrides: enough for every size from 1 to billions
MOST_OPEN = 256  # jobs in all: a selective harvest may have a profile of its own for each domain


class Candidate(NamedTuple):
    """A configuration that is to be harvested."""

    configuration: int
    domain: int
    name: str  # of the domain
    profile: int
    overrides: str  # JSON, in the one form that PostgreSQL gives it
    estimate: int  # objects
    object_bytes: int  # of one of them
    max_objects: int | None  # that hold in the job
    max_bytes: int | None
    limited_by: str  # model: whose limits these are
    seeds: tuple[str, ...]
    traps: tuple[str, ...]


@dataclass(frozen=True)
class Rules:
    max_total: int = 8_000_000  # objects
    max_ratio: int = 100  # of the largest estimate to the smallest
    min_difference: int = 2000  # objects: below it the ratio does not matter
    max_configurations: int | None = None  # broad harvests only
    most_open_of_a_key: int = MOST_OPEN_OF_A_KEY
    most_open: int = MOST_OPEN


@dataclass(slots=True)
class OpenJob:
    """A job that may still take configurations; what is kept of it between two chunks."""

    number: int
    profile: int
    overrides: str
    configurations: int = 0
    total: int = 0
    smallest: int = 0
    largest: int = 0
    parts: int = 1  # of its order, so far
    split: Split = Split.END  # why others had to go elsewhere
    domains: set[int] = field(default_factory=set)  # those that may come again: see `forget_before`

    def add(self, candidate: Candidate) -> None:
        estimate = candidate.estimate
        if not self.configurations or estimate < self.smallest:
            self.smallest = estimate
        if estimate > self.largest:
            self.largest = estimate
        self.configurations += 1
        self.total += estimate
        self.domains.add(candidate.domain)

    def facts(self) -> list[Any]:
        """As JSON keeps it."""
        return [
            self.number,
            self.profile,
            self.overrides,
            self.configurations,
            self.total,
            self.smallest,
            self.largest,
            self.parts,
            self.split.value,
            sorted(self.domains),
        ]

    @classmethod
    def of(cls, facts: list[Any]) -> "OpenJob":
        number, profile, overrides, configurations, total, smallest, largest, parts, split, domains = facts
        job = cls(number, profile, overrides, configurations, total, smallest, largest, parts, Split(split))
        job.domains.update(domains)
        return job


@dataclass(frozen=True)
class Check:
    id: Split
    fits: Callable[[OpenJob, Candidate, Rules], bool]
    why: Message  # a configuration could not join


def _same_overrides(job: OpenJob, candidate: Candidate, _rules: Rules) -> bool:
    return job.overrides == candidate.overrides


def _domain_is_new(job: OpenJob, candidate: Candidate, _rules: Rules) -> bool:
    return candidate.domain not in job.domains


def _same_profile(job: OpenJob, candidate: Candidate, _rules: Rules) -> bool:
    return job.profile == candidate.profile


def _has_place(job: OpenJob, _candidate: Candidate, rules: Rules) -> bool:
    return rules.max_configurations is None or job.configurations < rules.max_configurations


def _total_fits(job: OpenJob, candidate: Candidate, rules: Rules) -> bool:
    # A candidate larger than any job may be has one for itself.
    return job.total == 0 or job.total + candidate.estimate <= rules.max_total


def _size_fits(job: OpenJob, candidate: Candidate, rules: Rules) -> bool:
    estimate = candidate.estimate
    if not job.configurations or job.smallest <= estimate <= job.largest:
        return True
    smallest, largest = min(job.smallest, estimate), max(job.largest, estimate)
    return largest - smallest <= rules.min_difference or largest <= rules.max_ratio * max(smallest, 1)


#: In this order; the first that does not fit is the reason.
CHECKS: tuple[Check, ...] = (
    Check(Split.OVERRIDES, _same_overrides, message("Its settings differ from those of the job.")),
    Check(Split.DOMAIN, _domain_is_new, message("The job has another configuration of the same domain.")),
    Check(Split.PROFILE, _same_profile, message("Its profile differs from that of the job.")),
    Check(Split.CONFIGURATIONS, _has_place, message("The job has as many domains as it may have.")),
    Check(Split.TOTAL, _total_fits, message("The job would be expected to have too many objects.")),
    Check(Split.SIZES, _size_fits, message("It is too large or too small beside the domains of the job.")),
)


KINDS = frozenset({Split.OVERRIDES, Split.PROFILE})  # what all in a job share


def refusal(job: OpenJob, candidate: Candidate, rules: Rules) -> Check | None:
    """Why this candidate may not join this job; None: it may."""
    for check in CHECKS:
        if not check.fits(job, candidate, rules):
            return check
    return None


def place_in_order(candidate: Candidate) -> tuple[Any, ...]:
    """By profile, overrides, byte limit descending, estimate descending."""
    limit = math.inf if candidate.max_bytes is None else candidate.max_bytes
    return candidate.profile, candidate.overrides, -limit, -candidate.estimate, candidate.configuration


class Filling:
    """The jobs that are open, by what all in them share."""

    def __init__(self, rules: Rules, number: Callable[[], int], jobs: Iterable[OpenJob] = ()) -> None:
        self._rules = rules
        self._number = number  # of the next job
        self._open: dict[tuple[int, str], list[OpenJob]] = {}
        self._how_many = 0
        self.opened: list[OpenJob] = []
        self.closed: list[OpenJob] = []
        for job in jobs:
            self._keep(job)

    def place(self, candidate: Candidate) -> OpenJob:
        """The first open job that takes it, or a fresh one."""
        rules = self._rules
        beside = self._open.get((candidate.profile, candidate.overrides), ())
        refusals = []
        for job in beside:
            check = refusal(job, candidate, rules)
            if check is None:
                job.add(candidate)
                return job
            refusals.append((job, check.id))
        for job, why in refusals:
            if job.split is Split.END or why is not Split.DOMAIN:
                job.split = why
        return self._fresh(candidate)

    def still_open(self) -> list[OpenJob]:
        return [job for jobs in self._open.values() for job in jobs]

    def forget_before(self, domain: int) -> None:
        """Candidates come by the number of their domain: only the last one of a chunk can come again."""
        for job in self.still_open():
            job.domains = {domain} & job.domains

    def end(self) -> None:
        """Nothing more comes."""
        while self._how_many:
            self._close(self.still_open()[0])

    def _fresh(self, candidate: Candidate) -> OpenJob:
        self._make_room(candidate)
        job = OpenJob(self._number(), candidate.profile, candidate.overrides)
        job.add(candidate)
        self._tell_apart(job, candidate)
        self._keep(job)
        self.opened.append(job)
        return job

    def _tell_apart(self, job: OpenJob, candidate: Candidate) -> None:
        """The first job of its kind, and those beside it, are kept apart by profile or overrides."""
        if (job.profile, job.overrides) in self._open:
            return
        for other in self.still_open():
            check = refusal(other, candidate, self._rules)
            if check is not None and check.id in KINDS:
                job.split = check.id
                if other.split is Split.END:
                    other.split = check.id

    def _make_room(self, candidate: Candidate) -> None:
        """The fullest job has least to gain from staying open."""
        beside = self._open.get((candidate.profile, candidate.overrides), [])
        if len(beside) >= self._rules.most_open_of_a_key:
            self._close(max(beside, key=self._fullness))
        elif self._how_many >= self._rules.most_open:
            fullest = max(self.still_open(), key=self._fullness)
            if fullest.split is Split.END or fullest.split in KINDS:
                fullest.split = Split.OPEN
            self._close(fullest)

    def _fullness(self, job: OpenJob) -> float:
        places = self._rules.max_configurations
        return max(job.total / self._rules.max_total, job.configurations / places if places else 0.0)

    def _keep(self, job: OpenJob) -> None:
        self._open.setdefault((job.profile, job.overrides), []).append(job)
        self._how_many += 1

    def _close(self, job: OpenJob) -> None:
        key = (job.profile, job.overrides)
        self._open[key].remove(job)
        if not self._open[key]:
            del self._open[key]
        self._how_many -= 1
        self.closed.append(job)


def rules_of(settings: PlanningSettings, *, broad: bool) -> Rules:
    return Rules(
        max_total=settings.max_total_size,
        max_ratio=settings.max_relative_size_difference,
        min_difference=settings.min_absolute_size_difference,
        max_configurations=settings.max_configurations if broad else None,
    )
