"""What every entity can do: be compared, be marked, be read from a row and be edited."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from armarium.core.entities import Described, edited, from_row, values_of


class Colour(StrEnum):
    GREEN = "green"
    RED = "red"


@dataclass(frozen=True)
class Binding:
    colour: Colour
    made_at: datetime | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Book(Binding, Described):
    id: int = 0
    name: str = ""
    edition: int = 1


BOOK = Book(Colour.RED, datetime(2026, 1, 2, tzinfo=UTC), ("old", "thick"), id=3, name="Almanac")


def test_an_entity_is_described_as_json_without_what_is_counted() -> None:
    assert BOOK.described() == {
        "colour": "red",
        "made_at": "2026-01-02T00:00:00+00:00",
        "words": ["old", "thick"],
        "name": "Almanac",
    }


def test_the_mark_changes_with_what_people_said_and_with_nothing_else() -> None:
    assert replace(BOOK, edition=7).mark == BOOK.mark
    assert replace(BOOK, colour=Colour.GREEN).mark != BOOK.mark


def test_a_row_becomes_the_dataclass_with_its_enumerations_and_tuples() -> None:
    row = {"id": 3, "name": "Almanac", "edition": 1, "colour": "red", "words": ["old", "thick"], "more": 1}
    assert from_row(Book, {**row, "made_at": BOOK.made_at}) == BOOK


@dataclass(frozen=True)
class Shelf:
    colours: tuple[Colour, ...]
    usual: Colour | None


def test_a_row_may_have_several_of_an_enumeration_or_none() -> None:
    found = from_row(Shelf, {"colours": ["red", "green"], "usual": "red"})
    assert found == Shelf((Colour.RED, Colour.GREEN), Colour.RED)
    assert [type(one) for one in (*found.colours, found.usual)] == [Colour, Colour, Colour]
    for nothing in ("", None):
        assert from_row(Shelf, {"colours": [], "usual": nothing}) == Shelf((), None)


def test_only_the_fields_of_a_class_above_are_given_if_it_is_named() -> None:
    assert list(values_of(BOOK, Binding)) == ["colour", "made_at", "words"]


def test_what_was_not_typed_stays_and_what_is_cleared_goes() -> None:
    after = edited(BOOK, ["made_at"], name="Calendar", colour=None)
    assert (after.name, after.colour, after.made_at) == ("Calendar", Colour.RED, None)
