"""`armarium select records list`, `searches` and `bulk`, with the house of a test."""

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
from tests.integration.selection.bulk.desk import many
from tests.integration.selection.world import World

Run = Callable[..., Result]


@pytest.fixture
def select(library: World, tmp_path: Path) -> Run:
    house = House(load(SECTIONS, home=tmp_path, environ={}), library.database)

    @contextmanager
    def enter(_: Settings) -> Iterator[Services]:
        yield house.services()

    door = Session(load=lambda: house.settings, enter=enter)
    return lambda *words: CliRunner().invoke(select_commands, words, obj=door)


def answered(done: Result) -> Any:
    assert done.exit_code == 0, done.output + repr(done.exception)
    return json.loads(done.stdout)


def test_records_are_found_by_any_field(select: Run, library: World) -> None:
    one, other = many(library, 2)
    found = answered(select("records", "list", "site1", "--json"))
    assert [row["id"] for row in found] == [other.id]
    assert answered(select("records", "list", "-w", "state=validated", "--count", "--json")) == {"total": 2}
    listed = answered(select("records", "list", "--order", "number", "--json"))
    assert [row["id"] for row in listed] == [one.id, other.id]
    assert "https://site0.example/" in select("records", "list").stdout


def test_searches_are_saved_used_handed_over_and_deleted(select: Run, library: World) -> None:
    many(library, 2)
    made = answered(select("searches", "add", "First", "--owner", "ada", "--text", "site0", "--json"))
    assert (made["owner"], made["query"]) == ("ada", "q=site0")
    assert len(answered(select("records", "list", "--search", "first", "--json"))) == 1
    assert answered(select("searches", "hand-over", "First", "ben", "--json"))["owner"] == "ben"
    assert answered(select("searches", "list", "--json"))[0]["name"] == "First"
    answered(select("searches", "remove", "First", "--json"))
    assert answered(select("searches", "list", "--json")) == []


def test_a_bulk_edit_is_tried_done_and_undone(select: Run, library: World) -> None:
    (one,) = many(library, 1)
    options = ("--text", "site0", "--responsible", "ada", "--theme", "Opinion", "--json")
    tried = answered(select("bulk", "edit", *options, "--dry-run"))
    assert (tried["state"], tried["changing"]) == ("ready", 1)
    assert library.records.get(one.id).responsible is None
    done = answered(select("bulk", "edit", *options))
    assert (done["state"], done["changed"]) == ("done", 1)
    assert library.records.get(one.id).theme_name == "Opinion"
    assert answered(select("bulk", "undo", str(done["id"]), "--json"))["restored"] == 1
    assert [row["state"] for row in answered(select("bulk", "list", "--json"))] == ["undone"]
    assert select("bulk", "edit", "--responsible", "ada").exit_code != 0
