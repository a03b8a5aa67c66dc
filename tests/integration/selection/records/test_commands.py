"""Records from a shell."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from armarium.cli.main import app
from armarium.core.errors import Refused
from armarium.db.database import Database
from tests.integration.selection.world import World, world

Run = Callable[..., Any]


@pytest.fixture
def library(database: Database) -> World:
    return world(database)


@pytest.fixture
def run(database_url: str, tmp_path: Path) -> Run:
    environment = {"ARMARIUM_HOME": str(tmp_path), "ARMARIUM_DATABASE_URL": database_url}

    def invoke(*words: str) -> Any:
        asked = ["select", "records", *words, "--json"]
        result = CliRunner().invoke(app, asked, env=environment, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return invoke


def test_a_record_from_entry_to_decision(library: World, run: Run) -> None:
    further = ["--further", "https://news.example/feed a feed", "--keyword", "press", "--keyword", "daily"]
    made = run("add", "news.example", "--collection", "press", "--title", "News", *further)
    number = str(made["id"])
    assert (made["theme"], made["budget"], made["frequency"]) == ("News", "small", "annual")  # usual there
    assert made["addresses"] == ["https://news.example/feed (a feed)"]
    assert made["state"] == "proposed"  # nobody has seen its address answer
    changed = run("edit", number, "--responsible", "ada", "--theme", "Opinion", "--keyword", "weekly")
    assert (changed["responsible"], changed["theme"], changed["keywords"]) == ("ada", "Opinion", ["weekly"])
    assert changed["title"] == "News"
    assert run("edit", number, "--responsible", "", "--inactive")["active"] is False
    assert run("reject", number, "--reason", "A shop.")[0]["state_reason"] == "A shop."
    assert run("propose", number)[0]["state"] == "proposed"
    library.saw(made["id"])
    assert run("validate", number)[0]["state"] == "validated"
    assert run("validate", number) == []  # it is already
    moved = run("move", number, "--collection", "Arts", "--theme", "music", "--usual")
    assert (moved["collection"], moved["theme"]) == ("Arts", "Music")
    assert run("comment", number, "Well done.")["text"] == "Well done."
    shown = run("show", number)
    assert (shown["responsible"], shown["comments"][0]["text"]) == ("", "Well done.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add", "a.example", "--collection", "Arts"], "has no usual theme: choose one with --theme"),
        (["add", "a.example", "--collection", "Press", "--theme", "Jazz"], "It has: News, Opinion."),
        (["add", "ftp://a.example", "--collection", "Press"], "is no address of a web site"),
    ],
)
def test_what_cannot_be_done_is_said(library: World, run: Run, words: list[str], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        run(*words)
