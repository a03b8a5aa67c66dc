"""Why a domain has no more, and what is noted of it."""

import pytest

from armarium.core.collecting import DomainResult
from armarium.planning.jobs.ending import MOST_BY_CATCH, Ending, by_catch, result_for, stop_reason
from armarium.planning.jobs.ending_queries import Expected, Result
from armarium.planning.model import StopReason as R


@pytest.mark.parametrize(
    ("told", "limited_by", "outcome", "reason"),
    [
        ("complete", "ch", "Finished", R.COMPLETE),
        ("max-objects", "ch", "Finished", R.CONFIGURATION_OBJECT_LIMIT),
        ("max-objects", "hc", "Finished", R.OBJECT_LIMIT),
        ("max-objects", "--", "Finished", R.OBJECT_LIMIT),
        ("max-objects", "", "Finished", R.OBJECT_LIMIT),
        ("max-bytes", "hc", "Finished", R.CONFIGURATION_SIZE_LIMIT),
        ("max-bytes", "ch", "Finished", R.SIZE_LIMIT),
        ("crawl-ended", "--", "Finished - Timelimit hit", R.TIME_LIMIT),
        ("crawl-ended", "--", "Finished - Ended by operator", R.UNFINISHED),
        ("blocked", "--", "Finished", R.BLOCKED),
        ("unreachable", "--", "Finished", R.UNREACHABLE),
        ("of a later version", "--", "Finished", R.UNFINISHED),
    ],
)
def test_the_reason_of_the_crawler_in_the_words_of_the_history(
    told: str, limited_by: str, outcome: str, reason: R
) -> None:
    assert stop_reason(told, limited_by, outcome) is reason


def test_names_of_domains_are_compared_in_small_letters() -> None:
    ending = Ending("", {"a.example": DomainResult(domain="A.example", objects=3, bytes=30)})
    assert result_for(Expected(7, "a.example", "--"), ending) == Result(7, 3, 30, R.COMPLETE)


def test_of_the_by_catch_the_largest_are_kept() -> None:
    results = {f"d{n}.example": DomainResult(domain=f"d{n}.example", objects=1, bytes=n) for n in range(3000)}
    found = by_catch([Expected(1, "d2999.example", "--")], Ending("", results))
    assert len(found) == MOST_BY_CATCH
    assert (found[0].domain, found[-1].domain) == ("d2998.example", "d1999.example")
