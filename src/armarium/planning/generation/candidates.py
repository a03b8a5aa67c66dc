"""From rows of the database to candidates for jobs: who is left out, and what is expected of the others.

The formula of what is expected is NetarchiveSuite's, in its whole numbers, with three corrections: without
any limit a domain is never expected to have less than was seen of it; the factor for guesses is the one in
the settings; and a domain that was harvested completely is expected to grow by a part of what it had, not
of what its limit leaves room for, which made 4,115 objects of 133.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from armarium.core.message import Message, message
from armarium.planning.generation.filling import Candidate
from armarium.planning.model import StopReason
from armarium.planning.settings import PlanningSettings


class Bounds(NamedTuple):
    """None: no limit."""

    objects: int | None = None
    bytes: int | None = None


class Known(NamedTuple):
    """The largest harvest of a configuration since, and including, its last complete one."""

    objects: int
    bytes: int
    complete: bool


class Expectation(NamedTuple):
    objects: int
    maximum: int  # objects that the limits leave room for
    object_bytes: int  # of one object, on average


UNBOUNDED = Bounds()
SMALLEST_AVERAGE = 1  # byte


@dataclass(frozen=True, slots=True)
class Estimator:
    average_object_bytes: int = 38_000
    trusted_objects: int = 50  # a smaller average is believed only from so many objects on
    unknown_domain_objects: int = 5000
    error_factor_previous: int = 10
    error_factor_guess: int = 2

    def expect(
        self, known: Known | None, configuration: Bounds = UNBOUNDED, harvest: Bounds = UNBOUNDED
    ) -> Expectation:
        average = self.average(known)
        own = room(configuration, average)
        # The limits of the harvest come first; those of the configuration are looked at again at the end.
        maximum = room(harvest, average)
        if maximum is None:
            maximum = own
        if maximum is None:
            maximum = self.unknown_domain_objects
            if known is not None and known.objects > maximum:
                maximum = known.objects
        if known is None:
            expected = self.unknown_domain_objects
            if configuration.objects is not None and configuration.objects < expected:
                expected = configuration.objects
        else:
            left = maximum - known.objects
            if known.complete:
                expected = known.objects + min(left, known.objects) // self.error_factor_previous
            else:
                expected = known.objects + left // self.error_factor_guess
        if own is not None and own < maximum:
            maximum = own
        return Expectation(min(expected, maximum), maximum, average)

    def average(self, known: Known | None) -> int:
        """Bytes of an object."""
        if known is None or not known.objects:
            return self.average_object_bytes
        average = max(SMALLEST_AVERAGE, known.bytes // known.objects)
        if average < self.average_object_bytes and known.objects < self.trusted_objects:
            return self.average_object_bytes  # a handful of small pages says little about the rest
        return average


def room(bounds: Bounds, average: int) -> int | None:
    """Objects that limits leave room for; None: they set none."""
    if bounds.bytes is None:
        return bounds.objects
    by_bytes = bounds.bytes // average
    return by_bytes if bounds.objects is None else min(bounds.objects, by_bytes)


def estimator_of(settings: PlanningSettings) -> Estimator:
    return Estimator(
        average_object_bytes=settings.average_object_bytes,
        trusted_objects=settings.trusted_objects,
        unknown_domain_objects=settings.unknown_domain_objects,
        error_factor_previous=settings.error_factor_previous,
        error_factor_guess=settings.error_factor_guess,
    )


@dataclass(frozen=True)
class Pace:
    """How fast jobs are, to say how long a plan would take."""

    objects_per_second: float  # of a whole job
    pause: float  # seconds between two objects of one domain

    def seconds(self, objects: int, largest: int, most: int | None = None) -> float:
        """A job ends with its slowest domain, or when all its objects are fetched, or when its time is up."""
        needed = max(objects / self.objects_per_second, largest * self.pause)
        return needed if most is None else min(needed, float(most))


# Who is left out ------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A configuration, its domain and its seeds, as `queries` reads them."""

    domain: int
    name: str
    domain_active: bool
    broad: bool  # broad harvests take it
    alias: bool  # of another domain, and confirmed lately
    traps: list[str] | None
    configuration: int | None  # None: the domain has none
    active: bool
    profile: int
    overrides: str
    max_objects: int | None
    max_bytes: int | None
    best_objects: int | None
    best_bytes: int | None
    best_complete: bool
    seeds: str | None
    # Continuations only: what the previous harvest brought
    job: int | None = None
    stop_reason: str | None = None
    objects: int | None = None
    bytes: int | None = None


class LeftOut(StrEnum):
    """Why a domain gets no job."""

    INACTIVE = "inactive"
    NOT_BROAD = "not-broad"
    ALIAS = "alias"
    NO_CONFIGURATION = "no-configuration"
    NO_SEEDS = "no-seeds"
    ZERO_BUDGET = "zero-budget"
    # Continuations
    NOT_BEFORE = "not-before"
    NO_RESULT = "no-result"
    FINISHED = "finished"
    NOT_RAISED = "not-raised"


