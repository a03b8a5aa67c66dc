"""`armarium reading rules` and `armarium reading networks`."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.cli.main import app
from armarium.core.errors import ArmariumError
from armarium.db.database import Database

ACLJ = """\
com,example)/abc/page.html - {"access": "allow"}
com,example)/abc - {"access": "block", "url": "http://www.example.com/abc"}
com,example, - {"access": "exclude"}
org,iana)/ - {"access": "allow", "older": {"years": 1}}
*, - {"access": "allow", "user": "scholars"}
"""


class Shell:
    def __init__(self, home: Path, database_url: str) -> None:
        self.environment = {"ARMARIUM_HOME": str(home), "ARMARIUM_DATABASE_URL": database_url}

    def run(self, *words: object) -> Result:
        return CliRunner().invoke(app, ["reading", *map(str, words)], env=self.environment)

    def output(self, *words: object) -> str:
        result = self.run(*words)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    def json(self, *words: object) -> Any:
        return json.loads(self.output(*words, "--json"))

    def refusal(self, *words: object) -> str:
        result = self.run(*words)
        assert isinstance(result.exception, ArmariumError), result.output
        return str(result.exception)


@pytest.fixture
def shell(database: Database, database_url: str, tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home", database_url)


def test_rules_and_networks_are_looked_after_from_a_shell(shell: Shell) -> None:
    assert shell.json("networks", "add", "Room", "192.0.2.0/24", "--note", "South")["id"] == 1
    assert shell.json("networks", "edit", "Room", "192.0.2.0/25")["note"] == "South"
    assert shell.json("networks", "find", "192.0.2.7")[0]["name"] == "Room"
    assert "In none." in shell.output("networks", "find", "192.0.2.200")
    shell.output("rules", "add", "restrict", "*.example.org", "--reason", "Agreement")
    shell.output("rules", "add", "allow", "*.example.org", "--network", "Room", "--no-downloads")
    shell.output("rules", "add", "embargo", "young.net", "--months", 6)
    court = ("--reason", "Court", "--hide", "--yes")
    taken = shell.json("rules", "take-down", "https://example.org/page", *court)
    assert (taken["take_down"], taken["effect"], taken["match"]) == (True, "hide", "exact")
    assert len(shell.json("rules", "list")) == 4
    assert len(shell.json("rules", "list", "--take-downs")) == 1
    assert "Agreement" in shell.output("rules", "list", "example")
    inside = shell.json("rules", "why", "http://a.example.org/", "--network", "Room")
    assert (inside["effect"], inside["rule"], [one["decides"] for one in inside["steps"]]) == (
        "allowed",
        2,
        [True, False],
    )
    assert "restricted" in shell.output("rules", "why", "http://a.example.org/")
    assert "Rule 2 uses Room" in shell.refusal("networks", "remove", "Room")
    assert shell.json("rules", "end", 2, "--why", "Over.")["state"] == "ended"
    assert "Over." in shell.output("rules", "show", 2)
    shell.output("networks", "remove", "Room")
    assert "no network named" in shell.refusal("rules", "add", "hide", "*", "--network", "Room")


def test_an_access_list_of_pywb_is_tried_taken_once_and_written_again(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "list.aclj"
    file.write_text(ACLJ)
    assert "cannot be rules here" in shell.refusal("rules", "import", file)
    assert shell.json("rules", "list") == []
    who = ("--user", "scholars=accredited")
    tried = shell.json("rules", "import", file, *who, "--dry-run")
    assert (tried["rules"], tried["new"], tried["made"], len(tried["remarks"])) == (6, 6, 0, 2)
    assert shell.json("rules", "import", file, *who)["made"] == 6
    assert shell.json("rules", "import", file, *who)["made"] == 0
    written = shell.run("rules", "export", "--aclj")
    assert written.exit_code == 1  # one of them names readers
    assert "Rule 6 (allow *) cannot be said there." in written.stderr
    assert written.stdout.splitlines()[0].startswith("org,iana)/ - ")
    assert 'com,example)/abc - {"access": "block"' in written.stdout


def test_a_take_down_says_what_it_covers_and_asks(shell: Shell) -> None:
    words = ("rules", "take-down", "https://example.org/", "--reason", "Court")
    asked = shell.run(*words)
    assert asked.exit_code == 1
    assert "Only the page example.org/, and what was sent to it by forms. Now: 0 captures." in asked.stderr
    assert shell.json("rules", "list") == []
    assert shell.json(*words, "--yes")["match"] == "exact"
    assert "All pages of example.org" in shell.run("rules", "add", "hide", "example.org").stderr


def test_a_take_down_may_be_for_some_captures_and_a_rule_begin_later(shell: Shell) -> None:
    words = ("rules", "take-down", "example.org", "--reason", "Court", "--yes")
    taken = shell.json(*words, "--captured-from", "2010", "--captured-to", "2012")
    assert (taken["captured_from"], taken["captured_to"]) == ("2010", "2012")
    assert "no collection" in shell.refusal(*words, "--collection", "nowhere")
    assert shell.json("rules", "add", "hide", "example.org", "--from", "2100-01-01")["state"] == "planned"


def test_what_is_no_address_lies_in_no_network_and_is_told(shell: Shell) -> None:
    assert "no IP address" in shell.refusal("networks", "find", "abc")


def test_rules_go_from_one_archive_to_another_as_they_are(shell: Shell, tmp_path: Path) -> None:
    shell.output("rules", "add", "embargo", "young.net", "--months", 6, "--captured-from", "2020-01")
    shell.output("rules", "add", "allow", "*", "--accredited", "--one-reader")
    file = tmp_path / "rules.json"
    file.write_text(shell.output("rules", "export"))
    assert shell.json("rules", "import", file) == {"rules": 2, "new": 0, "made": 0, "remarks": []}
    shell.output("rules", "end", 1, "--why", "x")
    assert shell.json("rules", "import", file)["made"] == 1
    file.write_text('[{"effect": "hide"}]')
    assert "cannot be rules here" in shell.refusal("rules", "import", file)
    file.write_text("[1]")
    assert "no list of rules" in shell.refusal("rules", "import", file)
    assert "cannot be read" in shell.refusal("rules", "import", tmp_path / "none")
