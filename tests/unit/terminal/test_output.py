import json
from datetime import UTC, datetime, timedelta

import pytest

from armarium.accounts.model import Role
from armarium.core import clock
from armarium.terminal.output import complain, say, show_columns, show_facts, show_json, show_table

HOSTILE = "a\x1b[2Jb\x9bc\rd\u202ee"
HARMLESS = "a�[2Jb�c�d�e"


def test_control_characters_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    say(HOSTILE)
    complain(HOSTILE)
    show_facts({"name": HOSTILE})
    show_table(("Name",), [(HOSTILE,)])
    shown = capsys.readouterr()
    assert shown.out.count(HARMLESS) == 3
    assert shown.err == f"armarium: {HARMLESS}\n"
    assert "\x1b" not in shown.out


def test_a_table_in_a_pipe_is_not_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    long = "x" * 500
    show_table(("Name", "Roles", "Active", "When", "[red]"), [(long, {Role.READER}, True, None, "[bold]")])
    shown = capsys.readouterr().out
    assert long in shown
    assert "[bold]" in shown  # no markup
    assert [word for word in shown.split() if word in {"reader", "yes", "–"}] == ["reader", "yes", "–"]


def test_an_empty_table_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(("Name",), [], empty="No account fits.")
    assert capsys.readouterr().out == "No account fits.\n"


def test_json_holds_moments_and_sets(capsys: pytest.CaptureFixture[str]) -> None:
    show_json({"at": datetime(2026, 1, 1, tzinfo=UTC), "roles": frozenset({"b", "a"}), "name": "Zoë"})
    told = json.loads(capsys.readouterr().out)
    assert told == {"at": "2026-01-01T00:00:00+00:00", "roles": ["a", "b"], "name": "Zoë"}


def test_people_see_the_columns_that_are_named_and_programs_all(capsys: pytest.CaptureFixture[str]) -> None:
    facts = [{"id": 7, "name": "Maps", "secret": "x"}]
    show_columns(facts, False, {"Number": "id", "Name": "name"})
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["Number", "Name"],
        ["7", "Maps"],
    ]
    show_columns(facts, True, {"Number": "id"})
    assert json.loads(capsys.readouterr().out) == facts


def test_a_table_fits_the_terminal_and_says_how_many(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("The Saltmarsh Gazette and its supplements", 7, clock.now() - timedelta(hours=2))]
    show_table(("Name", "Jobs", "Last run"), rows, noun="harvest", total=12)
    head, row, said = capsys.readouterr().out.splitlines()
    assert max(len(head), len(row)) <= 40
    assert row.split("…")[1].split() == ["7", "2", "h", "ago"]
    assert said == "1 of 12 harvests. --limit 12 shows all."


def test_facts_that_are_not_there_are_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    show_facts({"created_at": datetime(2026, 1, 1, tzinfo=UTC), "max_bytes": 1500, "notes": "", "jobs": 0})
    shown = capsys.readouterr().out
    assert [line.split("  ")[0] for line in shown.splitlines()] == ["Created", "Max bytes", "Jobs"]
    assert "Thu 1 Jan 2026 00:00:00 UTC (2026-01-01)" in shown
