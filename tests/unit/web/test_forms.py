import pytest

from armarium.core.errors import Refused
from armarium.web.forms import parse_form


def test_the_last_value_counts_and_all_are_kept() -> None:
    form = parse_form(b"role=a&role=b&name=Zo%C3%AB+X&empty=")
    assert (form.get("role"), form.chosen("role")) == ("b", ["a", "b"])
    assert form.get("name") == "Zoë X"
    assert (form.get("empty"), form.ticked("empty")) == ("", True)
    assert (form.get("missing"), form.chosen("missing"), form.ticked("missing")) == ("", [], False)


@pytest.mark.parametrize(
    "body", [b"\xff", b"a=%ff", b"a=%00", b"a=%ed%a0%80", b"a=" + b"x" * 100_001, b"&".join([b"a=1"] * 2001)]
)
def test_hostile_forms_are_refused(body: bytes) -> None:
    with pytest.raises(Refused):
        parse_form(body)


def test_a_form_that_is_shown_again_keeps_what_was_typed_and_names_the_field() -> None:
    form = parse_form(b"name=ada&roles=a&roles=b").refuse(Refused("No.", field="name"), several=["roles"])
    assert (form.get("name"), form.errors["name"], form.values["roles"]) == ("ada", "No.", ["a", "b"])
    assert form.refuse(Refused("At all.")).errors[""] == "At all."
