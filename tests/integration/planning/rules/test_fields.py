"""Extended fields that administrators define."""

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.planning.fields.rules import FieldKind, FieldSubject, NewField, typed_values
from armarium.planning.fields.service import ExtendedFields
from armarium.web.forms import filled
from tests.integration.web.steps import enter, execute, token_of, with_token
from tests.site import RunningSite

FIELDS = "/planning/fields"
THEME = NewField(FieldSubject.DOMAIN, "Theme", FieldKind.CHOICE, ("art", "law"), place=2)


def test_forms_show_active_fields_in_their_order(database: Database) -> None:
    fields = ExtendedFields(database)
    theme = fields.create(SYSTEM, THEME)
    fields.create(SYSTEM, NewField(FieldSubject.DOMAIN, "Owner", FieldKind.TEXT, place=1))
    fields.create(SYSTEM, NewField(FieldSubject.HARVEST, "Owner", FieldKind.TEXT))
    assert [one.name for one in fields.of("domain")] == ["Owner", "Theme"]
    values = {name: getattr(theme, name) for name in NewField.__dataclass_fields__}
    fields.change(SYSTEM, theme.id, NewField(**{**values, "active": False}))
    assert [one.name for one in fields.of("domain")] == ["Owner"]
    assert [one.name for one in fields.all(FieldSubject.DOMAIN)] == ["Owner", "Theme"]


def test_the_kind_stays_once_something_is_written(site: RunningSite) -> None:
    fields = ExtendedFields(site.house.database)
    theme = fields.create(SYSTEM, THEME)
    number = NewField(FieldSubject.DOMAIN, "Theme", FieldKind.NUMBER)
    fields.change(SYSTEM, theme.id, number)
    fields.change(SYSTEM, theme.id, THEME)
    values = f'{{"{theme.id}": "art"}}'
    execute(site, "INSERT INTO domain (name, created_at, fields) VALUES ('a.example', now(), :v)", v=values)
    with pytest.raises(Refused, match="kind cannot change"):
        fields.change(SYSTEM, theme.id, number)


def test_an_administrator_makes_and_changes_a_field(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    given = {"subject": "domain", "name": "Theme", "kind": "choice", "active": "yes", "place": "3"}
    answer = chief.submit(f"{FIELDS}/new", given)
    assert answer.status_code == 422
    assert 'id="choices-wrong"' in answer.text
    assert chief.submit(f"{FIELDS}/new", {**given, "choices": "art\nlaw"}).status_code == 303
    (theme,) = ExtendedFields(site.house.database).of("domain")
    page = chief.get(f"{FIELDS}/{theme.id}").text
    assert "Custom field created" in page
    changed = {**given, "choices": "art\nlaw\nmusic", "mandatory": "yes", "seen": theme.mark}
    assert chief.submit(f"{FIELDS}/{theme.id}", changed).status_code == 303
    (theme,) = ExtendedFields(site.house.database).of("domain")
    assert (theme.choices, theme.mandatory) == (("art", "law", "music"), True)
    assert "required" in chief.get(FIELDS).text
    reader = enter(site, "lib", Role.LIBRARIAN)
    assert reader.get(f"{FIELDS}/new").status_code == 403


def test_the_macro_asks_for_every_kind(site: RunningSite) -> None:
    fields = ExtendedFields(site.house.database)
    for kind in FieldKind:
        choices = ("art", "law") if kind is FieldKind.CHOICE else ()
        fields.create(SYSTEM, NewField(FieldSubject.HARVEST, f"A {kind}", kind, choices, help="Why <so>?"))
    definitions = fields.of("harvest")
    kept: dict[str, object] = {str(definitions[-1].id): "law"}
    source = (
        '{% import "planning/fields_macros.html" as fields with context %}'
        "{{ fields.inputs(form, definitions) }}{{ fields.facts(definitions, kept) }}"
    )
    template = site.app.state.shell.environment.from_string(source)
    form = filled(**typed_values(definitions, kept))
    text = template.render(form=form, definitions=definitions, kept=kept, csrf_token="")
    for field in definitions:
        assert f'name="{field.input}"' in text
    assert '<option value="law" selected>' in text
    assert "Why &lt;so&gt;?" in text
    assert "<dd>law</dd>" in text


def test_programs_define_fields(site: RunningSite) -> None:
    enter(site, "cora", Role.CURATOR)
    program = with_token(site, token_of(site, "cora", Permission.PLANNING_VIEW, Permission.PLANNING_RULES))
    given = {"subject": "harvest", "name": "Budget", "kind": "number", "default_value": "5"}
    made = program.post("/api/fields", json=given)
    assert made.status_code == 201
    again = program.post("/api/fields", json=given)
    assert (again.status_code, again.json()["field"]) == (422, "name")
    address = f"/api/fields/{made.json()['id']}"
    assert program.put(address, json={**given, "active": False}).json()["active"] is False
    assert len(program.get("/api/fields", params={"subject": "harvest"}).json()) == 1
