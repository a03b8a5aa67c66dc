"""What may be written into an extended field."""

import pytest

from armarium.core.errors import Refused
from armarium.planning.fields.rules import (
    Field,
    FieldKind,
    FieldSubject,
    NewField,
    checked_definition,
    checked_fields,
    checked_value,
    typed_values,
)
from armarium.web.forms import Form, Sparse

D = FieldSubject.DOMAIN
TEXT = Field(D, "Owner", FieldKind.TEXT, id=1)
NUMBER = Field(D, "Rank", FieldKind.NUMBER, id=2)
YES_NO = Field(D, "Press", FieldKind.YES_NO, id=3, default_value="yes")
DATE = Field(D, "Agreed", FieldKind.DATE, id=4)
CHOICE = Field(D, "Theme", FieldKind.CHOICE, ("art", "law"), id=5, mandatory=True, default_value="art")
ALL = [TEXT, NUMBER, YES_NO, DATE, CHOICE]


def form(**values: str) -> Form:
    return Form(values=Sparse({name.replace("_", "-"): value for name, value in values.items()}))


def test_a_form_gives_values_by_the_number_of_their_field() -> None:
    sent = form(field_1=" BnF ", field_2="1 000,5", field_3="yes", field_4="2026-12-31", field_5="law")
    assert checked_fields(ALL, sent) == {"1": "BnF", "2": 1000.5, "3": True, "4": "2026-12-31", "5": "law"}


def test_empty_values_go_and_values_of_other_fields_stay() -> None:
    before = {"1": "BnF", "99": "of a field set aside"}
    assert checked_fields(ALL, form(field_5="art"), before) == {
        "99": "of a field set aside",
        "3": False,
        "5": "art",
    }


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        (NUMBER, "many"),
        (NUMBER, "1e400"),
        (NUMBER, "nan"),
        (DATE, "31.12.2026"),
        (CHOICE, "music"),
        (CHOICE, ""),
        (TEXT, "x" * 1001),
    ],
)
def test_a_wrong_value_is_refused_at_its_input(field: Field, typed: str) -> None:
    with pytest.raises(Refused) as refused:
        checked_value(field, typed)
    assert refused.value.field == field.input


def test_a_new_thing_begins_with_the_defaults() -> None:
    assert typed_values(ALL)["field-5"] == "art"
    assert typed_values(ALL)["field-3"] == "yes"
    assert typed_values(ALL, {})["field-3"] is None
    assert typed_values(ALL, {"2": 7, "5": "law"}) == {
        "field-1": "",
        "field-2": "7",
        "field-3": None,
        "field-4": "",
        "field-5": "law",
    }


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (NewField(D, " ", FieldKind.TEXT), "name"),
        (NewField(D, "Theme", FieldKind.CHOICE, (" ",)), "choices"),
        (NewField(D, "Theme", FieldKind.CHOICE, ("art",), default_value="law"), "default_value"),
        (NewField(D, "Rank", FieldKind.NUMBER, default_value="first"), "default_value"),
        (NewField(D, "Rank", FieldKind.NUMBER, place=-1), "place"),
    ],
)
def test_a_definition_that_cannot_work_is_refused(new: NewField, field: str) -> None:
    with pytest.raises(Refused) as refused:
        checked_definition(new)
    assert refused.value.field == field
