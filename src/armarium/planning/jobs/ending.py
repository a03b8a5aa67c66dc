"""What a job that ended leaves in the history of its domains."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest

from sqlalchemy import Connection

from armarium.core.collecting import DomainResult, JobEnd
from armarium.planning.jobs import ending_queries as queries
from armarium.planning.jobs.ending_queries import Expected, Result
from armarium.planning.model import StopReason

MOST_BY_CATCH = 1000
TIME_LIMIT = "timelimit"  # in what the crawler says at the end, in Heritrix's words
CONFIGURATION = "c"  # in `limited_by`: the limit is that of the configuration

R = StopReason


@dataclass(frozen=True)
class Ending:
    """What a collector said of a whole job."""

    outcome: str
    results: Mapping[str, DomainResult]  # by domain

    @classmethod
    def of(cls, end: JobEnd) -> "Ending":
        return cls(end.outcome, {result.domain.lower(): _within(result, end) for result in end.domains})


def _within(result: DomainResult, end: JobEnd) -> DomainResult:
    """No domain has more than all of the job: what is expected of it next time is made of these figures."""
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
        case _:  # crawl-ended, and whatever a later crawler may say: there was more to fetch
            return R.TIME_LIMIT if TIME_LIMIT in outcome.lower() else R.UNFINISHED


def result_for(expected: Expected, ending: Ending) -> Result:
    """A domain that the crawler does not mention has nothing: it never came to its turn."""
    told = ending.results.get(expected.name)
    if told is None:
        return Result(expected.configuration, 0, 0, stop_reason("crawl-ended", "", ending.outcome))
    reason = stop_reason(told.reason, expected.limited_by, ending.outcome)
    return Result(expected.configuration, told.objects, told.bytes, reason)


def by_catch(expected: Iterable[Expected], ending: Ending) -> list[DomainResult]:
    """The largest of the domains that were met and were not the job's own."""
    own = {one.name for one in expected}
    others = (result for name, result in ending.results.items() if name not in own and result.objects)
    return nlargest(MOST_BY_CATCH, others, key=lambda result: (result.bytes, result.domain))


def write_history(connection: Connection, job: int, end: JobEnd) -> None:
    """Results of the job's configurations, what is known of each from now on, and the by-catch.

    An end without any domain says nothing of them: the crawl broke before it could tell.
    """
    if not end.domains:
        return
    ending, expected = Ending.of(end), queries.expected(connection, job)
    results = [result_for(one, ending) for one in expected]
    queries.write_results(connection, job, results)
    # The domain before its configurations: so do the pages that lock both.
    queries.write_captured(connection, job)
    queries.write_best(connection, results)
    queries.write_by_catch(connection, job, by_catch(expected, ending))
