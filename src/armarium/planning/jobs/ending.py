"""What a job that ended leaves in the history of its domains."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import TypeVar

from sqlalchemy import Connection

from armarium.core.collecting import BUDGET_SPENT, DomainResult, JobEnd, SourceResult
from armarium.core.seed_verdict import SeedVerdict
from armarium.planning.collectors.storable import storable
from armarium.planning.jobs import ending_queries as queries
from armarium.planning.jobs.ending_queries import Expected, Result
from armarium.planning.model import StopReason

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
    ending, expected = Ending.of(end), queries.expected(connection, job)
    results = [result_for(one, ending) for one in expected]
    queries.write_results(connection, job, results)
    # The domain before its configurations: so do the pages that lock both.
    queries.write_captured(connection, job)
    queries.write_best(connection, results)
    queries.write_by_catch(connection, job, by_catch(expected, ending))
