"""`armarium select transfer`, `mapping` and `findings`, with the house of a test."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.core.services import Services
from armarium.selection.commands import select_commands
from armarium.settings import Settings
from armarium.terminal.session import Session
from tests.integration.selection.transfer.handing import Office

Run = Callable[..., Result]


@pytest.fixture
def select(office: Office) -> Run:
    @contextmanager
    def enter(_: Settings) -> Iterator[Services]:
        yield office.house.services()

    door = Session(load=lambda: office.house.settings, enter=enter)
    return lambda *words: CliRunner().invoke(select_commands, words, obj=door)


def answered(done: Result) -> Any:
    assert done.exit_code == 0, done.output + repr(done.exception)
    return json.loads(done.stdout)


def test_a_transfer_is_previewed_and_done_from_a_shell(office: Office, select: Run) -> None:
    made = office.library.record("https://news.example/")
    office.library.record("https://music.example/", office.library.arts)
    (entry,) = answered(select("transfer", "--preview", "--collection", "Press", "--json"))
    assert (entry["kind"], entry["record"]) == ("made", made.id)
    assert "news.example" in select("transfer", "--preview").stdout
    done = answered(select("transfer", "--json"))
    assert (done["state"], done["records"], done["made"]) == ("done", 2, 2)
    assert "Nothing to do." in select("transfer", "--preview").stdout


def test_the_mapping_is_shown_and_set_from_a_shell(office: Office, select: Run) -> None:
    shown = answered(select("rules", "list", "--json"))
    assert shown["gaps"] == []
    assert "Nothing is missing." in select("rules", "list").stdout
    changed = answered(select("rules", "edit", "--budget", "small", "--max-bytes", "2GB", "--json"))
    assert (changed["max_bytes"], changed["max_objects"]) == (2_000_000_000, 5000)
    made = answered(select("rules", "edit", "--frequency", "daily", "--profile", "news-daily", "--json"))
    assert (made["frequency"], made["profile"]) == ("daily", "news-daily")
    assert select("rules", "edit", "--frequency", "daily", "--profile", "none such").exit_code != 0
    words = ("rules", "target", "Press", "daily", "--name", "Dailies", "--schedule", "daily", "--by-hand")
    assert answered(select(*words, "--json"))["automatic"] is False
    assert select("rules", "target", "Press", "daily").exit_code != 0


def test_findings_are_noted_and_closed_from_a_shell(office: Office, select: Run) -> None:
    made = office.library.record("https://news.example/")
    (noted,) = answered(select("findings", "add", str(made.id), "No pictures.", "--json"))
    assert "No pictures." in select("findings", "list").stdout
    (closed,) = answered(select("findings", "close", str(noted["id"]), "--json"))
    assert closed["done"] is True
    assert answered(select("findings", "list", "--json")) == []
    assert len(answered(select("findings", "list", "--all", "--json"))) == 1
    assert select("findings", "accept", str(noted["id"])).exit_code != 0
