"""What may be chosen in a collection, and what is near to it."""

import pytest

from armarium.core.errors import Refused
from armarium.selection.collections.model import Choices, Matrix
from armarium.selection.collections.rules import (
    check_combination,
    check_usual,
    checked_groups,
    checked_reasons,
    nearest,
)
from armarium.selection.model import Budget, Combination, Depth, Frequency

B, F, D = Budget, Frequency, Depth
TOO_MUCH = Combination(B.LARGE, F.DAILY, D.DOMAIN)
MATRIX = Matrix({TOO_MUCH: "More than a crawler can do."})


def test_a_refusal_says_why_and_what_is_possible_instead() -> None:
    with pytest.raises(Refused) as refused:
        check_combination(Choices("Press"), MATRIX, TOO_MUCH)
    assert refused.value.field == "budget"
    text = str(refused.value.message)
    assert "More than a crawler can do." in text
    assert "Medium · Daily · Domain; Large · Daily · Host; Large · Weekly · Domain" in text


def test_what_a_collection_does_not_offer_is_not_named_instead() -> None:
    press = Choices("Press", budgets=(B.LARGE,), depths=(D.DOMAIN,), default_budget=B.LARGE)
    found = nearest(press, MATRIX, TOO_MUCH)
    assert found == [Combination(B.LARGE, one, D.DOMAIN) for one in (F.WEEKLY, F.MONTHLY, F.QUARTERLY)]


def test_where_nothing_is_possible_nothing_is_named() -> None:
    press = Choices("Press", budgets=(B.LARGE,), frequencies=(F.DAILY,), depths=(D.DOMAIN,))
    with pytest.raises(Refused) as refused:
        check_combination(press, MATRIX, TOO_MUCH)
    assert "instead" not in str(refused.value.message)


def test_the_usual_combination_must_be_possible() -> None:
    usual = {"default_budget": B.LARGE, "default_frequency": F.DAILY, "default_depth": D.DOMAIN}
    with pytest.raises(Refused) as refused:
        check_usual(Choices("Press", **usual), MATRIX)  # type: ignore[arg-type]
    assert refused.value.field == "default_budget"
    check_usual(Choices("Press"), MATRIX)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 301, "a\x07b"])
def test_a_reason_is_a_short_line(reason: str) -> None:
    with pytest.raises(Refused):
        checked_reasons({TOO_MUCH: reason})


def test_groups_keep_their_spelling() -> None:
    assert checked_groups([" cn=Web  Archive,ou=groups ", "", "cn=Web  Archive,ou=groups"]) == [
        "cn=Web  Archive,ou=groups"
    ]
    with pytest.raises(Refused):
        checked_groups(["x" * 501])
