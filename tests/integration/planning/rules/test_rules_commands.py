"""`armarium plan` for profiles, schedules, traps, fields and channels."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.core.services import Services
from armarium.db.database import Database
from armarium.planning.commands import plan_commands
from armarium.server.assembly import SECTIONS, House
from armarium.settings import Settings, load
from armarium.terminal.session import Session

Run = Callable[..., Result]


@pytest.fixture
def plan(database: Database, tmp_path: Path) -> Run:
    """The commands with the house of this test; tests/integration/cli starts whole processes."""

    @contextmanager
    def enter(settings: Settings) -> Iterator[Services]:
        yield House(settings, database).services()

    door = Session(load=lambda: load(SECTIONS, home=tmp_path, environ={}), enter=enter)
    return lambda *words: CliRunner().invoke(plan_commands, words, obj=door)


def answered(done: Result) -> Any:
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


def test_a_profile_is_made_changed_compared_and_taken_back(plan: Run, tmp_path: Path) -> None:
    file = tmp_path / "press.toml"
    file.write_text("[scope]\nmax_hops = 5\n")
    assert answered(plan("profiles", "add", "press", str(file), "--json"))["version"] == 1
    file.write_text("[scope]\nmax_hops = 6\n")
    assert answered(plan("profiles", "update", "press", str(file), "--reason", "Deeper.", "--json"))
    differences = answered(plan("profiles", "diff", "press", "1", "--json"))
    assert differences == [{"key": "scope.max_hops", "before": 5, "after": 6}]
    assert "Version 3" in plan("profiles", "restore", "press", "1").stdout
    assert "max_hops = 5" in plan("profiles", "show", "press").stdout
    file.write_text("[scope]\ndepth = 6\n")
    refused = plan("profiles", "update", "press", str(file))
    assert str(refused.exception) == "scope.depth: There is no such key."


def test_a_schedule_is_made_and_its_runs_shown(plan: Run) -> None:
    words = (
        "schedules",
        "add",
        "nightly",
        "--unit",
        "day",
        "--hour",
        "2",
        "--zone",
        "Europe/Paris",
        "--json",
    )
    assert answered(plan(*words))["words"] == "Every day at 02:00"
    assert len(answered(plan("schedules", "runs", "nightly", "--limit", "3", "--json"))) == 3
    assert answered(plan("schedules", "pause", "nightly", "--json"))["active"] is False


def test_traps_fields_and_channels_have_their_commands(plan: Run, tmp_path: Path) -> None:
    file = tmp_path / "traps.txt"
    file.write_text("/calendar/\n")
    assert answered(plan("traps", "add", "calendars", str(file), "--json"))["expressions"] == ["/calendar/"]
    (verdict,) = answered(plan("traps", "test", "http://example.org/calendar/1", "--json"))
    assert verdict["list_name"] == "calendars"
    assert answered(plan("fields", "add", "domain", "Rank", "--kind", "number", "--json"))["id"]
    assert "Rank" in plan("fields", "list", "domain").stdout
    assert answered(plan("channels", "add", "video", "--priority", "50", "--json"))["priority"] == 50
    names = [one["name"] for one in answered(plan("channels", "list", "--json"))]
    assert names == ["selective", "video", "broad"]


def test_aliases_are_set_listed_renewed_and_removed(plan: Run) -> None:
    for name in ("bnf.fr", "bl.uk"):
        assert plan("domains", "add", name).exit_code == 0
    assert answered(plan("aliases", "add", "bnf.fr", "bl.uk", "--json"))["alias_of"]
    assert "bl.uk" in plan("aliases", "list").stdout
    assert answered(plan("aliases", "list", "--expired", "--json"))["total"] == 0
    assert answered(plan("aliases", "renew", "bnf.fr", "--json"))["until"]
    assert "no alias any more" in plan("aliases", "remove", "bnf.fr").stdout
    assert answered(plan("aliases", "list", "--json"))["total"] == 0
