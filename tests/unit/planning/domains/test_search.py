"""What people type into the search for domains."""

import pytest

from armarium.core.errors import Refused
from armarium.planning.domains.search import Pattern, contained, pattern_of


@pytest.mark.parametrize(
    ("typed", "pattern"),
    [
        ("", Pattern()),
        ("*", Pattern()),
        ("*.fr", Pattern(tld="fr")),
        ("lib*", Pattern("lib%")),
        ("Lib*.FR", Pattern("lib%.fr", "fr")),
        ("li", Pattern("li%")),
        ("bnf", Pattern("%bnf%", grams=("bnf",), ordered=False)),
        ("*.gouv.fr", Pattern("%.gouv.fr", "fr", (".go", "gou", "ouv", "uv.", "v.f"), ordered=False)),
        ("a_b*", Pattern(r"a\_b%")),
        ("l?b.fr", Pattern("l_b.fr", "fr", ("b.f",), ordered=False)),
        ("https://www.bnf.fr/a", Pattern("%bnf.fr%", "", ("bnf", "nf.", "f.f", ".fr"), ordered=False)),
    ],
)
def test_a_pattern_becomes_what_an_index_can_answer(typed: str, pattern: Pattern) -> None:
    assert pattern_of(typed) == pattern


@pytest.mark.parametrize("typed", ["*a*", "*ab?cd*", "a b", "x" * 254])
def test_what_no_index_can_answer_is_refused(typed: str) -> None:
    with pytest.raises(Refused):
        pattern_of(typed)


def test_a_text_in_a_comment_needs_three_characters() -> None:
    assert contained(" 50% ") == (r"%50\%%", ("50%",))
    with pytest.raises(Refused):
        contained("ab")
