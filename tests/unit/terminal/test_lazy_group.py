"""Commands are imported when they are called, and known before."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer

from armarium.cli.main import Commands, app
from armarium.terminal.groups import CommandGroup

HEAVY = [
    "sqlalchemy",
    "fastapi",
    "starlette",
    "procrastinate",
    "armarium.server",
    "armarium.db",
    "armarium.web",
]
PROBE = f"""
import atexit, sys
atexit.register(lambda: sys.stderr.write(" ".join(name for name in {HEAVY} if name in sys.modules)))
from armarium.cli.main import main
main()
"""


def imported_by(
    *words: str, ends: int = 0, more: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **(more or {})},
    )
    assert done.returncode == ends, done.stderr
    return done


@pytest.mark.parametrize(
    "words", ["--help", "--version", "warc --help", "url surt http://example.org/", "crawl --help"]
)
def test_a_command_without_a_house_imports_none_of_it(words: str) -> None:
    assert imported_by(*words.split()).stderr == ""


def test_a_collector_reads_its_settings_without_the_house(tmp_path: Path) -> None:
    done = imported_by("collector", ends=78, more={"ARMARIUM_HOME": str(tmp_path)})
    assert "This collector is not known to the server" in done.stderr
    assert not {"sqlalchemy", "fastapi", "starlette", "procrastinate"} & set(done.stderr.split())


def test_the_names_of_commands_are_completed_without_importing_them() -> None:
    asked = {"_ARMARIUM_COMPLETE": "complete_bash", "COMP_WORDS": "armarium w", "COMP_CWORD": "1"}
    done = imported_by(more=asked)
    assert set(done.stdout.split()) == {"web", "worker", "warc"}
    assert done.stderr == ""


@pytest.mark.parametrize("name", list(Commands.table))
def test_the_table_says_of_a_command_what_its_own_help_begins_with(name: str) -> None:
    group = typer.main.get_command(app)
    command = group.commands[name]  # type: ignore[attr-defined]
    assert " ".join((command.help or "").split()).startswith(Commands.table[name].help)
    assert Commands.table[name].help.endswith(".")


def test_a_misspelt_command_is_answered_with_a_proposal() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "armarium", "wrac"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "Did you mean “warc”?" in done.stderr


def test_names_of_before_still_lead_to_a_command_and_are_not_told() -> None:
    def walked(group: CommandGroup, parent: Any = None) -> int:
        context = group.make_context("armarium", [], parent=parent, resilient_parsing=True)
        shown = {name for name, _ in group.summaries(context)}
        for old, new in group.old_names.items():
            found: Any = group
            for word in new.split():
                found = found.get_command(context, word)
                assert found is not None, (group.name, old, new)
            assert old not in shown
        groups = [group.get_command(context, name) for name in group.list_commands(context)]
        return len(group.old_names) + sum(
            walked(one, context) for one in groups if isinstance(one, CommandGroup)
        )

    assert walked(typer.main.get_command(app)) > 30  # type: ignore[arg-type]
