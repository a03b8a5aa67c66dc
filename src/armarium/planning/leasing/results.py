"""What a job that ended leaves in the history of its domains. A broad job has ten thousand: all at once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB, insert

from armarium.core import clock
from armarium.core.collecting import BUDGET_SPENT, DomainResult, JobEnd, SeedVerdict, SourceResult
from armarium.planning.collectors.model import storable
from armarium.planning.model import ArrivalState, StopReason
from armarium.planning.tables.domains import configuration, domain
from armarium.planning.tables.harvests import DATA, INDEX, LANDED, arrival
from armarium.planning.tables.jobs import job_by_catch, job_configuration


@dataclass(frozen=True)
class Expected:
    """A configuration of a job."""

    configuration: int
    name: str  # of the domain
    limited_by: str


@dataclass(frozen=True)
class Result:
    configuration: int
    objects: int
    bytes: int
    stop_reason: StopReason
    seeds: Sequence[Mapping[str, object]] = ()  # with which something is wrong


_NUMBERS = sa.ARRAY(sa.BigInteger)


def _results(results: Sequence[Result]) -> "sa.TableValuedAlias":
    """The results as a table."""
    columns = (
        sa.literal([result.configuration for result in results], _NUMBERS),
        sa.literal([result.objects for result in results], _NUMBERS),
        sa.literal([result.bytes for result in results], _NUMBERS),
        sa.literal([result.stop_reason.value for result in results], sa.ARRAY(sa.Text)),
        sa.literal([json.dumps(list(result.seeds)) for result in results], sa.ARRAY(sa.Text)),
    )
    names = (
        sa.column("configuration", sa.BigInteger),
        sa.column("objects", sa.BigInteger),
        sa.column("bytes", sa.BigInteger),
        sa.column("stop_reason", sa.Text),
        sa.column("seeds", sa.Text),
    )
    return sa.func.unnest(*columns).table_valued(*names, name="result").render_derived()


def configurations_of(connection: Connection, job: int) -> list[Expected]:
    asked = (
        sa.select(job_configuration.c.configuration, domain.c.name, job_configuration.c.limited_by)
        .join(domain, domain.c.id == job_configuration.c.domain)
        .where(job_configuration.c.job == job)
    )
    return [Expected(*row) for row in connection.execute(asked)]


def write_results(connection: Connection, job: int, results: Sequence[Result]) -> None:
    told, mine = _results(results).c, job_configuration.c
    changed = sa.update(job_configuration).where(mine.job == job, mine.configuration == told.configuration)
    values = {"objects": told.objects, "bytes": told.bytes, "stop_reason": told.stop_reason}
    connection.execute(changed.values(**values, seeds=told.seeds.cast(JSONB)))


CAPTURED = sa.text("""
    WITH had AS MATERIALIZED (
        SELECT id FROM domain
        WHERE id IN (SELECT domain FROM job_configuration WHERE job = :job AND objects > 0)
        ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE domain SET captured_at = :now FROM had WHERE domain.id = had.id
""")


def write_captured(connection: Connection, job: int) -> None:
    """Note the moment with each domain of which the job has anything; locked in one order, as below."""
    connection.execute(CAPTURED, {"job": job, "now": clock.now()})


#: After which no other run of the same seeds is to be expected to bring more.
ALL_THERE_IS = [
    reason.value for reason in (StopReason.COMPLETE, StopReason.DEAD, StopReason.EMPTY, StopReason.BLOCKED)
]


def write_best(connection: Connection, results: Sequence[Result]) -> None:
    """A complete harvest says how large a domain is; one that was cut off, that it is at least so large.

    One that was cut off with nothing says nothing: the domain is as unknown as before. Dead and empty seeds
    are all there is, and so is what came before a server refused the rest, unless more was seen before: a
    site may be away for a day.
    """
    numbers = sorted(result.configuration for result in results)
    # Two jobs that end at once may share configurations: locked in one order, they cannot block each other.
    rows = sa.select(configuration.c.id).where(configuration.c.id == sa.any_(sa.literal(numbers, _NUMBERS)))
    connection.execute(rows.order_by(configuration.c.id).with_for_update())
    told, mine = _results(results).c, configuration.c
    complete = told.stop_reason == StopReason.COMPLETE.value
    better = sa.or_(complete, told.objects > sa.func.coalesce(mine.best_objects, 0))
    changed = sa.update(configuration).where(mine.id == told.configuration, better)
    all_there_is = told.stop_reason.in_(ALL_THERE_IS)
    values = {"best_objects": told.objects, "best_bytes": told.bytes, "best_complete": all_there_is}
    connection.execute(changed.values(**values))


def write_by_catch(connection: Connection, job: int, found: Sequence[DomainResult]) -> None:
    rows = [{"job": job, "domain": one.domain, "objects": one.objects, "bytes": one.bytes} for one in found]
    if rows:
        connection.execute(insert(job_by_catch).on_conflict_do_nothing(), rows)


# Files that the collector names ---------------------------------------------------------------------


def stored_names(connection: Connection, number: int) -> set[str]:
    """Of all attempts: what was stored stays stored."""
    stored = sa.and_(arrival.c.job == number, arrival.c.state == ArrivalState.STORED)
    return set(connection.scalars(sa.select(arrival.c.name).where(stored)))


def has_data(connection: Connection, number: int, names: Iterable[str]) -> bool:
    """Whether one of these files is stored, and holds captures."""
    stored = sa.and_(arrival.c.job == number, arrival.c.state == ArrivalState.STORED)
    asked = sa.exists().where(stored, arrival.c.kind == DATA, _among(names))
    return bool(connection.scalar(sa.select(asked)))


def leave_others(connection: Connection, number: int, names: Iterable[str]) -> None:
    """The job has ended with these files; whatever else came is of an attempt that did not end it."""
    landed_index = sa.and_(arrival.c.kind == INDEX, arrival.c.state == ArrivalState.LANDED)
    others = sa.and_(arrival.c.job == number, ~_among(names), ~landed_index)
    left = sa.case((arrival.c.state.in_(LANDED), ArrivalState.SPARE), else_=ArrivalState.ABANDONED)
    connection.execute(sa.update(arrival).where(others).values(state=left))


def _among(names: Iterable[str]) -> "sa.ColumnElement[bool]":
    return arrival.c.name == sa.any_(sa.literal(sorted(set(names)), sa.ARRAY(sa.Text)))


# What is made of the words of a collector -----------------------------------------------------------


MOST_BY_CATCH = 1000
TIME_LIMIT = "timelimit"  # in what the crawler says at the end, in Heritrix's words
CONFIGURATION = "c"  # in `limited_by`: the limit is that of the configuration

JUDGED = frozenset(SeedVerdict) - {SeedVerdict.FINE, SeedVerdict.UNTRIED}

R = StopReason
Told = TypeVar("Told", DomainResult, SourceResult)


@dataclass(frozen=True)
class Ending:
    """What a collector said of a whole job."""

    outcome: str
    results: Mapping[str, SourceResult]  # by the domain whose seeds led there, wherever that was
    domains: Mapping[str, DomainResult]  # where it was

    @classmethod
    def of(cls, end: JobEnd) -> "Ending":
        domains = {result.domain.lower(): _within(result, end) for result in end.domains}
        if end.sources:
            return cls(end.outcome, {one.source.lower(): _within(one, end) for one in end.sources}, domains)
        # Collectors of an earlier version know only where the objects were.
        facts = {name: one.model_dump(exclude={"domain"}) for name, one in domains.items()}
        return cls(
            end.outcome, {name: SourceResult(source=name, **one) for name, one in facts.items()}, domains
        )


def _within(result: Told, end: JobEnd) -> Told:
    """Nobody has more than all of the job: what is expected of them next time is made of these figures."""
    figures = {"objects": min(result.objects, end.objects), "bytes": min(result.bytes, end.bytes)}
    return result.model_copy(update=figures)


def stop_reason(told: str, limited_by: str, outcome: str) -> StopReason:
    """Why a domain has no more, in the words of the history.

    `limited_by` has two letters, for objects and bytes: whose limit it was that held in the job.
    """
    by_objects, by_bytes = limited_by[:1], limited_by[1:2]
    match told:
        case "complete":
            return R.COMPLETE
        case "max-objects":
            return R.CONFIGURATION_OBJECT_LIMIT if by_objects == CONFIGURATION else R.OBJECT_LIMIT
        case "max-bytes":
            return R.CONFIGURATION_SIZE_LIMIT if by_bytes == CONFIGURATION else R.SIZE_LIMIT
        case "blocked":
            return R.BLOCKED
        case "unreachable":
            return R.UNREACHABLE
        case "dead":
            return R.DEAD
        case "empty":
            return R.EMPTY
        case _:  # crawl-ended, and whatever a later crawler may say: there was more to fetch
            if outcome == BUDGET_SPENT:
                return R.TOTAL_BUDGET
            return R.TIME_LIMIT if TIME_LIMIT in outcome.lower() else R.UNFINISHED


def result_for(expected: Expected, ending: Ending) -> Result:
    """A domain that the crawler does not mention has nothing: it never came to its turn."""
    told = ending.results.get(expected.name)
    if told is None:
        return Result(expected.configuration, 0, 0, stop_reason("crawl-ended", "", ending.outcome))
    reason = stop_reason(told.reason, expected.limited_by, ending.outcome)
    seeds = [storable(one.model_dump()) for one in told.seeds if one.verdict in JUDGED]
    return Result(expected.configuration, told.objects, told.bytes, reason, seeds)


def by_catch(expected: Iterable[Expected], ending: Ending) -> list[DomainResult]:
    """The largest of the domains that were met and were not the job's own."""
    own = {one.name for one in expected}
    others = (result for name, result in ending.domains.items() if name not in own and result.objects)
    return nlargest(MOST_BY_CATCH, others, key=lambda result: (result.bytes, result.domain))


def write_history(connection: Connection, job: int, end: JobEnd) -> None:
    """Results of the job's configurations, what is known of each from now on, and the by-catch.

    An end without any domain says nothing of them: the crawl broke before it could tell.
    """
    if not end.domains and not end.sources:
        return
    ending, expected = Ending.of(end), configurations_of(connection, job)
    results = [result_for(one, ending) for one in expected]
    write_results(connection, job, results)
    # The domain before its configurations: so do the pages that lock both.
    write_captured(connection, job)
    write_best(connection, results)
    write_by_catch(connection, job, by_catch(expected, ending))
