"""The register lost, and made anew from the replicas: what they agree on, and nothing beside it."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.copies import NoGoodCopy
from armarium.storage.model import CopyState, File, FileState, Origin, RepairState, ReplicaState
from armarium.storage.replicas.place import shelf_mark
from armarium.storage.tables import stored_file
from armarium.tasks.failure import TaskFailed
from tests.integration.storage.outside import Outside, warc

OURS = "12-3-20260102030405678-00000-host.warc.gz"


def forget(world: Outside) -> None:
    """All that was known of files is gone, as after the loss of a database."""
    with world.database.transaction() as connection:
        # The history refuses to be deleted; a lost disk does not ask it.
        connection.execute(sa.text("ALTER TABLE file_check DISABLE TRIGGER USER"))
        connection.execute(sa.text("ALTER TABLE storage_event DISABLE TRIGGER USER"))
        connection.execute(sa.text("TRUNCATE stored_file CASCADE"))
        for table in ("file_check", "storage_event"):
            connection.execute(sa.text(f"ALTER TABLE {table} ENABLE TRIGGER USER"))
    world.successor.told.clear()


@pytest.fixture
def files(world: Outside) -> dict[str, File]:
    """Three files that were stored, and that only the replicas remember."""
    stored = {
        OURS: world.store(OURS, warc(b"ours", software="armarium/1.0"), job=12, harvest=3),
        "42-117-20051212141240-00000-h.warc.gz": world.store(
            "42-117-20051212141240-00000-h.warc.gz", warc(b"theirs")
        ),
        "b.warc.gz": world.store("b.warc.gz", warc(b"another", software="x/1", isPartOf="spring")),
    }
    forget(world)
    return stored


def test_every_file_is_entered_as_the_replicas_have_it(world: Outside, files: dict[str, File]) -> None:
    report = world.rebuild.run(SYSTEM)

    assert (report.met, report.known, report.clear, report.undecided, report.damaged) == (3, 0, 3, 0, 0)
    for name, before in files.items():
        after = world.files.named(name)
        assert (after.size, after.sha256, after.blake3) == (before.size, before.sha256, before.blake3)
        assert (after.state, after.origin) == (FileState.STORED, Origin.REBUILD)
        assert set(world.states(after).values()) == {CopyState.ACCEPTED}
        assert world.checks(after) == ["ok", "ok", "ok"]
        with world.reader.open(name) as opened:
            assert len(opened.read()) == before.size
    assert sorted(world.successor.told) == sorted(("stored", name) for name in files)


def test_jobs_are_told_by_name_and_warcinfo_and_those_of_others_stay_theirs(
    world: Outside, files: dict[str, File]
) -> None:
    world.rebuild.run(SYSTEM)

    ours = world.files.named(OURS)
    assert (ours.job, ours.harvest) == (12, 3)
    theirs = world.files.details(world.files.named("42-117-20051212141240-00000-h.warc.gz").id)
    assert (theirs.file.job, theirs.original_job) == (None, "42-117")
    assert world.files.details(world.files.named("b.warc.gz").id).original_job == "spring"


def test_a_second_run_touches_nothing(world: Outside, files: dict[str, File]) -> None:
    world.rebuild.run(SYSTEM)
    world.successor.told.clear()

    report = world.rebuild.run(SYSTEM)

    assert (report.met, report.known, report.clear) == (3, 3, 0)
    assert world.successor.told == []


def test_a_dry_run_writes_nothing(world: Outside, files: dict[str, File]) -> None:
    world.path("a", "b.warc.gz").unlink()

    report = world.rebuild.run(SYSTEM, dry_run=True)

    assert (report.met, report.clear, report.damaged) == (3, 3, 1)
    assert Catalogue(world.database).figures().files == 0
    assert world.successor.told == []


def test_the_majority_decides_and_the_other_copies_wait_for_repair(
    world: Outside, files: dict[str, File]
) -> None:
    world.flip("a", "b.warc.gz")  # the other copy and the witness agree
    world.path("b", OURS).unlink()

    report = world.rebuild.run(SYSTEM)

    assert (report.clear, report.undecided, report.damaged) == (3, 0, 2)
    file = world.files.named("b.warc.gz")
    assert file.sha256 == files["b.warc.gz"].sha256
    assert world.states(file) == {"a": "corrupt", "b": "accepted", "sums": "accepted"}
    assert world.states(world.files.named(OURS))["b"] is CopyState.MISSING
    assert len(world.deferred("storage.repair")) == 2
    assert {trouble.name for trouble in report.troubles} == {"b.warc.gz", OURS}


def test_without_a_majority_the_file_is_entered_and_waits_for_a_person(
    world: Outside, files: dict[str, File]
) -> None:
    world.flip("a", "b.warc.gz")
    world.path("sums", "b.warc.gz").unlink()

    report = world.rebuild.run(SYSTEM)

    assert (report.clear, report.undecided) == (2, 1)
    file = world.files.named("b.warc.gz")
    assert file.state is FileState.STORING
    assert "a person decides" in world.trouble(file)
    assert world.states(file) == {"a": "corrupt", "b": "corrupt", "sums": "missing"}
    assert ("stored", "b.warc.gz") not in world.successor.told
    assert world.path("a", "b.warc.gz").exists()
    assert world.sum_on_disk("b", "b.warc.gz") == files["b.warc.gz"].sha256


def test_a_file_without_a_majority_is_not_given_out_until_a_person_decided(
    world: Outside, files: dict[str, File], tmp_path: Path
) -> None:
    world.replicas.set_state(SYSTEM, world.replicas.named("sums").id, ReplicaState.RETIRED, "two folders")
    right = files["b.warc.gz"].sha256
    world.flip("a", "b.warc.gz")
    world.overwrite("b", "b.warc.gz", b"something else")

    world.rebuild.run(SYSTEM)
    world.carry_out_repairs()
    world.files.sweep()
    file = world.files.named("b.warc.gz")
    world.files.store(file.id)

    assert (world.files.get(file.id).state, file.sha256) == (FileState.STORING, "")
    assert {world.states(file)[name] for name in "ab"} == {CopyState.CORRUPT}
    assert {one.state for one in world.found_repairs(file)} == {RepairState.UNDECIDED}
    assert all(one.ballot and not one.ballot.register for one in world.found_repairs(file))
    assert "a person decides" in world.trouble(file)
    for give in (
        world.reader.open,
        world.reader.pieces,
        lambda name: world.reader.fetch(name, tmp_path / "x"),
    ):
        with pytest.raises(NoGoodCopy, match="do not agree"):
            give(file.name)
    assert not (tmp_path / "x").exists()

    chosen = world.sum_on_disk("a", file.name)
    world.repairs.decide(SYSTEM, world.found_repairs(file)[0].id, chosen, "the only one that can be opened")
    world.carry_out_repairs()
    world.files.store(file.id)

    decided = world.files.get(file.id)
    assert (decided.state, decided.sha256) == (FileState.STORED, chosen)
    assert chosen != right
    assert world.sum_on_disk("b", file.name) == chosen
    assert world.successor.told[-1] == ("stored", file.name)
    assert world.trouble(file) == ""


def test_a_replica_that_is_added_after_the_rebuild_may_make_the_majority(
    world: Outside, files: dict[str, File]
) -> None:
    sums = world.replicas.named("sums").id
    world.replicas.set_state(SYSTEM, sums, ReplicaState.RETIRED, "forgotten")
    world.flip("a", "b.warc.gz")
    world.rebuild.run(SYSTEM)
    world.carry_out_repairs()
    file = world.files.named("b.warc.gz")
    assert {one.state for one in world.found_repairs(file)} == {RepairState.UNDECIDED}
    with world.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    assert world.repairs.sweep() == 0

    world.replicas.set_state(SYSTEM, sums, ReplicaState.ACTIVE, "found again")
    with pytest.raises(Refused, match="asked once more"):
        world.repairs.decide(SYSTEM, world.found_repairs(file)[0].id, world.sum_on_disk("a", file.name), "hm")
    world.repairs.sweep()
    assert world.deferred("storage.repair")
    world.add("late")
    world.unmount("late")
    with pytest.raises(TaskFailed):  # it may have one, too
        world.carry_out_repairs()
    assert world.files.get(file.id).sha256 == ""
    assert not list((world.home / "a" / "aside").glob("*"))
    world.mount("late")
    world.carry_out_repairs()
    world.files.store(file.id)

    decided = world.files.get(file.id)
    assert (decided.state, decided.sha256) == (FileState.STORED, files[file.name].sha256)
    assert set(world.states(file).values()) == {CopyState.ACCEPTED}
    assert world.sum_on_disk("a", file.name) == files[file.name].sha256


def test_nothing_is_begun_while_a_replica_is_away_unless_it_is_left_out(
    world: Outside, files: dict[str, File]
) -> None:
    world.unmount("a")
    with pytest.raises(Refused, match="--without NAME"):
        world.rebuild.run(SYSTEM)
    assert Catalogue(world.database).figures().files == 0

    report = world.rebuild.run(SYSTEM, without=["a"])

    assert report.clear == 3
    assert world.states(world.files.named(OURS)) == {
        "a": CopyState.WAITING,
        "b": CopyState.ACCEPTED,
        "sums": CopyState.ACCEPTED,
    }


def test_killed_in_between_it_goes_on(world: Outside, files: dict[str, File]) -> None:
    class PulledPlugError(Exception):
        pass

    reads: list[str] = []

    def pull(_replica: str, step: str) -> None:
        reads.append(step)
        if len(reads) == 6:  # in the middle of the second file
            raise PulledPlugError

    world.replicas.hook = pull
    with pytest.raises(PulledPlugError):
        world.rebuild.run(SYSTEM, threads=1)
    world.replicas.hook = lambda _replica, _step: None

    world.rebuild.run(SYSTEM)

    assert Catalogue(world.database).figures().files == 3
    assert sorted(name for _, name in world.successor.told) == sorted(files)


def test_replicas_of_an_archive_whose_database_is_lost_are_adopted(
    world: Outside, files: dict[str, File]
) -> None:
    marker = Path(world.home / "a" / "armarium-replica.json")
    lost = json.loads(marker.read_text())["archive"]
    with world.database.transaction() as connection:
        connection.execute(sa.text("UPDATE archive SET id = 'another'"))

    world.rebuild.adopt(SYSTEM, lost)
    world.rebuild.run(SYSTEM)

    assert Catalogue(world.database).figures().files == 3
    with pytest.raises(Refused, match="holds files already"):
        world.rebuild.adopt(SYSTEM, "yet-another")
    with world.database.transaction() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(stored_file)) == 3


@pytest.mark.parametrize("restored", [False, True])
def test_what_was_withdrawn_stays_withdrawn_and_what_was_restored_does_not(
    world: Outside, restored: bool
) -> None:
    file = world.store("c.warc.gz", warc(b"secret"))
    world.unmount("b")
    world.files.withdraw(SYSTEM, file.id, "A court")
    world.mount("b")
    world.files.sweep()  # and the replica that was away learns of it
    assert (world.home / "b" / "withdrawn" / f"{shelf_mark(file.name)}.json").is_file()
    if restored:
        world.files.restore(SYSTEM, file.id, "Another court")
    forget(world)

    report = world.rebuild.run(SYSTEM)

    entered = world.files.details(world.files.named("c.warc.gz").id)
    assert report.withdrawn == (0 if restored else 1)
    told = ["stored"] if restored else ["stored", "withdrawn"]
    assert [what for what, _ in world.successor.told] == told
    assert entered.file.state is (FileState.STORED if restored else FileState.WITHDRAWN)
    assert entered.withdrawn_reason == ("" if restored else "A court")


def test_a_new_replica_learns_what_is_withdrawn(world: Outside) -> None:
    file = world.store("c.warc.gz", warc(b"secret"))
    world.files.withdraw(SYSTEM, file.id, "A court")

    world.add("late")
    world.files.sweep()

    assert world.replicas.place(world.replicas.named("late")).withdrawal("c.warc.gz")
