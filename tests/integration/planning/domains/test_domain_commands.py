"""`armarium plan domains`, with the house of a test."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.core.services import Services
from armarium.db.database import Database
from armarium.planning import shipped
from armarium.planning.commands import plan_commands
from armarium.server.assembly import SECTIONS, House
from armarium.settings import Settings, load
from armarium.terminal.session import Session

Run = Callable[..., Result]


@pytest.fixture
def plan(database: Database, tmp_path: Path) -> Run:
    with database.transaction() as connection:
        shipped.ensure(connection)
    house = House(load(SECTIONS, home=tmp_path, environ={}), database)

    @contextmanager
    def enter(_: Settings) -> Iterator[Services]:
        yield house.services()

    door = Session(load=lambda: house.settings, enter=enter)
    return lambda *words, typed=None: CliRunner().invoke(plan_commands, words, input=typed, obj=door)


def answered(done: Result) -> Any:
    assert done.exit_code == 0, done.output + repr(done.exception)
    return json.loads(done.stdout)


def test_what_a_domain_has_is_changed_from_a_shell(plan: Run, tmp_path: Path) -> None:
    assert plan("domains", "add", "bnf.fr").exit_code == 0
    assert not answered(plan("domains", "deactivate", "bnf.fr", "--json"))["active"]
    assert answered(plan("domains", "activate", "bnf.fr", "--json"))["active"]
    assert not answered(plan("domains", "edit", "bnf.fr", "--not-broad", "--json"))["broad"]
    kept = answered(plan("domains", "edit", "bnf.fr", "--comments", "National library", "--json"))
    assert (kept["comments"], kept["broad"]) == ("National library", False)
    assert answered(plan("domains", "traps", "bnf.fr", "--add", "/agenda/", "--json")) == ["/agenda/"]
    file = tmp_path / "traps"
    file.write_text("/a/\n/b/\n")
    assert answered(plan("domains", "traps", "bnf.fr", "--file", str(file), "--json")) == ["/a/", "/b/"]
    assert "bnf.fr" in plan("domains", "list", "--not-broad", "--alias", "none").output
    assert plan("domains", "list", "--alias", "live").output == "No domain fits.\n"


def test_seeds_and_configurations_are_set_from_files(plan: Run, tmp_path: Path) -> None:
    plan("domains", "add", "bnf.fr")
    typed = "http://bnf.fr/new\nhttps://elsewhere.example/\n"
    said = plan("domains", "seeds", "bnf.fr", "--file", "-", typed=typed)
    assert "http://bnf.fr/new" in said.output
    assert "Of other domains than bnf.fr" in said.output
    assert answered(plan("domains", "seeds", "bnf.fr", "--json"))["seeds"] == typed.split()
    file = tmp_path / "overrides.toml"
    file.write_text("[scope]\nmax_hops = 3\n")
    words = ("--max-bytes", "1.5 GB", "--max-objects", "none", "--overrides", str(file), "--json")
    made = answered(plan("domains", "configure", "bnf.fr", "--profile", "host", *words))
    assert (made["profile_name"], made["max_bytes"], made["max_objects"]) == ("host", 1_500_000_000, None)
    assert made["overrides"] == {"scope": {"max_hops": 3}}
    other = answered(plan("domains", "configure", "bnf.fr", "--configuration", "deep", "--json"))
    assert (other["name"], other["max_bytes"]) == ("deep", 1_500_000_000)
    assert "is no size" in str(plan("domains", "configure", "bnf.fr", "--max-bytes", "much").exception)


def test_a_password_is_read_from_standard_input_and_shown_nowhere(plan: Run) -> None:
    plan("domains", "add", "bnf.fr")
    kept = plan("domains", "credentials", "add", "bnf.fr", "--user", "ada", "--json", typed="s3cret\n")
    assert answered(kept)["user_name"] == "ada"
    listed = plan("domains", "credentials", "list", "bnf.fr")
    assert "ada" in listed.output
    assert "s3cret" not in kept.output + listed.output


def test_an_import_with_refused_lines_says_so_and_ends_with_1(plan: Run) -> None:
    done = plan("domains", "import", "-", typed="# list\nbnf.fr\nbnf.fr\nco.uk\n\n")
    assert done.exit_code == 1
    assert "5 lines. Made: 1. Known before: 0. Repeated: 1. Refused: 1." in done.output
    assert "Empty, comments or heading: 2." in done.output
    assert "registry" in done.output
    assert plan("domains", "import", "-", typed="bl.uk\n").exit_code == 0


def test_a_harvest_is_changed_from_a_shell(plan: Run, tmp_path: Path) -> None:
    file = tmp_path / "traps"
    file.write_text("/calendar/\n")
    words = ("--schedule", "daily", "--channel", "selective", "--traps", str(file), "--json")
    made = answered(plan("harvests", "add", "press", *words))
    assert made["traps"] == ["/calendar/"]
    changed = answered(
        plan(
            "harvests",
            "edit",
            "press",
            "--name",
            "papers",
            "--max-bytes",
            "2 GB",
            "--channel",
            "none",
            "--json",
        )
    )
    assert (changed["name"], changed["max_bytes"], changed["channel"]) == ("papers", 2_000_000_000, None)
    assert changed["schedule"] == made["schedule"]
    dated = answered(plan("harvests", "next-date", "papers", "2199-12-31T03:00", "--json"))
    assert dated["next_at"] == "2199-12-31T03:00:00+00:00"
    added = plan("harvests", "add-domains", "papers", "--create", typed="lemonde.fr\nno domain\n")
    assert added.exit_code == 1
    removed = plan("harvests", "remove-domains", "papers", "lemonde.fr", "figaro.fr", "--json")
    assert removed.exit_code == 1
    assert json.loads(removed.stdout) == {"removed": 1, "not_in_it": ["figaro.fr"]}
    assert plan("harvests", "remove-domains", "papers").exit_code == 2


def test_the_total_budget_of_a_run_is_raised_from_a_shell(plan: Run) -> None:
    made = answered(
        plan("harvests", "add", "press", "--total-objects", "100", "--total-bytes", "1 GB", "--json")
    )
    assert (made["total_objects"], made["total_bytes"]) == (100, 10**9)
    changed = answered(plan("harvests", "edit", "press", "--total-bytes", "none", "--json"))
    assert (changed["total_objects"], changed["total_bytes"]) == (100, None)
    plan("harvests", "add-domains", "press", "--create", typed="lemonde.fr\n")
    assert answered(plan("harvests", "run", "press", "--json")) == {"run": 1}
    raised = answered(plan("harvests", "budget", "press", "1", "--total-objects", "115", "--json"))
    assert (raised["total_objects"], raised["left_objects"], raised["total_bytes"]) == (115, 115, None)
    assert plan("harvests", "budget", "press", "1", "--total-objects", "5").exit_code != 0


def test_domains_of_an_event_are_limited_and_left_out_of_broad_harvests(plan: Run) -> None:
    told = plan("harvests", "event", "flood", typed="https://elbe.example/a\n")
    assert told.exit_code == 0, told.output
    assert "1 seed of 1 domain." in told.output
    shown = answered(plan("domains", "show", "elbe.example", "--json"))
    assert not shown["broad"]
    event = next(one for one in shown["configurations"] if one["name"] != "default")
    assert event["max_bytes"] == 1_000_000_000


def test_a_schedule_is_edited_and_what_is_not_given_stays(plan: Run) -> None:
    changed = answered(
        plan("schedules", "edit", "weekly", "--hour", "5", "--end", "2199-01-01T00:00", "--json")
    )
    assert (changed["unit"], changed["hour"], changed["minute"]) == ("week", 5, 0)
    cleared = answered(plan("schedules", "edit", "weekly", "--clear", "end", "--json"))
    assert cleared["ends_at"] is None
    assert (
        answered(plan("schedules", "edit", "weekly", "--unit", "hour", "--minute", "7", "--json"))["weekday"]
        is None
    )
    assert plan("schedules", "edit", "weekly", "--clear", "zone").exit_code == 2


def test_an_unknown_state_is_wrong_usage_and_the_known_ones_are_named(plan: Run) -> None:
    wrong = plan("jobs", "list", "--state", "nonsense")
    assert wrong.exit_code == 2
    assert "waiting" in wrong.output
