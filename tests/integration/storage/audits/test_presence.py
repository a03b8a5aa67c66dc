"""Audits of presence: both the register and the replica are believed only as far as the other agrees."""

import os
import socket
from pathlib import Path

import pytest

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.text import storable
from armarium.db.database import Database
from armarium.storage.audits import presence
from armarium.storage.backends.place import Strange, hashed_path
from armarium.storage.model import AuditKind, CheckOutcome, CopyState, RunState
from armarium.tasks.failure import TaskFailed, TaskStopped
from tests.integration.storage.audits.world import World


def test_what_is_missing_cut_or_strange_is_found_without_reading(world: World) -> None:
    gone, cut, flipped, well = (world.store(f"{name}.warc.gz") for name in ("gone", "cut", "flipped", "well"))
    world.path("b", gone.name).unlink()
    world.overwrite("b", cut.name, world.content("b", cut.name)[:10])
    world.flip("b", flipped.name)  # has its size still: only its bytes could tell
    strange = world.home / "b" / "files" / hashed_path("stranger.warc.gz")
    strange.parent.mkdir(exist_ok=True)
    strange.write_bytes(b"from nowhere")
    run = world.audit("b", AuditKind.PRESENCE)
    assert (run.state, run.files_total) == (RunState.FINISHED, 4)
    assert (run.ok, run.missing, run.corrupt, run.strange) == (2, 1, 1, 1)
    assert world.state("b", gone) == CopyState.MISSING
    assert world.state("b", cut) == CopyState.CORRUPT
    assert world.state("b", well) == CopyState.ACCEPTED
    assert [event.details["name"] for event in world.audits.strangers(run, limit=9)] == ["stranger.warc.gz"]
    found, total = world.audits.damages(run, limit=10)
    assert total == 2
    assert {(check.file_name, check.outcome) for check in found} == {
        (gone.name, CheckOutcome.MISSING),
        (cut.name, CheckOutcome.CORRUPT),
    }
    assert {kind for kind, _ in world.checks(well)} == {"checksum"}  # that it is there, the run says
    assert world.copy("b", well).seen_at > run.started_at


@pytest.mark.parametrize("replica", ["b", "sums"])
def test_strangers_are_told_wherever_they_lie(
    world: World, replica: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "BATCH", 1)  # none is lost between two batches, and none told twice
    files = [world.store(f"{number}.warc.gz") for number in range(3)]
    path, root = world.path(replica, files[0].name), world.home / replica
    shelves = path.parents[1]
    strangers = [
        path.with_name(path.name.upper()),
        shelves / "zz" / path.name,
        shelves / "notes.txt",
        path.parent / "~ $.tmp",
        path.parent / os.fsdecode(b"caf\xe9.warc.gz"),
        root / "thumbs.db",
    ]
    for stranger in strangers:
        stranger.parent.mkdir(exist_ok=True)
        stranger.write_bytes(path.read_bytes())
    (path.parent / "folder" / "below").mkdir(parents=True)
    (root / "unpacked").mkdir()

    run = world.audit(replica, AuditKind.PRESENCE)

    folders = [path.parent / "folder", root / "unpacked"]
    keys = sorted(storable(str(one.relative_to(root))) for one in [*strangers, *folders])
    assert sorted(str(one.details["name"]) for one in world.audits.strangers(run, limit=99)) == keys
    assert (run.ok, run.missing, run.corrupt, run.strange) == (3, 0, 0, len(keys))


def test_a_name_in_other_case_is_no_copy(world: World) -> None:
    file = world.store("one.warc.gz")
    path = world.path("b", file.name)
    path.rename(path.with_name("One.warc.gz"))
    run = world.audit("b", AuditKind.PRESENCE)
    assert (run.ok, run.missing, run.strange) == (0, 1, 1)


@pytest.mark.parametrize("kind", list(AuditKind))
@pytest.mark.parametrize("replica", ["b", "sums"])
def test_a_folder_in_the_place_of_a_copy_is_found_moved_aside_and_repaired(
    world: World, replica: str, kind: AuditKind
) -> None:
    file, other = world.store("one.warc.gz"), world.store("two.warc.gz")
    path = world.path(replica, file.name)
    for _ in range(2):
        path.unlink()
        path.mkdir()
        (path / "inside").write_bytes(b"kept")
        run = world.audit(replica, kind)
        assert (run.corrupt, run.missing, run.strange) == (1, 0, 0)
        found, _ = world.audits.damages(run, limit=10)
        assert [one.outcome for one in found] == [CheckOutcome.UNREADABLE]
        world.repair_all()
        assert world.state(replica, file) == CopyState.ACCEPTED
        assert path.is_file()
    assert [(one / "inside").read_bytes() for one in world.asides(replica)] == [b"kept", b"kept"]
    assert world.state(replica, other) == CopyState.ACCEPTED


