"""What others do while the chain is at work is not lost, and not done twice."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.index.chain import merging
from armarium.index.chain.model import Choice, IndexState, Kind, Level, Piece, RunRow
from armarium.index.chain.publishing import ChangedMeanwhile, Press
from armarium.index.chain.rows import write_rows
from armarium.index.tables import index_file
from tests.integration.index.chain.archive import addresses, chain_of, write_warc
from tests.integration.index.chain.world import World


def once_published(monkeypatch: pytest.MonkeyPatch, level: Level, then: Callable[[], object]) -> None:
    """Do something when the first piece of a level lies in its place, and is not live yet."""
    publish, waiting = Press.publish, [then]

    def published(press: Press, piece: Piece, path: Path) -> RunRow:
        row = publish(press, piece, path)
        while piece.level is level and piece.kind is Kind.CDX and waiting:
            waiting.pop()()
        return row

    monkeypatch.setattr(Press, "publish", published)


def give_other_content(world: World, file: int, name: str) -> None:
    write_warc(world.archive.folder / name, addresses(7, 4), text="new")
    world.archive.change_content(file)
    world.restore(file)


def test_a_file_given_another_content_while_it_is_indexed_is_found_as_it_is_then(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = world.store("a.warc.gz")
    once_published(monkeypatch, Level.FILE, lambda: give_other_content(world, file, "a.warc.gz"))
    with pytest.raises(ChangedMeanwhile):
        world.chain.index(file)
    assert world.found() == []
    world.chain.index(file)
    assert world.found() == world.expected("a.warc.gz")


def test_lines_that_join_the_big_run_while_another_writes_it_anew_are_not_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["a.warc.gz", "b.warc.gz", "c.warc.gz"]
    files = [world.store(name, number=number) for number, name in enumerate(names)]
    for file in files[:2]:
        world.chain.index(file)
    world.merge()
    world.chain.index(files[2])
    world.chain.merge_days()
    give_other_content(world, files[0], names[0])
    once_published(monkeypatch, Level.BIG, lambda: world.chain.merge_big(now=True))
    with pytest.raises(ChangedMeanwhile):
        world.chain.index(files[0])  # which writes the big run without its old lines
    world.chain.index(files[0])
    assert world.found() == world.expected(*names)


def test_a_collection_changed_during_its_merge_has_only_its_new_files(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    collections = world.chain.collections
    for number in (1, 2):
        world.chain.index(world.store(f"{number}.warc.gz", number=number, harvest=number))
    chosen = collections.add(SYSTEM, "chosen", Choice("", [1]))
    collections.fill(chosen.id)
    world.chain.index(world.store("3.warc.gz", number=3, harvest=1))
    once_published(
        monkeypatch, Level.DAY, lambda: collections.change(SYSTEM, chosen.id, chosen.edition, Choice("", [2]))
    )
    world.chain.merge_days()
    collections.fill(chosen.id)
    world.merge()
    assert world.found("chosen") == world.expected("2.warc.gz")
    assert world.found() == world.expected("1.warc.gz", "2.warc.gz", "3.warc.gz")


def test_a_file_given_another_content_while_a_collection_is_filled_is_found_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = world.store("a.warc.gz", harvest=1)
    world.chain.index(file)
    chosen = world.chain.collections.add(SYSTEM, "chosen", Choice("", [1]))
    once_published(monkeypatch, Level.BIG, lambda: give_other_content(world, file, "a.warc.gz"))
    with pytest.raises(ChangedMeanwhile):
        world.chain.collections.fill(chosen.id)
    world.chain.index(file)
    world.chain.collections.fill(chosen.id)
    assert world.found("chosen") == world.found() == world.expected("a.warc.gz")


def test_an_address_that_looks_like_a_line_hides_nothing_and_takes_nothing_along(world: World) -> None:
    forged = "http://example.org/?q=%22filename%22:%22b.warc.gz%22"
    write_warc(world.archive.folder / "a.warc.gz", [forged])
    one, two = world.announce("a.warc.gz"), world.store("b.warc.gz")
    world.chain.index(one)
    world.chain.index(two)
    world.withdraw(two)
    world.merge()
    assert world.found() == world.expected("a.warc.gz")
    world.withdraw(one)
    assert world.found() == []


def test_the_big_run_is_not_written_anew_for_a_few_hidden_lines(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "WORTH_DROPPING", 4)
    few, many = world.store("few.warc.gz", 1), world.store("many.warc.gz", 4, number=1)
    world.chain.index(few)
    world.chain.index(many)
    world.merge()
    world.withdraw(few)
    assert world.chain.merge_big() == 0
    with world.database.transaction() as connection:
        long_ago = clock.now() - timedelta(days=31)
        connection.execute(sa.update(index_file).where(index_file.c.file == few).values(asked_at=long_ago))
    assert world.chain.merge_big() == 1
    assert sum(run.lines for run in world.chain.runs()) == 4


def test_rows_are_merged_some_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "MOST_ROWS", 7)
    for number in range(5):
        world.chain.index(world.store(f"{number}.warc.gz", number=number))
    read: list[int] = []

    def counted(sources: list[object], *given: object, **named: object) -> int:
        read.append(len(sources))
        return write_rows(sources, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(merging, "write_rows", counted)
    world.merge()
    assert len(world.rows()) == 15
    assert len(world.chain.runs(kind=Kind.ROWS)) == 1
    assert max(read) <= 4  # two files, and what was merged before


def test_a_file_that_cannot_be_indexed_anew_waits_as_others_do(world: World) -> None:
    file = world.store("a.warc.gz")
    world.chain.index(file)
    give_other_content(world, file, "a.warc.gz")
    world.chain.note_failure(file, "The disk is away.")
    known = world.chain.get(file)
    assert known is not None
    assert known.state is IndexState.AGAIN  # its old lines must not come back
    other, _ = chain_of(world.database, world.archive.folder.parent)
    with world.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    assert other.sweep() == 0
    with world.database.transaction() as connection:
        connection.execute(sa.update(index_file).values(asked_at=clock.now() - timedelta(days=2)))
    assert other.sweep() == 1


def test_what_a_killed_publication_left_is_cleaned_away(world: World, tmp_path: Path) -> None:
    world.chain.index(world.store("a.warc.gz"))
    old, new = tmp_path / "index" / ".incoming-old", tmp_path / "index" / ".incoming-new"
    for path in (old, new):
        path.write_bytes(b"half a run")
    os.utime(old, (0, 0))
    world.chain.clean()
    assert (old.exists(), new.exists()) == (False, True)
