"""Runs that are damaged: noticed by whoever reads them, or in their turn, and made again."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.core.errors import Unavailable
from armarium.core.services import Services
from armarium.index.chain.model import IndexState, Kind, RunRow
from armarium.index.chain.publishing import PlaceAway, Press
from armarium.index.chain.rebuild import FEW
from armarium.index.chain.tasks import RETRY, index_file
from armarium.index.runs import BadRun, DamagedRun
from armarium.tasks.context import TaskContext
from tests.integration.index.chain.archive import chain_of
from tests.integration.index.chain.world import EVERYTHING, World

NAMES = [f"{number}.warc.gz" for number in range(3)]


def merged(world: World) -> list[int]:
    files = [world.store(name, number=number) for number, name in enumerate(NAMES)]
    for file in files:
        world.chain.index(file)
    world.merge()
    return files


def place_of(world: World, run: RunRow) -> Path:
    return world.archive.folder.parent / "index" / run.name


def flip(path: Path, place: int) -> None:
    """In its place, as a failing disk does."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.chmod(0o600)
    path.write_bytes(content)


def asked_to_examine(world: World) -> list[str]:
    query = sa.text(
        "SELECT args ->> 'run' FROM procrastinate_jobs WHERE task_name = 'index.examine' AND status = 'todo'"
    )
    with world.database.transaction() as connection:
        return list(connection.scalars(query))


def make_again(world: World, files: list[int]) -> None:
    world.chain.sweep()
    for file in files:
        world.chain.index(file)


@pytest.mark.parametrize("place", [60, -100, -1])
def test_who_meets_a_flipped_bit_gets_no_answer_and_has_the_run_made_again(world: World, place: int) -> None:
    files = merged(world)
    [run] = world.chain.runs()
    flip(place_of(world, run), place)
    with pytest.raises(Unavailable):
        world.found()
    assert run.name in asked_to_examine(world)
    assert world.chain.examine(run.name)
    assert world.found() == []
    make_again(world, files)
    assert world.found() == world.expected(*NAMES)
    world.merge()
    assert [one.name for one in world.chain.runs()] == [run.name]
    assert world.found() == world.expected(*NAMES)


def test_a_process_that_has_the_damaged_run_open_reads_the_one_that_was_made_again(
    world: World, tmp_path: Path
) -> None:
    files = merged(world)
    reader, _ = chain_of(world.database, tmp_path)
    [run] = world.chain.runs()
    flip(place_of(world, run), 60)
    with pytest.raises(DamagedRun):
        list(reader.lookup().raw(EVERYTHING))
    world.chain.examine(run.name)
    make_again(world, files)
    world.merge()
    assert [one.name for one in world.chain.runs()] == [run.name]
    assert list(reader.lookup().raw(EVERYTHING)) == world.expected(*NAMES)
    reader.close()


@pytest.mark.parametrize("place", [-1, None])
def test_who_cannot_even_open_a_run_tells_of_it(world: World, tmp_path: Path, place: int | None) -> None:
    files = merged(world)
    [run] = world.chain.runs()
    path = place_of(world, run)
    path.unlink() if place is None else flip(path, place)
    reader, _ = chain_of(world.database, tmp_path)
    with pytest.raises(BadRun):
        reader.lookup().closest("http://a.example/", "20260101")
    reader.close()
    assert asked_to_examine(world) == [run.name]
    assert world.chain.examine(run.name)
    make_again(world, files)
    assert world.found() == world.expected(*NAMES)


