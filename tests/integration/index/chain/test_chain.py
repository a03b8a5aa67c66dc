"""From stored files to lines that are found."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.index.chain import children, live
from armarium.index.chain.merging import CROWDED
from armarium.index.chain.model import Choice, IndexState, Kind, Level
from armarium.index.lookup import digest_lines
from armarium.index.tables import index_run
from tests.integration.index.chain.archive import (
    FIRST_DAY,
    addresses,
    chain_of,
    lines_of,
    write_companion,
    write_revisits,
    write_warc,
)
from tests.integration.index.chain.world import EVERYTHING, World


def test_a_stored_file_is_found_once_it_is_indexed(world: World) -> None:
    file = world.store("a.warc.gz")
    assert world.found() == []
    world.chain.index(file)
    assert world.found() == world.expected("a.warc.gz")
    known = world.chain.get(file)
    assert known is not None
    assert (known.state, known.made_from, known.lines) == (IndexState.INDEXED, "file", 3)


def test_a_large_file_is_indexed_by_a_child(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "WORTH_A_CHILD", 1)
    for name in ("a.warc.gz", "b.warc.gz"):  # the second by the same child
        world.chain.index(world.store(name, number=ord(name[0])))
    assert world.found() == world.expected("a.warc.gz", "b.warc.gz")


def test_a_damaged_file_gives_the_same_lines_whoever_reads_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "WORTH_A_CHILD", 1)
    path = world.archive.folder / "a.warc.gz"
    write_warc(path, addresses(0, 9))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    file = world.announce("a.warc.gz")
    world.chain.index(file)
    assert world.found() == world.expected("a.warc.gz")
    assert len(world.found()) >= 7


def test_an_index_that_came_with_its_file_is_used(world: World) -> None:
    path = world.archive.folder / "a.warc.gz"
    write_warc(path, addresses(0, 50))
    write_companion(path)
    file = world.announce("a.warc.gz")
    world.chain.index(file)
    known = world.chain.get(file)
    assert known is not None
    assert known.made_from == "companion"
    assert world.found() == world.expected("a.warc.gz")


def test_an_index_that_lacks_a_line_is_not_used(world: World) -> None:
    path = world.archive.folder / "a.warc.gz"
    write_warc(path, addresses(0, 10))
    companion = write_companion(path)
    lines = companion.read_bytes().splitlines(keepends=True)
    companion.write_bytes(b"".join(lines[:4] + lines[5:]))
    file = world.announce("a.warc.gz")
    world.chain.index(file)
    known = world.chain.get(file)
    assert known is not None
    assert known.made_from == "file"
    assert world.found() == world.expected("a.warc.gz")


def test_merges_change_where_lines_are_and_not_what_is_found(world: World) -> None:
    names = [f"{number}.warc.gz" for number in range(6)]
    for number, name in enumerate(names):
        world.chain.index(world.store(name, number=number, day=number % 2))
    before = world.found()
    world.chain.merge_days()
    assert [run.level for run in world.chain.runs()] == [Level.DAY, Level.DAY]
    assert world.found() == before == world.expected(*names)
    world.chain.merge_big(now=True)
    assert [run.level for run in world.chain.runs()] == [Level.BIG]
    assert world.found() == before


def test_many_new_files_are_merged_before_look_ups_are_slowed_by_them(world: World) -> None:
    names = [f"{number:02}.warc.gz" for number in range(CROWDED + 1)]
    waiting = sa.text("SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'index.crowded'")
    asked = []
    for number, name in enumerate(names):
        world.chain.index(world.store(name, 1, number=number))
        with world.database.transaction() as connection:
            asked.append(connection.scalar(waiting))
    assert asked == [*[0] * (CROWDED - 1), 1, 1]
    before = world.found()
    assert world.chain.merge_crowded() == 1
    assert [run.level for run in world.chain.runs()] == [Level.DAY]
    assert world.found() == before == world.expected(*names)
    assert world.chain.merge_crowded() == 0
    world.chain.merge_days()
    assert len(world.rows()) == len(names)


def test_the_big_merge_waits_for_enough_days(world: World) -> None:
    for day in range(8):
        world.chain.index(world.store(f"{day}.warc.gz", number=day, day=day))
        world.chain.merge_days()
        world.chain.merge_big()
        expected = Level.BIG if day == 7 else Level.DAY  # merge_days is 7
        assert {run.level for run in world.chain.runs()} == {expected}


def test_a_withdrawn_file_is_not_found_and_its_lines_are_dropped_by_the_next_merge(world: World) -> None:
    one, two = world.store("1.warc.gz", number=1), world.store("2.warc.gz", number=2)
    world.chain.index(one)
    world.chain.index(two)
    world.merge()
    world.withdraw(one)
    assert world.found() == world.expected("2.warc.gz")
    world.merge()
    assert world.found() == world.expected("2.warc.gz")
    assert sum(run.lines for run in world.chain.runs()) == 3
    assert {row["filename"] for row in world.rows()} == {"2.warc.gz"}


@pytest.mark.parametrize("merged", [False, True])
def test_a_restored_file_is_found_again(world: World, merged: bool) -> None:
    file = world.store("1.warc.gz")
    world.chain.index(file)
    world.merge()
    world.withdraw(file)
    if merged:
        world.merge()
        assert world.chain.runs() == []
    world.restore(file)
    world.chain.index(file)
    assert world.found() == world.expected("1.warc.gz")
    world.merge()
    assert world.found() == world.expected("1.warc.gz")
    assert len(world.rows()) == 3


def test_a_file_whose_content_was_decided_anew_is_found_as_it_is_now(world: World) -> None:
    one, two = world.store("1.warc.gz", number=1), world.store("2.warc.gz", number=2, harvest=5)
    world.chain.index(one)
    world.chain.index(two)
    world.merge()
    write_warc(world.archive.folder / "2.warc.gz", addresses(7, 4), text="other")
    world.archive.change_content(two)
    world.restore(two)
    assert world.found() == world.expected("1.warc.gz")  # nothing of the old content any more
    world.chain.index(two)
    assert world.found() == world.expected("1.warc.gz", "2.warc.gz")
    assert world.found("harvest-5") == world.expected("2.warc.gz")
    world.merge()
    assert world.found() == world.expected("1.warc.gz", "2.warc.gz")
    assert len(world.rows()) == 7


def test_each_harvest_has_an_index_of_its_own(world: World) -> None:
    world.chain.index(world.store("1.warc.gz", number=1, harvest=1))
    world.chain.index(world.store("2.warc.gz", number=2, harvest=2))
    for _ in range(2):
        assert world.found("harvest-1") == world.expected("1.warc.gz")
        assert world.chain.collections.named("harvest-1").title == "Harvest 1"
        assert world.found("harvest-2") == world.expected("2.warc.gz")
        assert world.found() == world.expected("1.warc.gz", "2.warc.gz")
        world.merge()


def test_a_new_collection_gets_what_was_indexed_before_it(world: World) -> None:
    for number in range(1, 4):
        world.chain.index(world.store(f"{number}.warc.gz", number=number, harvest=number))
    world.merge()
    chosen = world.chain.collections.add(SYSTEM, "chosen", Choice("Chosen", [1, 2]))
    assert world.chain.collections.fill(chosen.id) == 2
    assert world.found("chosen") == world.expected("1.warc.gz", "2.warc.gz")
    world.chain.index(world.store("4.warc.gz", number=4, harvest=1))
    world.merge()
    assert world.found("chosen") == world.expected("1.warc.gz", "2.warc.gz", "4.warc.gz")
    world.chain.collections.change(SYSTEM, chosen.id, chosen.edition, Choice("Chosen", [3]))
    world.chain.collections.fill(chosen.id)
    world.chain.merge_days()
    assert world.found("chosen") == world.expected("3.warc.gz")


def test_revisits_resolve_across_harvests(world: World) -> None:
    pages = addresses(1, 3)
    world.chain.index(world.store("1.warc.gz", number=1, harvest=1))
    digests = [str(line.digest) for line in world.chain.lookup().search(EVERYTHING).lines]
    keys = [line.url for line in world.chain.lookup().search(EVERYTHING).lines]
    later = FIRST_DAY + timedelta(days=30)
    by_page = dict(zip(keys, digests, strict=True))
    path = world.archive.folder / "2.warc.gz"
    write_revisits(path, pages, at=later, digests=[by_page[page] for page in pages])
    world.chain.index(world.announce("2.warc.gz", day=30, harvest=2))
    world.merge()
    lookup = world.chain.lookup()
    for page in pages:
        revisit = lookup.closest(page, later)
        assert revisit is not None
        assert revisit.is_revisit
        original = lookup.resolve(revisit)
        assert original is not None
        assert (original.filename, original.url) == ("1.warc.gz", page)


def test_the_digests_of_a_domain_are_those_of_its_newest_originals(world: World) -> None:
    folder = world.archive.folder
    pages = ["http://www.a.example/", "http://b.example/"]
    write_warc(folder / "1.warc.gz", pages)
    write_warc(folder / "2.warc.gz", pages, at=FIRST_DAY + timedelta(days=1))
    for name in ("1.warc.gz", "2.warc.gz"):
        world.chain.index(world.announce(name))
    lookup = world.chain.lookup()
    newest = lines_of(folder / "2.warc.gz")
    assert list(digest_lines(lookup)) == newest
    assert list(digest_lines(lookup, ["a.example", "www.a.example"])) == newest[:1]
    assert list(digest_lines(lookup, ["nowhere.example"])) == []
    assert list(digest_lines(lookup, files=lambda _: {"1.warc.gz"})) == lines_of(folder / "1.warc.gz")


def test_digests_of_a_domain_are_only_those_of_files_that_are_believed_for_it(world: World) -> None:
    folder = world.archive.folder
    pages = ["http://www.a.example/", "http://b.example/"]
    for number, name in enumerate(("1.warc.gz", "2.warc.gz")):
        write_warc(folder / name, pages, at=FIRST_DAY + timedelta(days=number))
        world.chain.index(world.announce(name))
    believed = {"a.example": {"1.warc.gz"}, "b.example": {"2.warc.gz"}, "www.a.example": {"3.warc.gz"}}
    told = digest_lines(world.chain.lookup(), believed, files=lambda domain: believed[domain])
    assert list(told) == [lines_of(folder / "1.warc.gz")[0], lines_of(folder / "2.warc.gz")[1]]


def test_there_is_a_row_for_each_capture(world: World) -> None:
    world.chain.index(world.store("1.warc.gz", number=1, harvest=7, job=9))
    world.chain.index(world.store("2.warc.gz", number=2))
    world.merge()
    rows = world.rows()
    assert [row["surt_key"] for row in rows] == sorted(str(row["surt_key"]) for row in rows)
    first = next(row for row in rows if row["url"] == "http://www.site-0.example/page-1-0")
    assert (first["host"], first["registered_domain"]) == ("www.site-0.example", "site-0.example")
    assert (first["job"], first["harvest"], first["status"], first["mime"]) == (9, 7, 200, "text/html")
    assert first["time"] == FIRST_DAY + timedelta(seconds=1)
    assert not first["is_revisit"]


def test_the_path_index_says_where_files_are(world: World) -> None:
    world.store("b.warc.gz")
    world.store("a.warc.gz")
    assert world.chain.write_paths() == 2
    folder = world.archive.folder
    told = world.chain.path_index.read_text()
    assert told == f"a.warc.gz\t{folder}/a.warc.gz\nb.warc.gz\t{folder}/b.warc.gz\n"


def test_retired_runs_are_deleted_after_their_time(database: Database, tmp_path: Path) -> None:
    chain, archive = chain_of(database, tmp_path, keep_retired_hours=0)
    world = World(chain, archive, database)
    for number in range(3):
        chain.index(world.store(f"{number}.warc.gz", number=number))
    world.merge()
    chain.clean()
    live = {run.name for kind in Kind for run in chain.runs(kind=kind)}
    assert set(chain.place.names()) == live
    assert len(live) == 2
    assert world.found() == world.expected("0.warc.gz", "1.warc.gz", "2.warc.gz")


def test_a_run_that_is_lost_is_made_again(world: World) -> None:
    files = [world.store(f"{number}.warc.gz", number=number) for number in range(3)]
    for file in files:
        world.chain.index(file)
    world.merge()
    expected = world.found()
    [big] = world.chain.runs()
    world.chain.place.delete(big.name)
    assert world.chain.mend() == 1
    world.chain.sweep()
    for file in files:
        world.chain.index(file)
    assert world.found() == expected
    world.merge()
    assert [run.name for run in world.chain.runs()] == [big.name]
    assert len(world.rows()) == 9


def test_the_index_is_made_anew_from_the_files(world: World) -> None:
    files = [world.store(f"{number}.warc.gz", number=number) for number in range(3)]
    for file in files:
        world.chain.index(file)
    world.merge()
    before = {run.name for kind in Kind for run in world.chain.runs(kind=kind)}
    expected = world.found()
    assert world.chain.rebuild(SYSTEM) == 3
    assert world.found() == expected  # the old runs answer
    assert world.chain.runs() == []
    for file in files:
        world.chain.index(file)
        assert world.found() == expected
        world.chain.clean()
    world.merge()
    world.chain.clean()
    assert world.found() == expected
    assert {run.name for kind in Kind for run in world.chain.runs(kind=kind)} == before
    assert world.standing() == 0


def test_the_sweep_finds_files_that_nobody_announced(world: World) -> None:
    write_warc(world.archive.folder / "a.warc.gz", addresses(0, 2))
    file = world.archive.register("a.warc.gz")
    assert world.chain.sweep() == 1
    assert world.chain.sweep() == 0  # its task waits
    world.chain.index(file)
    assert len(world.found()) == 2


def test_a_file_without_captures_needs_no_run(world: World) -> None:
    file = world.store("a.warc.gz", 0)
    world.chain.index(file)
    world.merge()
    known = world.chain.get(file)
    assert known is not None
    assert (known.state, known.lines, world.found()) == (IndexState.INDEXED, 0, [])
    with world.database.transaction() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(index_run)) == 0


def test_a_file_withdrawn_during_a_merge_is_not_found_after_it(world: World) -> None:
    one, two = world.store("1.warc.gz", number=1), world.store("2.warc.gz", number=2)
    world.chain.index(one)
    world.chain.index(two)
    to_withdraw = [one]

    def stopping() -> bool:
        while to_withdraw:
            world.withdraw(to_withdraw.pop())
        return False

    world.chain.merge_days(stopping)
    assert world.found() == world.expected("2.warc.gz")
    world.merge()
    assert world.found() == world.expected("2.warc.gz")
    assert {row["filename"] for row in world.rows()} == {"2.warc.gz"}


def test_a_file_restored_during_the_merge_that_drops_it_is_found(world: World) -> None:
    one, two = world.store("1.warc.gz", number=1), world.store("2.warc.gz", number=2)
    world.chain.index(one)
    world.chain.index(two)
    world.merge()
    world.withdraw(one)
    calls = iter(range(100))

    def stopping() -> bool:
        if next(calls) == 1:  # in the middle of writing the rows without it
            world.restore(one)
        return False

    world.chain.merge_days(stopping)
    assert world.found() == world.expected("1.warc.gz", "2.warc.gz")
    world.chain.index(one)
    world.merge()
    assert world.found() == world.expected("1.warc.gz", "2.warc.gz")
    assert len(world.rows()) == 6


def test_two_that_merge_at_once_do_no_harm(world: World, tmp_path: Path) -> None:
    names = [f"{number}.warc.gz" for number in range(8)]
    for number, name in enumerate(names):
        world.chain.index(world.store(name, number=number, day=number % 4, harvest=1))
    other, _ = chain_of(world.database, tmp_path)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda chain: chain.merge_days(), [world.chain, other]))
    world.merge()
    assert world.found() == world.found("harvest-1") == world.expected(*names)
    assert [run.level for run in world.chain.runs()] == [Level.BIG]
    assert len(world.rows()) == 24


def test_another_process_sees_what_was_withdrawn(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "FRESH", 0.0)
    other, _ = chain_of(world.database, tmp_path)
    file = world.store("1.warc.gz")
    world.chain.index(file)
    assert len(list(other.lookup().raw(EVERYTHING))) == 3
    world.withdraw(file)
    assert list(other.lookup().raw(EVERYTHING)) == []


def test_an_address_too_long_for_a_line_does_not_hide_the_others(world: World) -> None:
    long = "http://www.a.example/" + "x" * (1 << 20)
    write_warc(world.archive.folder / "a.warc.gz", ["http://www.a.example/", long])
    file = world.announce("a.warc.gz")
    world.chain.index(file)
    assert len(world.found()) == 1


def test_a_file_that_cannot_be_indexed_is_said_and_asked_for_again(world: World) -> None:
    file = world.store("a.warc.gz")
    world.chain.note_failure(file, "The disk is away.")
    [known], total = world.chain.page(state=IndexState.FAILED, limit=10)
    assert (known.name, known.error, total) == ("a.warc.gz", "The disk is away.", 1)
    world.chain.index(file)
    assert world.chain.counts() == {IndexState.INDEXED: 1}
