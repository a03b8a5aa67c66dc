"""From a form to values, with all that is wrong at once; and back."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

import pytest

from armarium.core.entities import Described
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.web.form_values import FormReader, typed
from armarium.web.forms import Form, filled

PARIS = ZoneInfo("Europe/Paris")


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True)
class Shelf(Described):
    id: int
    name: str
    size: Size
    place: int
    open: bool
    since: datetime | None
    notes: tuple[str, ...]


def read_shelf(form: Form) -> None:
    with FormReader(form) as read:
        read.number("place")
        read.choice("size", Size, message("Choose a size."))
        read.moment("since", read.zone("zone"))
        raise Refused(message("Name it."), field="name")


def read_badly(form: Form) -> None:
    with FormReader(form) as read:
        read.number("place")
        raise ZeroDivisionError


def test_all_that_is_wrong_is_said_at_once_and_what_was_typed_stays() -> None:
    form = filled(place="many", size="huge", since="soon", zone="Atlantis", name="")
    with pytest.raises(Refused) as refused:
        read_shelf(form)
    shown = form.refuse(refused.value)
    assert list(shown.errors) == ["place", "size", "zone", "since", "name"]
    assert (shown.get("place"), shown.errors["name"]) == ("many", "Name it.")


def test_what_fails_for_another_reason_is_not_hidden_by_refusals() -> None:
    with pytest.raises(ZeroDivisionError):
        read_badly(filled(place="x"))


@pytest.mark.parametrize("text", ["-1", "1.5", "٣", "1e3", "101", "9" * 5000])
def test_a_number_is_whole_and_within_its_bounds(text: str) -> None:
    with pytest.raises(Refused, match="whole number"), FormReader(filled(place=text)) as read:
        read.number("place", most=100)


def test_nothing_typed_is_no_number_and_a_sign_is_read_where_it_may_stand() -> None:
    with FormReader(filled(place=" -7 ", other="")) as read:
        assert (read.number("place", signed=True), read.number("other")) == (-7, None)


def test_an_entity_is_shown_in_its_form_as_people_type_it() -> None:
    since = datetime(2026, 7, 1, 10, tzinfo=UTC)
    shelf = Shelf(1, "Maps", Size.LARGE, 0, False, since, ("heavy", "old"))
    form = Form(values=filled(**typed(shelf, PARIS)).values)
    assert form.get("since") == "2026-07-01T12:00"
    assert (form.get("place"), form.get("size"), form.get("notes")) == ("0", "large", "heavy\nold")
    assert form.values["open"] is None
    assert form.get("seen") == shelf.mark


def test_what_may_be_left_out_is_none_and_judged_where_it_is_chosen() -> None:
    fault = message("Choose one of the list.")
    read = FormReader(filled(size="", place="", box="7", shelf="top"))
    assert read.option("size", Size, fault) is None
    assert read.thing("place", fault, required=False) is None
    assert read.thing("box", fault) == 7
    assert read.thing("shelf", fault, required=False) is None
    with pytest.raises(Refused) as refused, read:
        read.thing("place", fault)
    assert [one.field for one in (refused.value, *refused.value.also)] == ["shelf", "place"]
