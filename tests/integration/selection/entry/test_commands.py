"""`armarium select check` and `armarium select add`."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.core.services import Services
from armarium.db.database import Database
from armarium.selection.commands import select_commands
from armarium.settings import Settings
from armarium.terminal.session import Session
from tests.integration.selection.entry.desk import Desk, desk

Select = Callable[..., Result]


@pytest.fixture
def ours(database: Database) -> Iterator[Desk]:
    with desk(database) as prepared:
        yield prepared


@pytest.fixture
def select(ours: Desk) -> Select:
    """The commands, in the house of this test."""

    @contextmanager
    def enter(_: Settings) -> Iterator[Services]:
        yield Services([ours.checks, ours.library.collections, ours.library.records])

    session = Session(load=lambda: None, enter=enter)  # type: ignore[arg-type, return-value]
    return lambda *words: CliRunner().invoke(select_commands, list(words), obj=session)


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_addresses_are_looked_at_and_nothing_is_kept(select: Select, ours: Desk) -> None:
    [found] = told(select("check", "--json", ours.url("old")))
    assert (found["verdict"], found["final"], found["title"]) == ("redirects", ours.url("new"), "The New")
    assert [step["status"] for step in found["steps"]] == [301, 200]
    bad = select("check", ours.url("news"), ours.url("broken"), "http://127.0.0.1/")
    assert bad.exit_code == 1
    assert "Invalid" in bad.output
    assert ours.checks.latest(ours.library.ada) == []


def test_those_that_answer_become_records(select: Select, ours: Desk, tmp_path: Path) -> None:
    file = tmp_path / "addresses.txt"
    file.write_text(f"{ours.url('news')}\n# a remark\n{ours.url('broken')}\n{ours.url('old')}\n")
    looked = told(select("add", "--collection", "press", "--file", str(file), "--json"))
    assert [line["state"] for line in looked["lines"]] == ["fine", "invalid", "redirects"]
    assert not any(line["record"] for line in looked["lines"])
    made = told(select("add", "--collection", "press", "--create", "--file", str(file), "--json"))
    numbers = [line["record"] for line in made["lines"]]
    assert [bool(number) for number in numbers] == [True, False, True]
    assert ours.library.records.get(numbers[2]).address == ours.url("new")
    again = told(select("add", "--collection", "press", "--create", "--file", str(file), "--json"))
    assert [line["state"] for line in again["lines"]] == ["known", "invalid", "redirects"]
    assert not again["lines"][2]["record"]  # where it leads is a record already
    assert "Known" in select("add", "--collection", "press", ours.url("news")).output


def test_wrong_words_are_refused(select: Select, ours: Desk) -> None:
    for words in (
        ("add", "--collection", "nowhere", "a.example"),
        ("add", "--collection", "arts", "--create", ours.url("arts")),  # it has no usual theme
        ("add", "--collection", "press", "--create", "--theme", "Sport", ours.url("arts")),
        ("add", "--collection", "press"),
        ("add", "--collection", "press", "--file", "/nowhere/at/all"),
    ):
        assert select(*words).exit_code != 0, words
