"""Functions over many files: a result or an error for each, whatever the function does."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.storage.batches import service
from armarium.storage.batches.model import ResultState, Selection, SelectionKind
from armarium.storage.batches.service import Batches
from armarium.storage.model import RunState
from armarium.storage.settings import StorageSettings
from armarium.tasks.failure import TaskStopped
from armarium.tasks.model import Wanted
from tests.integration.storage.outside import Outside, warc

ODD = '''
import sys

def batch_odd(file, wanted: str = "", times: int = 1):
    """Does what it is told for one of the files."""
    if file.name != "b.warc.gz":
        return {"name": file.name, "size": file.size, "job": file.job, "times": times}
    if wanted == "raise":
        raise KeyError("no such thing")
    if wanted == "exit":
        sys.exit(3)
    if wanted == "object":
        return object()
    if wanted == "nan":
        return float("nan")
    if wanted == "nul":
        return "a\\0b"
    if wanted == "surrogate":
        return "\\udc80"
    if wanted == "large":
        return "x" * 1_000_001
    if wanted == "loop":
        found = []
        found.append(found)
        return found
    return None
'''


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "functions"
    folder.mkdir()
    (folder / "odd.py").write_text(ODD)
    return folder


@pytest.fixture
def stored(world: Outside) -> list[str]:
    names = ["a.warc.gz", "b.warc.gz", "c.warc.gz"]
    for number, name in enumerate(names, 1):
        world.store(name, warc(name.encode()), job=number, harvest=7)
    world.register("waiting.warc.gz", warc(b"waiting"))
    return names


def results(world: Outside, batch: int) -> dict[str, object]:
    return {one.name: one.result or one.error for one in world.batches().all_results(batch)}


def test_a_function_runs_over_all_stored_files(world: Outside, stored: list[str]) -> None:
    batches = world.batches()

    batch = batches.start(SYSTEM, "records", {}, Selection())
    assert (batch.state, batch.files_total) == (RunState.WAITING, 3)
    assert world.deferred("storage.batch") == [{"batch": batch.id, "part": 0}]
    batches.run_part(batch.id, 0)

    batch = batches.get(batch.id)
    assert (batch.state, batch.files, batch.failures) == (RunState.FINISHED, 3, 0)
    assert batch.ended_at is not None
    counted = {"records": 2, "types": {"warcinfo": 1, "response": 1}, "with_problems": 0}
    assert results(world, batch.id) == dict.fromkeys(stored, counted)


def test_our_own_functions_answer(world: Outside, stored: list[str]) -> None:
    batches = world.batches()

    def answer(name: str, **arguments: object) -> dict[str, object]:
        batch = batches.start(SYSTEM, name, arguments, Selection(SelectionKind.NAME, "a.warc.gz"))
        batches.run_part(batch.id, 0)
        [result] = batches.all_results(batch.id)
        assert result.state is ResultState.DONE, result.error
        assert isinstance(result.result, dict)
        return result.result

    file = world.files.named("a.warc.gz")
    assert answer("checksums") == {"size": file.size, "sha256": file.sha256}
    assert answer("types")["types"] == {"text/html": {"count": 1, "bytes": 53}}
    found = answer("find", text="A.EXAMPLE")
    assert found["count"] == 1
    assert answer("find", text="A.EXAMPLE", ignore_case=False)["count"] == 0


def test_files_are_chosen_by_job_harvest_and_name(world: Outside, stored: list[str]) -> None:
    def chosen(kind: SelectionKind, value: str) -> int:
        return world.batches().start(SYSTEM, "records", {}, Selection(kind, value)).files_total

    assert chosen(SelectionKind.JOB, "2") == 1
    assert chosen(SelectionKind.HARVEST, "7") == 3
    assert chosen(SelectionKind.NAME, "?.warc*") == 3
    assert chosen(SelectionKind.NAME, "b.w") == 1
    with pytest.raises(Refused, match="None of the selected files"):
        chosen(SelectionKind.NAME, "_.warc.gz")


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("raise", "KeyError: 'no such thing' (line "),
        ("exit", "SystemExit: 3"),
        ("object", "JSON cannot hold"),
        ("nan", "JSON cannot hold"),
        ("loop", "JSON cannot hold"),
        ("surrogate", "JSON cannot hold"),
        ("nul", "NUL character"),
        ("large", "1000003 bytes"),
    ],
)
def test_what_one_file_brings_about_is_an_error_of_that_file_alone(
    world: Outside, stored: list[str], own: Path, wanted: str, told: str
) -> None:
    batches = world.batches(own)
    batch = batches.start(SYSTEM, "odd.odd", {"wanted": wanted, "times": "2"}, Selection())

    batches.run_part(batch.id, 0)

    batch = batches.get(batch.id)
    assert (batch.state, batch.files, batch.failures) == (RunState.FINISHED, 3, 1)
    [first, *others], total = batches.results(batch.id, limit=10)
    assert total == 3
    assert (first.name, first.state) == ("b.warc.gz", ResultState.FAILED)
    assert told in first.error
    assert [one.result["times"] for one in others] == [2, 2]


def test_a_file_without_a_good_copy_is_an_error_of_that_file(world: Outside, stored: list[str]) -> None:
    world.path("a", "b.warc.gz").unlink()
    world.path("b", "b.warc.gz").unlink()
    batches = world.batches()
    batch = batches.start(SYSTEM, "checksums", {}, Selection())

    batches.run_part(batch.id, 0)

    assert batches.get(batch.id).failures == 1
    [failed], _ = batches.results(batch.id, ResultState.FAILED, limit=10)
    assert failed.name == "b.warc.gz"


def test_cancelling_stops_before_the_next_file(world: Outside, stored: list[str], own: Path) -> None:
    batches = world.batches(own)
    batch = batches.start(SYSTEM, "records", {}, Selection())
    asked: list[bool] = []

    def cancel_after_the_first() -> bool:
        asked.append(True)
        if len(asked) == 2:
            batches.cancel(SYSTEM, batch.id)
        return False

    batches.run_part(batch.id, 0, cancel_after_the_first)

    ended = batches.get(batch.id)
    assert (ended.state, ended.files) == (RunState.CANCELLED, 1)
    with pytest.raises(Refused, match="ended already"):
        batches.cancel(SYSTEM, batch.id)
    batches.run_part(batch.id, 0)
    assert batches.get(batch.id).files == 1


def test_an_interrupted_part_goes_on_where_it_was(world: Outside, stored: list[str]) -> None:
    batches = world.batches()
    batch = batches.start(SYSTEM, "records", {}, Selection())
    stops = iter([False, True])
    with pytest.raises(TaskStopped):
        batches.run_part(batch.id, 0, lambda: next(stops))
    [done], _ = batches.results(batch.id, ResultState.DONE, limit=10)

    batches.run_part(batch.id, 0)

    assert (batches.get(batch.id).files, batches.get(batch.id).state) == (3, RunState.FINISHED)
    again, _ = batches.results(batch.id, ResultState.DONE, limit=10)
    assert done in again


def test_several_workers_share_the_parts(
    world: Outside, stored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PART", 2)
    batches = world.batches()
    batch = batches.start(SYSTEM, "records", {}, Selection())
    assert batch.files_total == 3
    assert sorted(str(task["part"]) for task in world.deferred("storage.batch")) == ["0", "1"]

    batches.run_part(batch.id, 1)
    assert (batches.get(batch.id).files, batches.get(batch.id).state) == (1, RunState.RUNNING)
    batches.run_part(batch.id, 0)

    assert (batches.get(batch.id).files, batches.get(batch.id).state) == (3, RunState.FINISHED)


def test_a_function_that_is_gone_ends_the_batch_with_a_reason(
    world: Outside, stored: list[str], own: Path
) -> None:
    batch = world.batches(own).start(SYSTEM, "odd.odd", {}, Selection())
    (own / "odd.py").unlink()

    world.batches(own).run_part(batch.id, 0)

    ended = world.batches().get(batch.id)
    assert ended.state is RunState.FAILED
    assert "There is no batch function odd.odd" in ended.error


def test_parts_whose_tasks_are_gone_are_deferred_again(world: Outside, stored: list[str]) -> None:
    batches = world.batches()
    batch = batches.start(SYSTEM, "records", {}, Selection())
    assert batches.sweep() == 0
    [task] = world.tasks.page(Wanted(name="storage.batch"), limit=10)[0]
    with world.database.transaction() as connection:
        world.tasks.cancel(connection, task.id)

    assert batches.sweep() == 1
    assert len(world.deferred("storage.batch")) == 2
    assert batches.get(batch.id).is_open


def test_what_is_not_there_is_said(world: Outside) -> None:
    with pytest.raises(NotFound, match="Known functions: checksums, records"):
        world.batches().start(SYSTEM, "nothing", {}, Selection())
    with pytest.raises(NotFound):
        world.batches().get(4711)


HANGS = """
import threading

