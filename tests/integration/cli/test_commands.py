"""Every command with --json, in this process: processes are dear, and there are many commands."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from armarium.accounts.model import Permission, Profile, Role
from armarium.cli.main import app
from armarium.core.actor import SYSTEM
from armarium.core.errors import ArmariumError
from armarium.db.database import Database
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load


class Shell:
    def __init__(self, house: House) -> None:
        self.house = house

    def run(self, line: str) -> str:
        environment = {
            "ARMARIUM_HOME": str(self.house.settings.home),
            "ARMARIUM_DATABASE_URL": self.house.database.url,
        }
        result = CliRunner().invoke(app, line.split(), env=environment, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, line: str) -> Any:
        return json.loads(self.run(f"{line} --json"))


@pytest.fixture
def shell(database: Database, tmp_path: Path) -> Shell:
    house = House(load(SECTIONS, home=tmp_path, environ={}), database)
    house.accounts.create(SYSTEM, Profile("chief", "Chief", "", "", frozenset({Role.ADMINISTRATOR})))
    return Shell(house)


#: Commands that run for ever, or whose output is a file of its own.
WITHOUT_JSON = {"warc cat", "warc index", "up", "web", "scheduler", "worker", "collector", "access", "replay"}
WITHOUT_JSON |= {"completion"}  # a script
WITHOUT_JSON |= {"demo"}  # a show for people
WITHOUT_JSON |= {"store files get", "store files record"}  # what they write is the archive's own bytes
WITHOUT_JSON |= {"settings example", "reading rules export", "select export"}


def test_every_command_that_shows_something_takes_json() -> None:
    def commands(group: Any, path: str = "") -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, command in group.commands.items():
            whole = f"{path} {name}".strip()
            found |= commands(command, whole) if hasattr(command, "commands") else {whole: command}
        return found

    every = commands(typer.main.get_command(app))
    assert len(every) > 15
    without = {n for n, c in every.items() if not any("--json" in p.opts for p in c.params)}
    assert without == WITHOUT_JSON
    assert all(command.help for command in every.values())


def test_accounts_are_made_shown_changed_and_listed(shell: Shell) -> None:
    shell.run("accounts add zoe --role reader --role curator --display-name Zoë --mail zoe@library.example")
    zoe = shell.json("accounts show zoe")
    assert (zoe["roles"], zoe["mail"], zoe["active"]) == (["curator", "reader"], "zoe@library.example", True)
    changed = shell.json("accounts edit zoe --role manager --blocked")
    assert (changed["roles"], changed["state"], changed["mail"]) == (
        ["manager"],
        "blocked",
        "zoe@library.example",
    )
    assert [a["name"] for a in shell.json("accounts list")] == ["chief", "zoe"]
    assert [a["name"] for a in shell.json("accounts list ZO --state blocked --role manager")] == ["zoe"]
    assert "Zoë" in shell.run("accounts list")
    assert "No account fits." in shell.run("accounts list nobody")
    assert shell.json("accounts end-sessions zoe") == {"ended": 0}
    assert set(shell.json("accounts link chief")) == {"link", "expires_at"}
    roles = shell.json("accounts roles")
    assert roles["administrator"] == sorted(Permission)
    assert "✓" in shell.run("accounts roles")


def test_tokens_are_made_shown_and_revoked(shell: Shell) -> None:
    made = shell.json("tokens add chief --for backup --scope tasks.view --scope audit.view --days 30")
    identity = shell.house.tokens.identity(made["secret"], "127.0.0.1")
    assert identity is not None
    assert identity.permissions == {Permission.TASKS_VIEW, Permission.AUDIT_VIEW}
    assert shell.run("tokens add chief --for ever --scope tasks.view --days 0").startswith("arm_")
    listed = shell.json("tokens list chief")
    assert [(t["name"], t["expires_at"] is None) for t in listed] == [("ever", True), ("backup", False)]
    assert made["secret"] not in shell.run("tokens list chief")
    revoked = shell.json(f"tokens revoke chief {made['id']}")
    assert revoked["revoked_at"]
    assert shell.house.tokens.identity(made["secret"], "127.0.0.1") is None


def test_tasks_processes_and_audit_are_shown(shell: Shell) -> None:
    with shell.house.database.transaction() as connection:
        number = shell.house.tasks.defer(connection, "administration.clear", {})
    assert [t["id"] for t in shell.json("tasks list --state waiting")] == [number]
    assert shell.json(f"tasks cancel {number}")["after"] == "cancelled"
    assert shell.json(f"tasks retry {number}")["after"] == "waiting"
    assert shell.json(f"tasks show {number}")["name"] == "administration.clear"
    assert "administration.clear" in shell.run(f"tasks show {number}")
    assert shell.json("tasks retry-failed") == []
    assert shell.json("system") == []
    assert "No process has reported yet." in shell.run("system")
    entries = shell.json("audit --action task --until 9999-12-31")
    assert [entry["action"] for entry in entries] == ["task.retried", "task.cancelled"]
    assert {entry["via"] for entry in entries} == {"command"}
    assert "task.cancelled" in shell.run("audit --object administration")


@pytest.mark.parametrize(
    "line",
    [
        "accounts show nobody",
        "accounts add x --mail nonsense",
        "accounts edit chief --role reader",
        "tokens add chief --for x --scope tasks.view --days 9999",
        "tokens revoke chief 999",
        "tasks show 999",
    ],
)
def test_what_cannot_be_done_is_refused(shell: Shell, line: str) -> None:
    environment = {
        "ARMARIUM_HOME": str(shell.house.settings.home),
        "ARMARIUM_DATABASE_URL": shell.house.database.url,
    }
    result = CliRunner().invoke(app, line.split(), env=environment)
    assert isinstance(result.exception, ArmariumError) or result.exit_code == 2
    assert result.exit_code in {1, 2}


def test_unknown_roles_and_scopes_are_wrong_usage(shell: Shell) -> None:
    environment = {
        "ARMARIUM_HOME": str(shell.house.settings.home),
        "ARMARIUM_DATABASE_URL": shell.house.database.url,
    }
    for line in (
        "accounts add x --role king",
        "tasks show 99999999999999999999",
        "tokens add chief --for x --scope world.rule",
        "audit --since x",
    ):
        result = CliRunner().invoke(app, line.split(), env=environment)
        assert result.exit_code == 2, line
