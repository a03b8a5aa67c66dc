import pytest

from armarium.harvest.scope import BadFilter, FilterSet
from tests.cost import processor_seconds


def refused(pattern: str) -> BadFilter:
    with pytest.raises(BadFilter) as caught:
        FilterSet([pattern])
    return caught.value


def test_a_filter_finds_anywhere_and_the_first_that_finds_is_named() -> None:
    filters = FilterSet([r"\.zip$", "calendar", "cal"])
    assert filters.find("http://a/calendar/1") == "calendar"
    assert filters.find("http://a/x.zip") == r"\.zip$"
    assert filters.find("http://a/zip") == ""


def test_text_that_is_no_address_is_searched_too() -> None:
    assert FilterSet(["x$"]).find("http://\ud800\0\u00e9/x") == "x$"


def test_no_filter_finds_nothing() -> None:
    assert not FilterSet()
    assert FilterSet().find("http://a/") == ""


def test_an_expression_that_would_hold_up_other_engines_takes_no_time() -> None:
    filters = FilterSet(["(a+)+$", "(a|aa)+b$", "(.*a){20}$"])
    with processor_seconds(0.5):
        assert filters.find("http://x/" + "a" * 4000 + "!") == ""


def test_filters_whose_states_fill_their_memory_still_find() -> None:
    filters = FilterSet([f"{letter}.{{400}}{letter}.{{400}}end{letter}" for letter in "abcdefghijklmnop"])
    for letter in "ap":
        assert filters.find(f"http://x/{letter}{'-' * 400}{letter}{'-' * 400}end{letter}")


@pytest.mark.parametrize(
    ("pattern", "position", "words"),
    [
        ("ab(c", 2, "not closed"),
        ("a(b)(c", 4, "not closed"),
        ("(?:ab", 0, "not closed"),
        ("ab)c", 2, "never opened"),
        (")", 0, "never opened"),
        ("x[a-", 1, "not closed"),
        ("x*+", 1, "follow each other"),
        ("*.zip", 0, "nothing to repeat"),
        ("a{2000}", 1, "more than 1000"),
        ("x[z-a]", 2, "backwards"),
        ("ab\\", 2, "backslash"),
        ("x\\q", 1, "no meaning"),
        ("caf\u00e9", 3, "%C3%A9"),
        ("", 0, "every address"),
        ("x(?=/)", 1, "what follows, which is not supported"),
        ("x(?!/)", 1, "what follows, which is not supported"),
        ("(?<=/)x", 0, "stands before, which is not supported"),
        ("x(?<!/)x", 1, "stands before, which is not supported"),
        ("/(.*)/\\1/", 6, "max_repetitions"),
        ("(?P<a>x)(?P=a)", 8, "max_repetitions"),
        ("(?>a)", 0, "atomic"),
    ],
)
def test_a_wrong_filter_is_refused_with_place_and_advice(pattern: str, position: int, words: str) -> None:
    error = refused(pattern)
    assert words in str(error)
    assert error.position == position
    lines = str(error).splitlines()
    assert lines[2].index("^") - 4 == position
    assert error.advice in lines[-1]


def test_a_very_long_filter_is_refused_and_shown_in_part() -> None:
    error = refused("x" * 5000)
    assert "5000 characters" in str(error)
    assert len(str(error)) < 500


def test_a_filter_of_millions_of_states_is_refused() -> None:
    assert "more than 1000" in str(refused("((a{900}){900}){900}")) or "large" in str(
        refused("(a{1000}){1000}")
    )