@pytest.mark.parametrize("kind", list(AuditKind))
def test_a_socket_in_the_place_of_a_copy_is_no_replica_that_is_away(
    world: World, kind: AuditKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = world.store("one.warc.gz")
    path = world.path("b", file.name)
    path.unlink()
    monkeypatch.chdir(path.parent)  # the name of a socket has a hundred bytes at most
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(path.name)
    run = world.audit("b", kind)
    assert (run.corrupt, run.missing) == (1, 0)
    world.repair_all()
    assert world.state("b", file) == CopyState.ACCEPTED
    assert path.is_file()


def test_a_folder_where_a_file_is_to_be_stored_is_told_as_one(world: World) -> None:
    path = world.path("b", "one.warc.gz")
    path.mkdir(parents=True)
    with pytest.raises(TaskFailed, match="there is a folder where"):
        world.store("one.warc.gz")


def test_an_unmounted_replica_has_nothing_missing(world: World) -> None:
    file = world.store("one.warc.gz")
    world.unmount("b")
    number = world.audits.start(SYSTEM, world.replica("b").id, AuditKind.PRESENCE)
    with pytest.raises(TaskFailed):
        world.audits.carry_on(number)
    assert world.state("b", file) == CopyState.ACCEPTED
    assert world.audits.get(number).missing == 0


def test_a_listing_that_was_interrupted_goes_on_after_its_last_name(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "BATCH", 2)
    files = [world.store(f"{number}.warc.gz") for number in range(5)]
    world.path("a", files[2].name).unlink()
    number = world.audits.start(SYSTEM, world.replica("a").id, AuditKind.PRESENCE)
    for _ in range(2):
        with pytest.raises(TaskStopped):
            world.audits.carry_on(number, lambda: True)
    assert world.audits.carry_on(number) is RunState.FINISHED
    run = world.audits.get(number)
    assert (run.files, run.ok, run.missing) == (5, 4, 1)
    seen = [world.copy("a", file).seen_at for file in files]
    assert [at > run.started_at for at in seen] == [True, True, False, True, True]


def test_strangers_behind_the_last_name_are_counted_once_by_a_run_that_was_interrupted(world: World) -> None:
    world.store("one.warc.gz")
    stranger = world.home / "a" / "files" / "zz" / "last.warc.gz"
    stranger.parent.mkdir()
    stranger.write_bytes(b"from nowhere")
    number = world.audits.start(SYSTEM, world.replica("a").id, AuditKind.PRESENCE)
    with pytest.raises(TaskStopped):
        world.audits.carry_on(number, lambda: True)
    assert world.audits.carry_on(number) is RunState.FINISHED
    run = world.audits.get(number)
    assert (run.ok, run.strange, len(world.audits.strangers(run, limit=9))) == (1, 1, 1)


def test_a_file_stored_while_the_replica_is_listed_is_not_missing(world: World) -> None:
    world.store("one.warc.gz")
    place = world.replicas.place(world.replica("a"))
    listed = place.names

    def with_a_new_file(after: str, strange: Strange) -> object:
        names = list(listed(after, strange))
        world.store("new.warc.gz")
        return iter(names)

    object.__setattr__(place, "names", with_a_new_file)
    run = world.audit("a", AuditKind.PRESENCE)
    assert (run.ok, run.missing) == (1, 0)


def test_a_copy_that_is_back_is_read_before_it_is_believed(world: World) -> None:
    file = world.store("one.warc.gz")
    path = world.path("a", file.name)
    kept = path.read_bytes()
    path.unlink()
    world.audit("a", AuditKind.PRESENCE)
    path.write_bytes(kept)
    world.audit("a", AuditKind.PRESENCE)
    assert world.state("a", file) == CopyState.MISSING
    world.audits.check_one(file.id, world.replica("a").id)
    assert world.state("a", file) == CopyState.ACCEPTED


def test_a_damaged_note_of_a_checksum_replica_is_found_by_listing(world: World) -> None:
    file = world.store("one.warc.gz")
    world.overwrite("sums", file.name, b"{")
    run = world.audit("sums", AuditKind.PRESENCE)
    assert run.corrupt == 1
    assert world.state("sums", file) == CopyState.CORRUPT


def test_the_health_of_replicas_says_what_was_read_and_when(database: Database, tmp_path: Path) -> None:
    world = World(database, tmp_path / "home", folders=2)
    one, two = world.store("one.warc.gz"), world.store("two.warc.gz")
    world.audit("a", AuditKind.PRESENCE)
    world.flip("b", two.name)
    world.audit("b")
    health = {one.name: one for one in world.audits.health()}
    assert health["a"].well
    assert health["a"].last_presence is not None
    assert health["a"].bytes == one.size + two.size
    assert health["a"].share_recent == 1.0
    assert health["a"].ages[0].bytes == one.size + two.size
    assert not health["b"].well
    assert (health["b"].damaged, health["b"].damages_of_year, health["b"].repaired_of_year) == (1, 1, 0)
    world.repair_all()
    after = {one.name: one for one in world.audits.health()}["b"]
    assert (after.damaged, after.damages_of_year, after.repaired_of_year) == (0, 1, 1)
    assert after.oldest_check is not None
    assert after.oldest_check <= clock.now()
