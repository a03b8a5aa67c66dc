import base64

import pytest

from armarium.access.proxy.request import (
    NOBODY,
    Choice,
    Choices,
    Credentials,
    choice_of,
    chosen,
    credentials_of,
)
from armarium.core.errors import Refused


def _basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("user", "choice"),
    [
        ("", Choice()),
        ("all", Choice()),
        ("news", Choice("news")),
        ("news+sport@2020", Choice("news+sport", "2020")),
        ("@2020-03-31", Choice("all", "20200331")),
        ("viewing-17@20200101000000", Choice("viewing-17", "20200101000000")),
        ("all@2020-03-31T12:30:00Z", Choice("all", "20200331123000")),
    ],
)
def test_the_user_of_the_credentials_is_a_collection_and_a_date(user: str, choice: Choice) -> None:
    assert choice_of(user) == choice


@pytest.mark.parametrize(
    "user", ["all@yesterday", "all@20201301", "all@202", "../etc", "-", "a b", "all@2020010100000000"]
)
def test_what_is_neither_collection_nor_date_is_refused_in_words(user: str) -> None:
    with pytest.raises(Refused):
        choice_of(user)


def test_credentials_are_read_as_rfc_7617_writes_them() -> None:
    assert credentials_of(_basic("all@2020:a:word")) == Credentials("all@2020", "a:word")
    assert credentials_of(_basic("Bücher:Wort")) == Credentials("Bücher", "Wort")
    assert credentials_of("basic " + _basic("all:").split()[1]) == Credentials("all")


@pytest.mark.parametrize("header", ["", "Basic", "Basic !!!", "Bearer abc", "Basic /w==", "Negotiate x y"])
def test_credentials_that_cannot_be_read_are_none(header: str) -> None:
    assert credentials_of(header) == NOBODY


def test_a_choice_holds_for_one_browser_and_not_for_its_neighbour() -> None:
    choices = Choices()
    choices.make("192.0.2.1", NOBODY, Choice("news", "2010"))
    assert choices.of("192.0.2.1", NOBODY) == Choice("news", "2010")
    assert choices.of("192.0.2.2", NOBODY) == Choice()
    assert choices.of("192.0.2.1", Credentials("sport")) == Choice("sport")


def test_the_oldest_choices_are_forgotten_first() -> None:
    choices = Choices(most=2)
    for address in ("a", "b"):
        choices.make(address, NOBODY, chosen("news", ""))
    choices.of("a", NOBODY)
    choices.make("c", NOBODY, chosen("news", ""))
    assert [choices.of(address, NOBODY).collection for address in "abc"] == ["news", "all", "news"]