def test_the_big_run_is_kept_if_it_was_merged_while_the_old_one_was_examined(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged(world)
    [run] = world.chain.runs()
    world.chain.index(world.store("3.warc.gz", number=3))

    def looked_at(press: Press, _: RunRow, stopping: Callable[[], bool]) -> bool:
        world.merge()
        return False

    monkeypatch.setattr(Press, "is_well", looked_at)
    assert not world.chain.examine(run.name)
    assert world.found() == world.expected(*NAMES, "3.warc.gz")


def test_no_run_is_given_up_whose_disk_went_away_while_it_was_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged(world)
    [run] = world.chain.runs()
    folder, away = place_of(world, run).parent, place_of(world, run).parent.with_name("away")

    def looked_at(press: Press, _: RunRow, stopping: Callable[[], bool]) -> bool:
        folder.rename(away)
        folder.mkdir()
        return False

    monkeypatch.setattr(Press, "is_well", looked_at)
    assert not world.chain.examine(run.name)
    folder.rmdir()
    away.rename(folder)
    assert world.found() == world.expected(*NAMES)


def test_many_runs_that_are_lost_are_not_given_up_one_by_one(world: World) -> None:
    """Each is met by a reader: it is more likely that a disk is away than that all are gone."""
    for number in range(FEW + 1):
        world.chain.index(world.store(f"{number}.warc.gz", number=number))
    runs = world.chain.runs()
    for run in runs:
        place_of(world, run).unlink()
    assert not any(world.chain.examine(run.name) for run in runs)
    assert world.chain.runs() == runs


def test_a_run_that_was_damaged_before_it_was_written_is_made_again(world: World) -> None:
    files = merged(world)
    [run] = world.chain.runs()
    flip(place_of(world, run), 60)
    digest = hashlib.sha256(place_of(world, run).read_bytes()).hexdigest()
    with world.database.transaction() as connection:
        written = sa.text("UPDATE index_run SET sha256 = :digest WHERE id = :run")
        connection.execute(written, {"digest": digest, "run": run.id})
    with pytest.raises(Unavailable):
        world.found()
    assert world.chain.examine(run.name)
    make_again(world, files)
    assert world.found() == world.expected(*NAMES)


def test_a_run_that_is_well_stays_whoever_complains(world: World) -> None:
    merged(world)
    [run] = world.chain.runs()
    assert not world.chain.examine(run.name)
    assert not world.chain.examine("merged-long-ago.run")
    assert world.found() == world.expected(*NAMES)


def test_every_run_is_read_in_its_turn(world: World) -> None:
    merged(world)
    [rows] = [run for run in world.chain.runs(kind=Kind.ROWS) if run.kind is Kind.ROWS]
    assert world.chain.scrub(everything=True) == 0
    flip(place_of(world, rows), 100)
    assert world.chain.scrub(everything=True) == 1


@pytest.mark.parametrize("place", [100, -3])
def test_damaged_rows_are_merged_into_nothing_and_made_again(world: World, place: int) -> None:
    files = merged(world)
    [rows] = [run for run in world.chain.runs(kind=Kind.ROWS) if run.kind is Kind.ROWS]
    flip(place_of(world, rows), place)
    files.append(world.store("3.warc.gz", number=3))
    world.chain.index(files[-1])
    world.chain.merge_days()
    assert rows.name in asked_to_examine(world)
    assert world.chain.examine(rows.name)
    make_again(world, files)
    world.merge()
    assert len(world.rows()) == 12
    assert world.found() == world.expected(*NAMES, "3.warc.gz")


def test_a_merge_passes_over_a_damaged_run_and_others_go_on(world: World) -> None:
    files = merged(world)
    [run] = world.chain.runs()
    flip(place_of(world, run), 60)
    files.append(world.store("3.warc.gz", number=3))
    world.chain.index(files[-1])
    world.merge()  # of the day, at least
    assert run.name in asked_to_examine(world)
    world.chain.examine(run.name)
    make_again(world, files)
    world.merge()
    assert world.found() == world.expected(*NAMES, "3.warc.gz")


def test_a_place_that_is_away_is_not_taken_for_ours_by_one_who_holds_a_run_open(world: World) -> None:
    merged(world)
    assert world.found()  # a run is open now
    folder = world.archive.folder.parent / "index"
    folder.rename(folder.with_name("away"))
    folder.mkdir()
    file = world.store("3.warc.gz", number=3)
    with pytest.raises(PlaceAway):
        world.chain.index(file)
    assert list(folder.iterdir()) == []


def test_a_cut_run_in_the_way_is_replaced(world: World) -> None:
    file = world.store(NAMES[0])
    world.chain.index(file)
    [run] = world.chain.runs()
    path = place_of(world, run)
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:20])
    assert world.chain.mend() == 1
    make_again(world, [file])
    assert world.found() == world.expected(NAMES[0])


def test_a_disk_that_is_away_for_long_makes_no_file_fail(world: World) -> None:
    """The sweep asks again each minute; a file that failed would wait for a day."""
    file = world.store(NAMES[0])
    folder = world.archive.folder.parent / "index"
    folder.write_text("no folder")
    context = TaskContext(1, "index.file", RETRY.attempts, services=Services([world.chain]))
    with pytest.raises(OSError, match="index"):
        index_file(context, file)
    known = world.chain.get(file)
    assert known is not None
    assert known.state is IndexState.WAITING
    folder.unlink()
    index_file(context, file)
    assert world.found() == world.expected(NAMES[0])
