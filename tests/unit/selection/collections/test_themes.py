"""The themes of a collection: order, names, use."""

import pytest

from armarium.core.errors import Refused
from armarium.selection.collections.model import Theme, ThemeGiven
from armarium.selection.collections.rules import arranged, usual_of

NEWS, OPINION = Theme(1, 7, "News", True, 0), Theme(2, 7, "Opinion", True, 1)
KNOWN = (NEWS, OPINION)


def test_names_alone_find_the_themes_that_there_are() -> None:
    assert arranged(KNOWN, ["opinion", "Weather"]) == [
        ThemeGiven("opinion", 2),
        ThemeGiven("Weather"),
        ThemeGiven("News", 1, active=False),
    ]


def test_two_themes_may_change_their_names_with_each_other() -> None:
    swapped = [ThemeGiven("Opinion", 1), ThemeGiven("News", 2)]
    assert arranged(KNOWN, swapped) == swapped


@pytest.mark.parametrize("given", [[ThemeGiven("news", 2)], ["Weather", "Weather", ThemeGiven("weather", 1)]])
def test_no_two_have_the_same_name_also_out_of_use(given: list[ThemeGiven | str]) -> None:
    with pytest.raises(Refused) as refused:
        arranged(KNOWN, given)
    assert refused.value.field == "themes"


@pytest.mark.parametrize(
    "given", [[], [" "], [ThemeGiven("News", 1, active=False)], ["x" * 101], [ThemeGiven("A", 9)]]
)
def test_what_no_collection_can_have_is_refused(given: list[ThemeGiven | str]) -> None:
    with pytest.raises(Refused):
        arranged(KNOWN, given)


def test_the_usual_theme_is_one_in_use() -> None:
    themes = arranged(KNOWN, ["News"])
    assert usual_of(themes, " news ") == ThemeGiven("News", 1)
    assert usual_of(themes, "") is None
    with pytest.raises(Refused):
        usual_of(themes, "Opinion")
