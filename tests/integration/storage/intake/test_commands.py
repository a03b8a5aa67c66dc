"""`armarium store import`, `store batches` and `store rebuild`, from a shell."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium import logs
from armarium.core.errors import Refused
from armarium.core.services import Services
from armarium.server.sections import SECTIONS
from armarium.settings import Settings, load
from armarium.storage.commands import store_commands
from armarium.terminal.session import Session
from tests.integration.storage.outside import Outside, warc

Store = Callable[..., Result]


@pytest.fixture
def store(world: Outside) -> Store:
    """The commands, in the archive of this test."""

    @contextmanager
    def enter(_: Settings) -> Iterator[Services]:
        yield Services([world.intake, world.batches(), world.rebuild])

    settings = load(SECTIONS, home=world.home, environ={})
    logs.configure(settings, process="command", least=logging.WARNING)  # as the door does
    session = Session(load=lambda: settings, enter=enter)
    return lambda *words: CliRunner().invoke(store_commands, list(map(str, words)), obj=session)


def told(result: Result, code: int = 0) -> Any:
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


@pytest.fixture
def folder(world: Outside) -> Path:
    world.put("a.warc.gz", warc(b"one"))
    world.put("b.warc.gz", warc(b"two"))
    return world.outside


def test_a_collection_is_imported_and_told(store: Store, folder: Path) -> None:
    first = told(store("import", folder, "--name", "Attic", "--note", "A disk", "--json"))
    again = store("import", folder, "--name", "Attic")

    assert first["counts"] == {"taken": 2}
    assert again.exit_code == 0
    assert "Accession 1, Attic: 2 known before." in again.stdout


def test_while_a_replica_is_away_the_sources_must_not_be_deleted(
    store: Store, folder: Path, world: Outside
) -> None:
    world.unmount("b")

    told_so = told(store("import", folder, "--name", "Attic", "--json"), code=1)
    said = store("import", folder, "--name", "Attic")

    assert (told_so["counts"], told_so["complete"]) == ({"waiting": 2}, False)
    assert said.exit_code == 1
    assert "do not delete the sources yet" in " ".join(said.output.split())


def test_what_was_not_taken_is_told_and_is_an_exit_code(store: Store, folder: Path) -> None:
    (folder / "bad.warc").write_bytes(b"nothing")

    result = store("import", folder)

    assert result.exit_code == 1
    assert "bad.warc: no W/ARC file. At byte 0" in result.stderr
    assert told(store("import", folder / "bad.warc", "--json"), 1)["not_taken"][0]["outcome"] == "foreign"


def test_an_empty_folder_makes_no_accession(store: Store, world: Outside) -> None:
    result = store("import", world.outside)

    assert isinstance(result.exception, Refused)
    assert "There are no files in" in str(result.exception)
    assert world.intake.page(limit=1)[1] == 0


def test_remarks_on_files_that_were_taken_are_counted_and_told_to_whoever_asks(
    store: Store, world: Outside
) -> None:
    world.put("a.warc.gz", warc(b"one"))
    world.put("cut.warc.gz", warc(b"two")[:-5])
    world.put("not.warc.gz", b"nothing")

    brief = store("import", world.outside, "--name", "Brief")
    verbose = store("import", world.outside, "--name", "Verbose", "--verbose")

    assert "Brief: 1 no W/ARC file, 2 taken." in brief.stdout
    assert "cut.warc.gz" not in brief.output
    assert "something to say of 1 of these files" in brief.stdout
    assert "cut.warc.gz: known before. " in verbose.stderr


def test_a_batch_is_run_shown_and_cancelled(store: Store, world: Outside, folder: Path) -> None:
    store("import", folder)
    assert "checksums" in store("batches", "functions").stdout
    assert {one["name"] for one in told(store("batches", "functions", "--json"))["functions"]} >= {"find"}

    made = told(store("batches", "run", "find", "text=example", "--name", "a*", "--json"))
    assert (made["files_total"], made["state"]) == (1, "waiting")
    world.batches().run_part(made["id"], 0)

    assert "finished" in store("batches", "show", made["id"]).stdout
    [line] = store("batches", "results", made["id"]).stdout.splitlines()
    assert json.loads(line)["result"]["count"] == 1
    other = told(store("batches", "run", "records", "--json"))["id"]
    assert told(store("batches", "cancel", other, "--json"))["state"] == "cancelled"
    assert [one["id"] for one in told(store("batches", "list", "--json"))] == [other, made["id"]]
    assert "cancelled" in store("batches", "list").stdout


def test_what_is_typed_wrongly_is_refused(store: Store, folder: Path) -> None:
    store("import", folder)
    for words in (("find", "example"), ("find", "text=x", "--job", "1", "--name", "a")):
        assert isinstance(store("batches", "run", *words).exception, Refused)


def test_the_register_is_rebuilt(store: Store, world: Outside, folder: Path) -> None:
    store("import", folder)
    assert told(store("rebuild", "--json"))["known"] == 2
    assert (
        "2 files in the replicas: 2 known before, 0 would be entered" in store("rebuild", "--dry-run").stdout
    )


def test_a_rebuild_says_who_votes_and_that_others_must_be_added_first(
    store: Store, world: Outside, folder: Path
) -> None:
    store("import", folder)

    whole = store("rebuild")
    assert "These replicas vote: a (folder), b (folder), sums (checksum)." in whole.stderr
    assert whole.stderr.count("add them first") == 1
    assert store("rebuild", "--without", "b").stderr.count("add them first") == 2
    assert told(store("rebuild", "--json"))["voters"] == ["a", "b", "sums"]
