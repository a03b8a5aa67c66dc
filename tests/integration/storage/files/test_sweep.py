"""What was interrupted goes on by itself, and only what is safe is cleared away."""

import os
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.core.services import Services
from armarium.storage import figures
from armarium.storage.files import queries, service, sweep
from armarium.storage.files.catalogue import FILES, Catalogue, figures_of_files
from armarium.storage.files.model import FileFilter
from armarium.storage.files.registering import STORE
from armarium.storage.model import FileState, ReplicaState
from armarium.storage.tables import file_copy
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskFailed
from tests.integration.storage.files.world import World

CONTENT = b"some bytes " * 100
NAME = "a-1.warc.gz"


def drop_tasks(world: World) -> None:
    """As if a worker had tried them and given up, and somebody had cleared them away."""
    with world.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))


def test_a_file_without_a_task_gets_one_once(world: World) -> None:
    file = world.register(NAME, CONTENT)
    assert world.files.sweep() == 0
    drop_tasks(world)

    assert world.files.sweep() == 1
    assert world.files.sweep() == 0
    assert world.deferred(STORE) == [{"file": file.id}]


def test_a_stored_file_is_left_in_peace(world: World) -> None:
    world.store(NAME, CONTENT)
    drop_tasks(world)

    assert world.files.sweep() == 0


def test_nobody_tries_while_the_replica_is_away_and_somebody_does_when_it_is_back(world: World) -> None:
    world.unmount("b")
    file = world.register(NAME, CONTENT)
    with pytest.raises(TaskFailed):
        world.files.store(file.id)
    drop_tasks(world)

    assert world.files.sweep() == 0
    world.mount("b")
    assert world.files.sweep() == 1
    assert world.files.store(file.id) is FileState.STORED


def test_the_task_of_a_file_that_waits_for_a_replica_does_not_fail(world: World) -> None:
    file = world.register(NAME, CONTENT)
    world.unmount("b")
    context = TaskContext(1, STORE, 1, services=Services([world.files]))

    service.store(context, file.id)

    assert world.trouble(file) == "Waits for b"


def test_figures_that_take_long_to_count_are_kept_and_counted_again_by_the_task(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = Catalogue(world.database)
    world.register(NAME, CONTENT)
    assert (catalogue.figures().files, catalogue.figures().as_of) == (1, None)
    monkeypatch.setattr(figures, "SLOW", 0.0)
    catalogue.figures()

    world.register("b.warc.gz", CONTENT)

    seen = catalogue.figures()
    assert (seen.files, seen.as_of is None) == (1, False)
    monkeypatch.setattr(figures, "SHARE", 0)
    figures.KeptFigures(world.database).refresh({FILES: figures_of_files})
    assert catalogue.figures().files == 2
    assert catalogue.page(FileFilter(), limit=1)[1].files == 2


def test_what_is_to_be_cleaned_is_found_by_an_index(world: World) -> None:
    asked: list[tuple[str, Any]] = []
    with world.database.transaction() as connection:
        connection.execute(sa.text("SET LOCAL enable_seqscan = off"))
        sa.event.listen(connection, "before_cursor_execute", lambda *facts: asked.append(facts[2:4]))
        queries.to_clean(connection, 0, 10)
        statement, values = asked[0]
        plan = connection.exec_driver_sql(f"EXPLAIN {statement}", values)
        assert "stored_file_source_index" in " ".join(row[0] for row in plan)


def test_a_file_that_only_lacked_its_last_word_is_finished(world: World) -> None:
    world.unmount("b")
    file = world.register(NAME, CONTENT)
    with pytest.raises(TaskFailed):
        world.files.store(file.id)
    drop_tasks(world)
    world.replicas.set_state(SYSTEM, world.replicas.named("b").id, ReplicaState.READ_ONLY, "broken")

    assert world.files.sweep() == 1
    assert world.files.store(file.id) is FileState.STORED


def test_a_copy_that_failed_often_waits_longer(world: World) -> None:
    file = world.register(NAME, CONTENT)
    with world.database.transaction() as connection:
        connection.execute(sa.update(file_copy).values(state="failed", attempts=5))
    drop_tasks(world)
    assert world.files.sweep() == 0

    with world.database.transaction() as connection:
        earlier = sa.text("now() - interval '5 minutes'")
        connection.execute(sa.update(file_copy).values(changed_at=earlier))
    assert world.files.sweep() == 1
    assert world.files.store(file.id) is FileState.STORED


def test_a_new_replica_is_filled_some_files_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [world.store(f"a-{number}.warc.gz", CONTENT) for number in range(3)]
    drop_tasks(world)
    for path in world.arrivals.iterdir():
        path.unlink()
    monkeypatch.setattr(sweep, "AT_ONCE", 2)
    world.add("late")

    assert {world.states(file)["late"] for file in files} == {"waiting"}
    assert world.files.sweep() == 2
    assert world.files.sweep() == 0
    for file in files:
        assert world.files.store(file.id) is FileState.STORED
        assert world.sum_on_disk("late", file.name) == file.sha256
    assert len(world.successor.told) == 3
    assert len(world.events("copy-added")) == 3


def test_the_arrived_file_goes_when_all_have_it_and_the_index_needs_it_no_more(world: World) -> None:
    companion = world.arrivals / (NAME + ".cdxj")
    companion.write_bytes(b"lines")
    file = world.store(NAME, CONTENT, companion=companion)
    assert world.files.clean() == 0
    assert (world.arrivals / NAME).exists()

    world.take_over(file)
    assert world.files.clean() == 1
    assert list(world.arrivals.iterdir()) == []
    cleaned = world.files.get(file.id)
    assert (cleaned.source, cleaned.companion) == ("", "")
    assert world.files.clean() == 0


def test_nothing_goes_while_one_active_replica_has_not_accepted_it(world: World) -> None:
    file = world.store(NAME, CONTENT)
    world.take_over(file)
    with world.database.transaction() as connection:
        b = file_copy.c.replica == world.replicas.named("b").id
        connection.execute(sa.update(file_copy).where(b).values(state="corrupt"))

    assert world.files.clean() == 0
    assert (world.arrivals / NAME).exists()


def test_what_lies_elsewhere_is_never_deleted(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside.warc"
    outside.write_bytes(CONTENT)
    link = world.arrivals / "link.warc"
    sources = [str(outside), str(world.arrivals / ".." / ".." / "outside.warc"), str(link)]
    link.symlink_to(outside)
    for number, source in enumerate(sources):
        file = world.store(f"a-{number}.warc", CONTENT)
        world.set_file(file, source=source)
        world.take_over(file)

    assert world.files.clean() == 0
    assert outside.read_bytes() == CONTENT
    assert link.is_symlink()
    assert {world.files.named(f"a-{number}.warc").source for number in range(3)} == {""}


def test_what_interrupted_transfers_left_behind_is_cleared_away(world: World) -> None:
    old, young = world.home / "fetched" / "1-x", world.home / "fetched" / "2-y"
    for folder in (old, young):
        folder.mkdir(parents=True)
    os.utime(old, (1, 1))

    world.files.clean()

    assert list((world.home / "fetched").iterdir()) == [young]