def batch_hangs(file):
    if file.name != "b.warc.gz":
        return "well"
    threading.Event().wait(30)
"""


def test_a_function_that_does_not_end_is_left_alone_and_the_others_go_on(
    world: Outside, stored: list[str], own: Path
) -> None:
    (own / "slow.py").write_text(HANGS)
    settings = StorageSettings(batch_folder=own, batch_seconds=1)
    batches = Batches(world.database, world.reader, world.tasks, settings)
    batch = batches.start(SYSTEM, "slow.hangs", {}, Selection())

    batches.run_part(batch.id, 0)

    found = results(world, batch.id)
    assert found["a.warc.gz"] == found["c.warc.gz"] == "well"
    assert "did not end within 1 seconds" in str(found["b.warc.gz"])
    assert batches.get(batch.id).state is RunState.FINISHED


def test_a_function_at_work_is_left_when_the_worker_stops(
    world: Outside, stored: list[str], own: Path
) -> None:
    (own / "slow.py").write_text(HANGS)
    batches = world.batches(own)
    batch = batches.start(SYSTEM, "slow.hangs", {}, Selection(SelectionKind.NAME, "b*"))
    asked = iter([False, True])

    with pytest.raises(TaskStopped):
        batches.run_part(batch.id, 0, lambda: next(asked, True))
    assert results(world, batch.id) == {}


def test_a_batch_does_not_end_while_nobody_knows_how_many_files_it_has(
    world: Outside, stored: list[str]
) -> None:
    batches = world.batches()
    batch = batches.start(SYSTEM, "records", {}, Selection())
    with world.database.transaction() as connection:
        connection.execute(sa.text("UPDATE batch SET files_total = -1"))

    batches.run_part(batch.id, 0)

    assert (batches.get(batch.id).files, batches.get(batch.id).state) == (3, RunState.RUNNING)
