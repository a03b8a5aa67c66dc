"""What `harvest why` says, in words."""

import pytest

from armarium.harvest.frontier import Fate, Whereabouts
from armarium.harvest.model import Status
from armarium.harvest.scope.scope import Explanation
from armarium.harvest.why import OUTCOMES, Answer


def said(status: int, attempts: int = 0) -> str:
    fate = Fate(
        "http://a.example/x", Whereabouts.FINISHED, "L", status=status, attempts=attempts, rule="host"
    )
    return Answer(fate.url, fate, Explanation()).sentence


@pytest.mark.parametrize(
    ("status", "attempts", "sentence"),
    [
        (
            -9998,
            0,
            "It was not fetched: robots.txt forbids it (status -9998). Rule: 'host'.",
        ),
        (-2, 2, "It was given up after 3 tries: its server takes no connection (status -2). Rule: 'host'."),
        (404, 0, "It is done, with status 404 after the first try. Rule: 'host'."),
    ],
)
def test_an_outcome_is_told_in_words(status: int, attempts: int, sentence: str) -> None:
    assert said(status, attempts).endswith(sentence)


def test_an_icon_that_no_page_names_is_told_to_be_that_of_a_seed() -> None:
    fate = Fate("http://a.example/favicon.ico", Whereabouts.IN_FLIGHT, "I", "http://a.example/x")
    assert Answer(fate.url, fate, Explanation()).sentence == (
        "It was found by no link: browsers ask every site for its icon, and extraction.favicon for that of "
        "the seed http://a.example/x (way from the seed: I). It is being fetched."
    )


def test_every_code_that_ends_an_address_has_words() -> None:
    assert {one for one in Status if one < 0} == set(OUTCOMES)
