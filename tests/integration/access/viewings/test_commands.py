"""`armarium reading viewings`: viewings from a shell."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.accounts.model import Role
from armarium.cli.main import app
from armarium.core.errors import ArmariumError
from armarium.planning.harvests.service import Harvests
from tests.integration.access.viewings.world import ViewerWorld

PAGE, PICTURE = "http://a.example/gone", "http://a.example/logo.png"


class Shell:
    def __init__(self, world: ViewerWorld) -> None:
        self.environment = {"ARMARIUM_HOME": str(world.home), "ARMARIUM_DATABASE_URL": world.database.url}

    def run(self, *words: object) -> Result:
        return CliRunner().invoke(app, ["reading", "viewings", *map(str, words)], env=self.environment)

    def output(self, *words: object) -> str:
        result = self.run(*words)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    def json(self, *words: object) -> Any:
        return json.loads(self.output(*words, "--json"))


@pytest.fixture
def shell(there: ViewerWorld) -> Shell:
    there.job("a.example")
    there.job("b.example")
    there.person("lea", Role.LIBRARIAN)
    return Shell(there)


def test_a_viewing_is_begun_steered_and_ended(shell: Shell) -> None:
    made = shell.json("start", "--for", "lea", "--jobs", "1", "--run", 1, "--title", "Both")
    assert (made["owner"], made["jobs"], made["title"]) == ("lea", [1, 2], "Both")
    assert [one["id"] for one in shell.json("list", "--job", 2)] == [made["id"]]
    assert "Both" in shell.output("list")
    assert shell.json("recording", made["id"], "--off")["recording"] is False
    assert shell.json("recording", made["id"], "--on")["recording"] is True
    assert "Both" in shell.output("show", made["id"])
    assert shell.json("end", made["id"])["ended_at"]
    assert isinstance(shell.run("show", 99).exception, ArmariumError)
    assert isinstance(shell.run("start", "--for", "nobody", "--jobs", "1").exception, ArmariumError)


def test_where_nothing_is_missing_nothing_is_handed_over(shell: Shell) -> None:
    number = shell.json("start", "--for", "lea", "--jobs", "1")["id"]
    assert "Nothing of that kind is missing" in str(shell.run("hand-over", number, "--name", "x").exception)


def test_what_is_missing_is_listed_handed_over_and_forgotten(shell: Shell, there: ViewerWorld) -> None:
    number = shell.json("start", "--for", "lea", "--jobs", "1")["id"]
    for url in (PAGE, PICTURE):
        there.viewings.note_missing(number, url, "", "")
    there.viewings.notes.flush()
    assert set(shell.output("missing", number).splitlines()) == {PAGE, PICTURE}
    assert [one["url"] for one in shell.json("missing", number, "--kind", "image")] == [PICTURE]
    handed = shell.json("hand-over", number, "--name", "Gaps", "--kind", "image", "--draft")
    assert [one["result"] for one in handed["lines"]] == ["taken"]
    assert there.services.get(Harvests).named("Gaps").active is False
    more = shell.output("hand-over", number, "--harvest", handed["harvest"], "--profile", "page+1")
    assert PAGE in more
    assert shell.output("missing", number) == ""
    wrong = shell.run("hand-over", number, "--name", "x", "--profile", "none").exception
    assert "no profile named none" in str(wrong)
    assert "2" in shell.output("clear", number)