REASONS: dict[LeftOut, Message] = {
    LeftOut.INACTIVE: message("The domain or its configuration is not active."),
    LeftOut.NOT_BROAD: message("Its page says that broad harvests do not take it."),
    LeftOut.ALIAS: message("It is an alias of another domain."),
    LeftOut.NO_CONFIGURATION: message("The domain has no configuration."),
    LeftOut.NO_SEEDS: message("It has no seed."),
    LeftOut.ZERO_BUDGET: message("Its limit is zero: nothing may be taken."),
    LeftOut.NOT_BEFORE: message("It was not in the previous harvest."),
    LeftOut.NO_RESULT: message("The previous harvest has no result for it."),
    LeftOut.FINISHED: message(
        "The previous harvest left nothing to go on with there: it was complete, or nothing could be had."
    ),
    LeftOut.NOT_RAISED: message(
        "The previous harvest stopped at the limit of its configuration, which was not raised."
    ),
}

#: What no configuration has to do with: a limit of the harvest, or the end of its job.
CUT_SHORT = {
    StopReason.OBJECT_LIMIT,
    StopReason.SIZE_LIMIT,
    StopReason.TIME_LIMIT,
    StopReason.TOTAL_BUDGET,
    StopReason.UNFINISHED,
}


@dataclass
class CandidateFilter:
    """What holds for all candidates of one run."""

    estimator: Estimator
    limits: Bounds  # of the harvest, for each domain
    broad: bool
    continues: bool  # only what the previous harvest left unfinished
    skip_zero_budgets: bool
    left_out: Counter[LeftOut] = field(default_factory=Counter)

    def select(self, rows: Iterable[Row]) -> list[Candidate]:
        taken = []
        for row in rows:
            candidate = self.judge(row)
            if isinstance(candidate, LeftOut):
                self.left_out[candidate] += 1
            else:
                taken.append(candidate)
        return taken

    def judge(self, row: Row) -> Candidate | LeftOut:
        if not row.domain_active:
            return LeftOut.INACTIVE
        if self.broad and not row.broad:
            return LeftOut.NOT_BROAD
        if self.broad and row.alias:  # whoever names an alias in a selective harvest means it
            return LeftOut.ALIAS
        if row.configuration is None:
            return LeftOut.NO_CONFIGURATION
        if not row.active:
            return LeftOut.INACTIVE
        if self.continues:
            out = continued(row)
            if out is not None:
                return out
        max_objects, by_objects = tighter(self.limits.objects, row.max_objects)
        max_bytes, by_bytes = tighter(self.limits.bytes, row.max_bytes)
        if self.skip_zero_budgets and (max_objects == 0 or max_bytes == 0):
            return LeftOut.ZERO_BUDGET
        seeds = active_seeds(row.seeds or "")
        if not seeds:
            return LeftOut.NO_SEEDS
        known = None
        if row.best_objects is not None:
            known = Known(row.best_objects, row.best_bytes or 0, row.best_complete)
        own = Bounds(row.max_objects, row.max_bytes)
        expected = self.estimator.expect(known, own, self.limits)
        return Candidate(
            row.configuration,
            row.domain,
            row.name,
            row.profile,
            row.overrides,
            expected.objects,
            expected.object_bytes,
            max_objects,
            max_bytes,
            by_objects + by_bytes,
            seeds,
            tuple(row.traps) if row.traps else (),
        )


def continued(row: Row) -> LeftOut | None:
    """The rule of a continuation: in are the domains that a limit, or the end of a job, cut short, if more
    may be taken now.

    A limit of the configuration counts as raised when it is above what was harvested.
    """
    if row.job is None:
        return LeftOut.NOT_BEFORE
    if row.stop_reason is None:
        return LeftOut.NO_RESULT
    if row.stop_reason in CUT_SHORT:
        return None
    if row.stop_reason == StopReason.CONFIGURATION_SIZE_LIMIT:
        raised = row.max_bytes is None or row.max_bytes > (row.bytes or 0)
    elif row.stop_reason == StopReason.CONFIGURATION_OBJECT_LIMIT:
        raised = row.max_objects is None or row.max_objects > (row.objects or 0)
    else:
        return LeftOut.FINISHED
    return None if raised else LeftOut.NOT_RAISED


def tighter(harvest: int | None, own: int | None) -> tuple[int | None, str]:
    """The limit that holds, and whose it is: of the harvest, of the configuration, or none."""
    if own is not None and (harvest is None or own <= harvest):
        return own, "c"
    return harvest, "-" if harvest is None else "h"


def active_seeds(text: str) -> tuple[str, ...]:
    """Each once, in their order; empty lines and those after # do not count."""
    lines = [line.strip() for line in text.split("\n")]
    return tuple(dict.fromkeys([line for line in lines if line and line[0] != "#"]))
