"""Words that all of planning shares."""

from enum import StrEnum


class HarvestKind(StrEnum):
    SELECTIVE = "selective"  # chosen configurations, by a schedule
    BROAD = "broad"  # every active domain, once
    EVENT = "event"  # seeds pasted for something that happens now


class JobState(StrEnum):
    PLANNED = "planned"  # its run is still being generated: nobody may take it
    NEW = "new"  # waits for a collector
    SUBMITTED = "submitted"  # leased; the collector has not yet said that it crawls
    STARTED = "started"
    UPLOADING = "uploading"  # the crawl has ended, its files are on their way
    DONE = "done"
    FAILED = "failed"
    RESUBMITTED = "resubmitted"  # failed, and done again by another job
    REJECTED = "rejected"  # failed, and a curator decided that this is the end of it
    CANCELLED = "cancelled"  # taken back by a person before it began


LEASED = frozenset({JobState.SUBMITTED, JobState.STARTED, JobState.UPLOADING})

S = JobState
#: From which state a job may come into which. A lease that ends leads back to `new`, with another attempt.
#: One that its collector takes up again begins anew as `submitted`; short crawls pass over states, for a
#: heartbeat tells only of the moment.
TRANSITIONS: dict[JobState, frozenset[JobState]] = {
    S.PLANNED: frozenset({S.NEW, S.CANCELLED}),
    S.NEW: frozenset({S.SUBMITTED, S.CANCELLED, S.FAILED}),
    S.SUBMITTED: frozenset({S.STARTED, S.UPLOADING, S.DONE, S.NEW, S.FAILED}),
    S.STARTED: frozenset({S.SUBMITTED, S.UPLOADING, S.DONE, S.NEW, S.FAILED}),
    S.UPLOADING: frozenset({S.SUBMITTED, S.DONE, S.NEW, S.FAILED}),
    S.DONE: frozenset(),
    S.FAILED: frozenset({S.RESUBMITTED, S.REJECTED}),
    S.RESUBMITTED: frozenset(),
    S.REJECTED: frozenset({S.FAILED}),
    S.CANCELLED: frozenset({S.RESUBMITTED}),
}


def may_become(present: JobState, to: JobState) -> bool:
    return to in TRANSITIONS[present]


def is_over(state: JobState) -> bool:
    """Whether no collector will work at it, now or later."""
    return state not in LEASED and state not in (JobState.PLANNED, JobState.NEW)


def moved(present: JobState | str, to: JobState) -> JobState:
    """The state `to`, if a job may come into it, or is in it. Whoever writes a state asks here."""
    if to != present and not may_become(JobState(present), to):
        raise ValueError(f"A job that is {present} cannot become {to}.")
    return to


class StopReason(StrEnum):
    """Why a domain has no more captures than it has."""

    COMPLETE = "complete"
    OBJECT_LIMIT = "object-limit"  # of the harvest
    SIZE_LIMIT = "size-limit"
    CONFIGURATION_OBJECT_LIMIT = "configuration-object-limit"
    CONFIGURATION_SIZE_LIMIT = "configuration-size-limit"
    TIME_LIMIT = "time-limit"
    TOTAL_BUDGET = "total-budget"  # of the harvest: all jobs of the run together
    UNFINISHED = "unfinished"  # somebody or something ended the job
    UNREACHABLE = "unreachable"  # no server answered
    BLOCKED = "blocked"  # the server refused further requests, or its robots.txt all of them
    DEAD = "dead"  # the server has none of its seeds
    EMPTY = "empty"  # its seeds are pages without a single byte


class Split(StrEnum):
    """Why a job has no more configurations than it has: the check that sent others elsewhere."""

    END = "end"  # nothing had to go elsewhere
    OVERRIDES = "overrides"
    DOMAIN = "domain"  # a domain is in a job once
    PROFILE = "profile"
    CONFIGURATIONS = "configurations"  # it has as many as it may have
    TOTAL = "total"  # objects expected, in all
    SIZES = "sizes"  # the largest domain would be too large for the smallest
    OPEN = "open"  # too many jobs were being filled at once


class AttemptEnd(StrEnum):
    DONE = "done"
    FAILED = "failed"
    EXPIRED = "expired"  # nothing was heard of the collector until its lease ended
    RETURNED = "returned"  # the collector gave it back: it was told to stop
    TAKEN_OVER = "taken-over"  # the same collector went on with it under a new lease


class ArrivalState(StrEnum):
    RECEIVING = "receiving"
    LANDED = "landed"  # all of it is here and verified; the archive puts it into its replicas
    STORED = "stored"  # every replica has it
    SPARE = "spare"  # landed, by an attempt that did not end its job: kept, for its captures are true
    ABANDONED = "abandoned"  # its attempt ended before all of it came


class Missed(StrEnum):
    """What becomes of runs that fell due while nothing could run."""

    SKIP = "skip"
    CATCH_UP = "catch-up"


class Unit(StrEnum):
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ONCE = "once"
