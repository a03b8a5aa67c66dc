"""`armarium select collections` and `armarium select combinations`."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.core.services import Services
from armarium.selection.commands import select_commands
from armarium.server.assembly import SECTIONS, House
from armarium.settings import Settings, load
from armarium.terminal.session import Session
from tests.integration.selection.world import World

Run = Callable[..., Result]


@pytest.fixture
def select(library: World, tmp_path: Path) -> Run:
    """The commands with the house of this test; tests/integration/cli starts whole processes."""

    @contextmanager
    def enter(settings: Settings) -> Iterator[Services]:
        yield House(settings, library.database).services()

    door = Session(load=lambda: load(SECTIONS, home=tmp_path, environ={}), enter=enter)
    return lambda *words: CliRunner().invoke(select_commands, words, obj=door)


def answered(done: Result) -> Any:
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


def test_a_collection_is_made_shown_and_changed(select: Run) -> None:
    words = ("collections", "add", "Radio", "--theme", "Music", "--theme", "Talk", "--usual-theme", "Talk")
    made = answered(select(*words, "--depth", "host", "--depth", "path", "--json"))
    assert made["depths"] == ["path", "host"]
    assert made["default_theme"] == "Talk"
    changed = answered(select("collections", "edit", "radio", "--rename", "Stations", "--inactive", "--json"))
    assert (changed["name"], changed["active"], changed["depths"]) == ("Stations", False, ["path", "host"])
    assert [one["name"] for one in answered(select("collections", "list", "--json"))] == [
        "Arts",
        "Press",
        "Stations",
    ]
    assert "Stations" in select("collections", "list").stdout
    assert "path, host" in select("collections", "show", "Stations").stdout
    assert "no collection named Radio" in str(select("collections", "show", "Radio").exception)


def test_themes_are_arranged(select: Run, library: World) -> None:
    made = library.record("https://a.example/")
    words = ("collections", "themes", "Press", "--rename", "News=Daily news", "--add", "Weather")
    themes = answered(select(*words, "--retire", "Opinion", "--first", "Opinion", "--json"))
    assert [(one["name"], one["active"], one["records"]) for one in themes] == [
        ("Opinion", False, 0),
        ("Daily news", True, 1),
        ("Weather", True, 0),
    ]
    assert library.records.get(made.id).theme_name == "Daily news"
    assert answered(select("collections", "themes", "Press", "--usual", "", "--json"))[1]["usual"] is False
    assert "Daily news" in select("collections", "themes", "Press").stdout
    assert "no theme named Radio" in str(
        select("collections", "themes", "Press", "--retire", "Radio").exception
    )


def test_members_come_and_go(select: Run) -> None:
    words = ("collections", "members", "Press", "--add", "ben", "--remove", "ada", "--add-group", "cn=Press")
    assert answered(select(*words, "--json")) == {"accounts": ["ben"], "groups": ["cn=Press"]}
    assert "cn=Press" in select("collections", "members", "Press").stdout
    assert "no member" in str(select("collections", "members", "Press", "--remove", "ada").exception)


def test_the_matrix_forbids_and_allows(select: Run) -> None:
    forbidden = answered(
        select(
            "combinations", "forbid", "--budget", "large", "--frequency", "daily", "--reason", "No.", "--json"
        )
    )
    assert {one["depth"] for one in forbidden} == {"page", "page+1", "page+2", "path", "host", "domain"}
    assert {one["reason"] for one in forbidden} == {"No."}
    assert "Large · Daily · any depth" in select("combinations", "list").stdout
    assert answered(select("combinations", "allow", "--frequency", "daily", "--json")) == []
    assert "Everything goes together." in select("combinations", "list").stdout
    assert select("combinations", "allow").exit_code == 2, "nothing named is more likely a slip"
    assert select("combinations", "forbid", "--depth", "page", "--reason", " ").exit_code == 1
