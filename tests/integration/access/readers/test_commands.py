"""`armarium reading readers` and `armarium reading statistics`, from a shell."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.access.model import Reader
from armarium.access.statistics.counting import LiveUses
from armarium.accounts.model import Profile, Role
from armarium.accounts.service import Accounts
from armarium.accounts.settings import AccountSettings
from armarium.cli.main import app
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.db.database import Database


class Shell:
    def __init__(self, database: Database, home: Path) -> None:
        self.environment = {"ARMARIUM_HOME": str(home), "ARMARIUM_DATABASE_URL": database.url}

    def run(self, *words: object) -> Result:
        return CliRunner().invoke(app, ["reading", *map(str, words)], env=self.environment)

    def json(self, *words: object) -> Any:
        result = self.run(*words, "--json")
        assert result.exit_code == 0, (result.output, result.exception)
        return json.loads(result.stdout)


@pytest.fixture
def shell(database: Database, tmp_path: Path) -> Shell:
    accounts = Accounts(database, AccountSettings())
    for name in ("amelie", "boris"):
        accounts.create(SYSTEM, Profile(name, name.title(), "", "", frozenset({Role.READER})))
    return Shell(database, tmp_path)


def test_readers_are_accredited_renewed_listed_and_ended(shell: Shell) -> None:
    today = clock.now().date()
    added = shell.json("readers", "add", "amelie", "--note", "card 4711")
    assert added["last_day"] == str(today + timedelta(days=364))
    renewed = shell.json("readers", "renew", added["id"], "--to", str(today + timedelta(days=3)))
    assert (renewed["state"], renewed["note"]) == ("soon", "card 4711")
    assert [one["name"] for one in shell.json("readers", "list", "--state", "soon")] == ["amelie"]
    assert shell.json("readers", "end", added["id"])["state"] == "ended"
    assert "ended" in shell.run("readers", "list").stdout
    assert isinstance(shell.run("readers", "add", "nobody").exception, Refused)


def test_a_list_is_tried_taken_in_or_refused_as_a_whole(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "readers.csv"
    file.write_text("amelie,2026-01-01,2030-12-31\nnobody,2026-01-01,2030-12-31\n", encoding="utf-8")
    wrong = shell.run("readers", "import", file)
    assert wrong.exit_code == 1
    assert "There is no account named nobody." in wrong.stdout
    file.write_text("amelie,2026-01-01,2030-12-31\nboris,2026-01-01,2030-12-31\n", encoding="utf-8")
    assert not shell.json("readers", "import", file, "--dry-run")["done"]
    assert shell.json("readers", "list") == []
    assert shell.json("readers", "import", file)["done"]
    assert len(shell.json("readers", "list")) == 2
    file.write_bytes("amélie,2026-01-01,2030-12-31".encode("latin-1"))
    assert "UTF-8" in str(shell.run("readers", "import", file).exception)


def test_figures_are_shown_to_people_and_programs(shell: Shell, database: Database) -> None:
    uses = LiveUses(database, "UTC")
    for _ in range(5):
        uses.note("page", "shown", collection="a+b", reader=Reader(), size=10, domain="example.org")
    uses.flush()
    found = shell.json("statistics")
    assert (found["over_time"][-1]["pages"], found["domains"][0]["name"]) == (5, "example.org")
    assert found["collections"] == [{"name": "several", "times": 5, "bytes": 50}]
    told = shell.run("statistics", "--monthly").stdout
    assert "example.org" in told
    assert "elsewhere" in told
