"""Rules say together what planning is told, the more particular ones over the others."""

import pytest

from armarium.core.errors import Refused
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.model import Budget, Combination, Depth, Frequency
from armarium.selection.transfer.mapping import checked_rule, gaps, mould, name_for, target_trouble
from armarium.selection.transfer.model import NO_LIMIT, Rule, Target
from tests.unit.selection.samples import CHOICES, HARVEST, RULES, ground, record

SMALL_PAGE = Combination(Budget.SMALL, Frequency.DAILY, Depth.PAGE)


def test_budgets_give_limits_and_depths_profiles() -> None:
    found = mould(RULES, SMALL_PAGE)
    assert found is not None
    assert (found.profile, found.max_objects, found.max_bytes) == ("page", 100, 1000)
    assert found.pattern == "selection {record}"


def test_a_rule_that_names_more_choices_counts_more() -> None:
    daily = Rule(frequency=Frequency.DAILY, overrides={"scope": {"max_hops": 2}, "robots": "obey"})
    both = Rule(
        budget=Budget.SMALL,
        frequency=Frequency.DAILY,
        profile="news-daily",
        max_bytes=NO_LIMIT,
        overrides={"scope": {"max_hops": 5}},
    )
    found = mould([both, daily, *RULES], SMALL_PAGE)
    assert found is not None
    assert (found.profile, found.max_objects, found.max_bytes) == ("news-daily", 100, None)
    assert found.overrides == {"scope": {"max_hops": 5}, "robots": "obey"}


def test_without_a_profile_there_is_nothing_to_tell() -> None:
    assert mould(RULES, Combination(Budget.SMALL, Frequency.DAILY, Depth.DOMAIN)) is None


def test_a_configuration_is_named_by_the_pattern_and_never_loses_its_number() -> None:
    assert name_for(record(12), "{collection}, {frequency} ({record})") == "Press, monthly (12)"
    long = name_for(record(12, collection_name="x" * 200), "{collection} {record}")
    assert long.endswith("12")
    assert len(long) == 100


@pytest.mark.parametrize("pattern", ["selection", "{record} {colour}", "{record}" + "x" * 100])
def test_a_pattern_without_the_record_or_with_unknown_places_is_refused(pattern: str) -> None:
    with pytest.raises(Refused, match="it may contain"):
        checked_rule(Rule(pattern=pattern))


def test_a_rule_that_says_nothing_is_refused() -> None:
    with pytest.raises(Refused, match="says nothing"):
        checked_rule(Rule(budget=Budget.SMALL))


def test_a_target_needs_a_harvest_that_there_is_or_a_schedule_to_make_one() -> None:
    assert target_trouble(Target(1, Frequency.DAILY, HARVEST.id), CHOICES) is None
    assert "no selective" in str(target_trouble(Target(1, Frequency.DAILY, 1234), CHOICES))
    assert "“daily”" in str(target_trouble(Target(1, Frequency.DAILY, None, "New", "daily"), CHOICES))
    assert target_trouble(Target(1, Frequency.DAILY, None, "New", "weekly"), CHOICES) is None
    taken = target_trouble(Target(1, Frequency.DAILY, None, HARVEST.name, "weekly"), CHOICES)
    assert "already" in str(taken)


def test_gaps_are_what_may_be_chosen_and_is_not_mapped() -> None:
    collection = Collection(
        "Press",
        id=1,
        budgets=(Budget.SMALL, Budget.LARGE),
        frequencies=(Frequency.MONTHLY, Frequency.DAILY),
        depths=(Depth.HOST, Depth.DOMAIN),
    )
    refused = Combination(Budget.LARGE, Frequency.DAILY, Depth.DOMAIN)
    found = gaps(ground().mapping, [collection], Matrix({refused: "too much"}), CHOICES)
    assert [one.frequency for one in found if one.combination is None] == [Frequency.DAILY]
    assert {one.combination for one in found if one.combination} == {
        Combination(Budget.SMALL, Frequency.DAILY, Depth.DOMAIN),
        Combination(Budget.SMALL, Frequency.MONTHLY, Depth.DOMAIN),
        Combination(Budget.LARGE, Frequency.MONTHLY, Depth.DOMAIN),
    }
    assert gaps(ground().mapping, [Collection("Old", id=2, active=False)], Matrix(), CHOICES) == []
