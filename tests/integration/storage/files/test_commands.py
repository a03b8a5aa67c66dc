"""`armarium store`: files and replicas from a shell."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.cli.main import app
from armarium.core.errors import ArmariumError
from tests.integration.storage.files.world import World
from tests.integration.storage.outside import warc

NAME = "one.warc.gz"
CONTENT = warc()
SECOND = CONTENT.index(b"\x1f\x8b", 2)


class Shell:
    def __init__(self, world: World) -> None:
        self.environment = {
            "ARMARIUM_HOME": str(world.home),
            "ARMARIUM_DATABASE_URL": world.database.url,
            "AWS_ACCESS_KEY_ID": "",
        }

    def run(self, *words: object) -> Result:
        return CliRunner().invoke(app, ["store", *map(str, words)], env=self.environment)

    def bytes(self, *words: object) -> bytes:
        result = self.run(*words)
        assert result.exit_code == 0, result.output
        return result.stdout_bytes

    def json(self, *words: object) -> Any:
        return json.loads(self.bytes(*words, "--json"))

    def refusal(self, *words: object) -> str:
        """The sentence that people read; the door of the command line prints it."""
        result = self.run(*words)
        assert isinstance(result.exception, ArmariumError), result.output
        return str(result.exception)


@pytest.fixture
def shell(world: World) -> Shell:
    world.store(NAME, CONTENT, job=7)
    return Shell(world)


def test_files_are_listed(world: World, shell: Shell) -> None:
    [found] = shell.json("files", "list", "--job", 7)
    assert (found["name"], found["copies"]["sums"]) == (NAME, "accepted")
    assert shell.json("files", "list", "--job", 8) == []
    assert shell.json("files", "list", "--copies", "damaged", "--replica", "a") == []
    world.register("later.warc.gz", CONTENT)
    assert [one["name"] for one in shell.json("files", "list", "--state", "storing")] == ["later.warc.gz"]
    assert "1 of 2 files" in shell.run("files", "list", "--limit", 1).stdout
    assert "a: waiting" in shell.run("files").stdout


def test_files_stretches_and_records_are_written_out(world: World, shell: Shell, tmp_path: Path) -> None:
    assert shell.bytes("files", "get", NAME) == CONTENT
    assert shell.bytes("files", "get", NAME, "--range", "2-4") == CONTENT[2:5]
    assert shell.bytes("files", "record", NAME, SECOND) == CONTENT[SECOND:]
    target = tmp_path / "out"
    shell.bytes("files", "get", NAME, "-o", target)
    assert target.read_bytes() == CONTENT
    assert "not overwritten" in shell.refusal("files", "get", NAME, "-o", target)
    shell.bytes("files", "get", NAME, "--range", "-3", "-o", tmp_path / "end")
    assert (tmp_path / "end").read_bytes() == CONTENT[-3:]
    assert "is none" in shell.refusal("files", "get", NAME, "--range", "x")
    assert "not among them" in shell.refusal("files", "get", NAME, "--range", "99999-")
    assert "no record starts" in shell.refusal("files", "record", NAME, 99999)


def test_a_withdrawn_file_is_not_written_out_until_it_is_restored(shell: Shell, tmp_path: Path) -> None:
    assert shell.json("files", "withdraw", NAME, "--reason", "A wish.")["state"] == "withdrawn"
    for words in (("get", NAME), ("get", NAME, "-o", tmp_path / "out"), ("record", NAME, 0)):
        assert "was withdrawn" in shell.refusal("files", *words)
    assert shell.json("files", "restore", NAME, "--reason", "No more.")["state"] == "stored"
    assert shell.bytes("files", "get", NAME) == CONTENT


def test_replicas_are_added_tried_changed_and_retired(world: World, shell: Shell) -> None:
    assert "3 replicas." in shell.run("replicas", "list").stdout
    added = shell.json("replicas", "add", "c", world.home / "c", "--rate", 1000)
    assert (added["kind"], added["role"], added["unfinished"]["files"]) == ("folder", "copy", 1)
    assert shell.json("replicas", "test", "c")["answers"] is True
    changed = shell.run("replicas", "edit", "c", "--audit-days", 1).stdout
    assert ("To be copied  1 file (" in changed, "{" in changed) == (True, False)
    changed = shell.json("replicas", "edit", "c", "--audit-days", 0, "--read-only", "--reason", "full")
    assert (changed["audit_days"], changed["state"]) == (0, "read-only")
    assert shell.json("replicas", "retire", "c", "--reason", "old")["state"] == "retired"
    world.unmount("b")
    gone = shell.run("replicas", "test", "b")
    assert (gone.exit_code, "Mount its disk" in gone.stdout) == (1, True)
    assert "Nothing there was judged" in shell.refusal("replicas", "add", "d", "/no/such/disk/d")
    assert "AWS_ACCESS_KEY_ID" in shell.refusal("replicas", "add", "d", "s3://x-bucket", "--keys")
    assert "name=value" in shell.refusal("replicas", "add", "d", "s3://x-bucket", "--option", "region")
