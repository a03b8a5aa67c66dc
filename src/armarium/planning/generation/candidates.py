"""From rows of the database to candidates for jobs: who is left out, and what is expected of the others."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from armarium.core.message import Message, message
from armarium.planning.generation.estimate import Bounds, Estimator, Known
from armarium.planning.generation.filling import Candidate
from armarium.planning.model import StopReason


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
class Sieve:
    """What holds for all candidates of one run."""

    estimator: Estimator
    limits: Bounds  # of the harvest, for each domain
    broad: bool
    continues: bool  # only what the previous harvest left unfinished
    skip_zero_budgets: bool
    left_out: Counter[LeftOut] = field(default_factory=Counter)

    def sift(self, rows: Iterable[Row]) -> list[Candidate]:
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
