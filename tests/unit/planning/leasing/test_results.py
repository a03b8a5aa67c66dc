"""Why a domain has no more, and what is noted of it."""

from typing import Any

import pytest

from armarium.core.collecting import (
    BUDGET_SPENT,
    DomainResult,
    EndKind,
    JobEnd,
    SeedFault,
    SourceResult,
)
from armarium.planning.leasing.results import (
    MOST_BY_CATCH,
    Ending,
    Expected,
    Result,
    by_catch,
    result_for,
    stop_reason,
)
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
        ("crawl-ended", "hh", BUDGET_SPENT, R.TOTAL_BUDGET),
        ("complete", "--", BUDGET_SPENT, R.COMPLETE),
        ("blocked", "--", "Finished", R.BLOCKED),
        ("unreachable", "--", "Finished", R.UNREACHABLE),
        ("dead", "cc", "Finished", R.DEAD),
        ("empty", "--", "Finished", R.EMPTY),
        ("of a later version", "--", "Finished", R.UNFINISHED),
    ],
)
def test_the_reason_of_the_crawler_in_the_words_of_the_history(
    told: str, limited_by: str, outcome: str, reason: R
) -> None:
    assert stop_reason(told, limited_by, outcome) is reason


def told(**facts: Any) -> JobEnd:
    return JobEnd(attempt=1, kind=EndKind.DONE, objects=5000, bytes=10**6, **facts)


def test_names_of_domains_are_compared_in_small_letters() -> None:
    end = told(sources=(SourceResult(source="A.example", objects=3, bytes=30),))
    assert result_for(Expected(7, "a.example", "--"), Ending.of(end)) == Result(7, 3, 30, R.COMPLETE, [])


def test_a_result_is_what_came_from_the_seeds_wherever_they_led() -> None:
    end = told(
        domains=(
            DomainResult(domain="a.example", objects=3, bytes=30),
            DomainResult(domain="b.example", objects=29, bytes=290),
        ),
        sources=(SourceResult(source="a.example", objects=32, bytes=320, reason="max-objects"),),
    )
    ending, expected = Ending.of(end), Expected(7, "a.example", "c-")

    assert result_for(expected, ending) == Result(7, 32, 320, R.CONFIGURATION_OBJECT_LIMIT, [])
    assert [one.domain for one in by_catch([expected], ending)] == ["b.example"]


def test_a_collector_of_an_earlier_version_tells_what_the_domain_had() -> None:
    end = told(domains=(DomainResult(domain="a.example", objects=3, bytes=30, reason="blocked"),))
    assert result_for(Expected(7, "a.example", "--"), Ending.of(end)) == Result(7, 3, 30, R.BLOCKED, [])


def test_seeds_that_are_not_as_they_should_be_are_noted_and_others_are_not() -> None:
    dead = SeedFault(url="http://a.example/x", verdict="dead", status=404)
    odd = [SeedFault(url="http://a.example/", verdict=one) for one in ("untried", "fine", "of tomorrow")]
    source = SourceResult(source="a.example", objects=1, bytes=9, reason="dead", seeds=(dead, *odd))
    found = result_for(Expected(7, "a.example", "--"), Ending.of(told(sources=(source,))))

    assert found.stop_reason is R.DEAD
    assert found.seeds == [{"url": "http://a.example/x", "verdict": "dead", "status": 404, "redirect": ""}]


def test_of_the_by_catch_the_largest_are_kept() -> None:
    domains = tuple(DomainResult(domain=f"d{n}.example", objects=1, bytes=n) for n in range(3000))
    found = by_catch([Expected(1, "d2999.example", "--")], Ending.of(told(domains=domains)))
    assert len(found) == MOST_BY_CATCH
    assert (found[0].domain, found[-1].domain) == ("d2998.example", "d1999.example")
