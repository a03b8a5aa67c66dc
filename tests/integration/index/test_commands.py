"""`armarium index`: the index from a shell."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from typer.testing import CliRunner, Result

from armarium.cli.main import app
from armarium.core.errors import ArmariumError
from armarium.formats.wacz.package import Package
from armarium.formats.warc.reader import ArchiveReader
from armarium.index.chain.model import MAIN
from tests.integration.index.world import NEWS, World


class Shell:
    def __init__(self, world: World) -> None:
        self.environment = {"ARMARIUM_HOME": str(world.home), "ARMARIUM_DATABASE_URL": world.database.url}

    def run(self, *words: object) -> Result:
        return CliRunner().invoke(app, ["index", *map(str, words)], env=self.environment)

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
def shell(world: World) -> Shell:
    return Shell(world)


def test_captures_and_digests_are_looked_up(shell: Shell, tmp_path: Path) -> None:
    found = shell.json("lookup", NEWS, "--from", "2026", "--limit", 1)
    assert (len(found["items"]), found["items"][0]["url"]) == (1, NEWS)
    assert len(shell.json("lookup", NEWS, "--resume", found["resume"])["items"]) == 1
    assert "attic-2024-11-1" in shell.output("lookup", NEWS, "--closest", "2024-11-01", "--limit", 1)
    assert len(shell.json("lookup", "*.example.org")["items"]) == 12
    nothing = shell.run("lookup", "http://nothing.example/")
    assert (nothing.exit_code, nothing.stdout) == (1, "No capture fits.\n")
    assert shell.output("dedup", "--domain", "images.example.org").count("\n") == 3
    target = tmp_path / "digests.cdxj"
    assert shell.json("dedup", "--domain", "example.org", "-o", target)["lines"] == 9
    assert shell.output("dedup", "--job", 7) == ""
    assert "Name domains or jobs" in shell.refusal("dedup")


def test_the_chain_is_looked_at_merged_made_anew_and_tried_again(shell: Shell, world: World) -> None:
    before = shell.json("status")
    assert (before["indexed"], before["lines"], before["levels"]["file"]["runs"]) == (4, 12, 4)
    assert shell.json("merge") == {"asked": True}
    assert shell.json("merge", "--big", "--here")["merges"] > 0
    assert shell.json("status")["levels"]["big"] == {**before["levels"]["file"], "runs": 1} | {
        "bytes": shell.json("status")["levels"]["big"]["bytes"]
    }
    assert "Step" in shell.output("status")
    assert shell.json("rebuild", "--yes") == {"files": 4}
    assert shell.run("rebuild").exit_code == 1
    world.take("2026-05")
    number = world.fail("attic-2026-05-0", "Not a WARC.")
    assert "Not a WARC." in shell.output("status")
    assert shell.json("retry", number) == {"files": 1, "refused": {}}
    assert shell.run("retry", number).exit_code == 1
    world.fail("attic-2026-05-0", "Not a WARC.")
    assert shell.json("retry") == {"files": 1, "refused": {}}


def test_the_index_is_written_in_the_forms_of_others_and_read_again(shell: Shell, tmp_path: Path) -> None:
    lines = shell.output("export").splitlines()
    assert (len(lines), lines) == (12, sorted(lines))
    assert shell.output("export", "--format", "cdx11").startswith(" CDX N b a")
    assert len(shell.output("export", "--url", NEWS, "--from", "2026").splitlines()) == 2
    assert shell.json("export", "--format", "zipnum", "-o", tmp_path / "all")["lines"] == 12
    assert {path.name for path in tmp_path.glob("all.*")} == {"all.cdx.gz", "all.idx", "all.loc"}
    assert shell.output("export", "--format", "path").count("\t") >= 4
    target = tmp_path / "rows.parquet"
    assert shell.json("export", "--format", "parquet", "-o", target)["lines"] == 12
    assert pq.read_table(target).num_rows == 12
    assert "already exists" in shell.refusal("export", "--format", "parquet", "-o", target)
    assert "no folder" in shell.refusal("export", "-o", tmp_path / "no" / "where")
    assert "of everything" in shell.refusal("export", "--format", "path", "--url", NEWS)
    target = tmp_path / "all.cdx"
    shell.output("export", "--format", "cdx11", "-o", target)
    taken = shell.json("import", target, "--name", "again")
    assert (taken["collection"], taken["taken"], taken["bad"]) == ("import-again", 12, {})
    assert len(shell.json("lookup", NEWS, "--collection", "import-again")["items"]) == 4
    assert "There is no file" in shell.refusal("import", tmp_path / "nothing", "--name", "x")
    assert "lower-case letters" in shell.refusal("import", target, "--name", "X")
    target.write_text("nothing\n")
    assert "Nothing was imported" in shell.refusal("import", target, "--name", "x")
    assert len(shell.json("collections", "list")) == 2


def test_captures_are_written_as_wacz_of_a_collection_a_job_or_a_list(shell: Shell, tmp_path: Path) -> None:
    all_of_it, some, none = (tmp_path / f"{name}.wacz" for name in ("all", "some", "none"))
    assert shell.json("export", "--format", "wacz", "--collection", MAIN, "-o", all_of_it)["lines"] == 12
    wanted = ("--url", NEWS, "--from", "2026")
    assert shell.json("export", "--format", "wacz", *wanted, "-o", some)["lines"] == 2
    assert shell.json("export", "--format", "wacz", "--job", 7, "-o", none)["lines"] == 0
    assert shell.output("export", "--harvest", 7) == ""
    with all_of_it.open("rb") as file:
        package = Package(file)
        assert list(package.faults()) == []
        assert len(package.archives) == 4
        assert package.facts["title"] == MAIN
    with some.open("rb") as file:
        package = Package(file)
        kinds = [
            record.record_type
            for _, part, entry in package.all_archives()
            for record in ArchiveReader(part.open(entry))
        ]
        assert sorted(kinds) == ["response", "response", "warcinfo", "warcinfo"]


def test_collections_are_made_and_changed(shell: Shell) -> None:
    made = shell.json("collections", "add", "attic", "--accession", 1)
    assert (made["accessions"], made["active"]) == ([1], True)
    assert shell.json("collections", "edit", "attic", "--title", "Attic")["title"] == "Attic"
    assert shell.json("collections", "stop", "attic")["active"] is False
    assert shell.json("collections", "start", "attic")["active"] is True
    assert "attic" in shell.output("collections", "list")
    assert "at least one" in shell.refusal("collections", "add", "empty")
