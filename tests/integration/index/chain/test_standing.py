"""While the index, or a collection, is made anew, it answers as it did."""

from pathlib import Path

import pytest

from armarium.core.actor import SYSTEM
from armarium.core.errors import Unavailable
from armarium.index.chain import live
from armarium.index.chain.model import Choice, IndexState, Level
from tests.integration.index.chain.archive import addresses, write_warc
from tests.integration.index.chain.world import World


def test_files_withdrawn_or_given_another_content_meanwhile_are_not_answered_as_they_were(
    world: World,
) -> None:
    files = {name: world.store(f"{name}.warc.gz", number=ord(name), harvest=1) for name in "abc"}
    for file in files.values():
        world.chain.index(file)
    world.merge()
    world.chain.rebuild(SYSTEM)
    world.withdraw(files["a"])
    write_warc(world.archive.folder / "b.warc.gz", addresses(7, 4), text="other")
    world.archive.change_content(files["b"])
    world.restore(files["b"])
    assert world.found() == world.expected("c.warc.gz")
    world.chain.index(files["b"])
    for collection in ("main", "harvest-1"):
        assert world.found(collection) == world.expected("b.warc.gz", "c.warc.gz")
    world.chain.clean()
    assert world.found() == world.expected("b.warc.gz", "c.warc.gz")  # c still by the old runs
    world.chain.index(files["c"])
    world.merge()
    world.chain.clean()
    assert world.found() == world.expected("b.warc.gz", "c.warc.gz")
    assert world.standing() == 0
    world.restore(files["a"])
    world.chain.index(files["a"])
    assert world.found() == world.expected("a.warc.gz", "b.warc.gz", "c.warc.gz")


def test_the_index_may_be_made_anew_twice_at_once(world: World) -> None:
    files = [world.store(f"{number}.warc.gz", number=number) for number in range(3)]
    for file in files:
        world.chain.index(file)
    world.merge()
    expected = world.found()
    for file in files:
        world.chain.rebuild(SYSTEM)
        world.chain.index(file)
        world.merge()
        world.chain.clean()
        assert world.found() == expected
    for file in files:
        world.chain.index(file)
    world.merge()
    world.chain.clean()
    assert world.found() == expected
    assert world.standing() == 0
    assert len(world.rows()) == 9


def test_a_changed_collection_answers_as_it_did_until_it_is_filled(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "FRESH", 0.0)
    for number in range(1, 4):
        world.chain.index(world.store(f"{number}.warc.gz", number=number, harvest=number))
    collections = world.chain.collections
    chosen = collections.add(SYSTEM, "chosen", Choice("", [1, 2]))
    collections.fill(chosen.id)
    chosen = collections.change(SYSTEM, chosen.id, chosen.edition, Choice("", [2, 3]))
    world.merge()
    world.chain.clean()
    assert world.found("chosen") == world.expected("1.warc.gz", "2.warc.gz")
    collections.fill(chosen.id)
    assert world.found("chosen") == world.expected("2.warc.gz", "3.warc.gz")
    chosen = collections.change(SYSTEM, chosen.id, chosen.edition, Choice("", [4]))
    assert world.found("chosen") == world.expected("2.warc.gz", "3.warc.gz")
    collections.fill(chosen.id)
    assert world.found("chosen") == []
    chosen = collections.change(SYSTEM, chosen.id, chosen.edition, Choice("", [1], active=False))
    assert world.found("chosen") == []
    assert world.standing() == 0


def test_a_place_that_is_not_mounted_changes_nothing(world: World, tmp_path: Path) -> None:
    files = [world.store(f"{number}.warc.gz", number=number) for number in range(3)]
    for file in files[:2]:
        world.chain.index(file)
    world.merge()
    expected = world.found()
    for run in world.chain.runs():
        world.chain.place.release(run.name)
    (tmp_path / "index").rename(tmp_path / "away")
    (tmp_path / "index").mkdir()
    assert world.chain.mend() == 0
    with pytest.raises(Unavailable, match="not mounted"):
        world.chain.index(files[2])
    assert list((tmp_path / "index").iterdir()) == []
    (tmp_path / "index").rmdir()
    (tmp_path / "away").rename(tmp_path / "index")
    assert world.chain.mend() == 0
    assert world.found() == expected
    assert world.chain.counts() == {IndexState.INDEXED: 2, IndexState.WAITING: 1}


def test_if_many_runs_are_lost_a_person_decides(world: World) -> None:
    files = [world.store(f"{number:02}.warc.gz", 1, number=number) for number in range(12)]
    for file in files:
        world.chain.index(file)
    expected = world.found()
    for run in world.chain.runs()[:11]:
        world.chain.place.delete(run.name)
    assert world.chain.mend() == 0
    assert world.chain.counts() == {IndexState.INDEXED: 12}
    world.chain.rebuild(SYSTEM)
    assert len(world.found()) == 1  # what is there still answers
    for file in files:
        world.chain.index(file)
    assert world.found() == expected
    world.chain.clean()
    assert world.standing() == 0
    assert {run.level for run in world.chain.runs()} == {Level.FILE}
