"""The register lost, and made anew from the replicas: what they agree on, and nothing beside it."""

import os
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.storage.backends.place import hashed_path
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.copies import NoGoodCopy
from armarium.storage.model import CopyState, File, FileKind, FileState, Origin, RepairState, ReplicaState
from armarium.storage.repairs.bulk import Deed, Order, do_all
from armarium.storage.repairs.model import Repair, RepairFilter
from armarium.tasks.failure import TaskFailed
from tests.integration.storage.outside import Outside, forget, warc

OURS = "12-3-20260102030405678-00000-host.warc.gz"


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


def test_the_harvest_of_a_metadata_file_is_told_by_itself(world: Outside) -> None:
    told = {"harvestInfo.jobId": "12", "harvestInfo.origHarvestDefinitionID": "3"}
    name = "job-12.2-metadata-1.warc.gz"
    world.store(name, warc(b"logs", software="armarium/1.0", **told), job=12, harvest=3)
    forget(world)

    world.rebuild.run(SYSTEM)

    after = world.files.named(name)
    assert (after.job, after.harvest, after.kind) == (12, 3, FileKind.METADATA)


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


def test_what_lies_where_no_copy_belongs_is_told(world: Outside, files: dict[str, File]) -> None:
    wrong = world.home / "a" / "files" / "zz" / os.fsdecode(b"caf\xe9.warc.gz")
    wrong.parent.mkdir()
    world.path("a", OURS).rename(wrong)

    report = world.rebuild.run(SYSTEM)

    assert (report.clear, report.damaged, report.strange) == (3, 1, 1)
    assert ("files/zz/caf\\udce9.warc.gz", "In a") in {(one.name, one.what[:4]) for one in report.troubles}


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
    assert world.deferred("storage.repair") == []
    assert {one.state for one in world.found_repairs(file)} == {RepairState.PROPOSED}
    assert {trouble.name for trouble in report.troubles} == {"b.warc.gz", OURS}


@pytest.fixture
def three(world: Outside) -> Outside:
    """Three folders and no witness."""
    world.replicas.set_state(SYSTEM, world.replicas.named("sums").id, ReplicaState.RETIRED, "no witness")
    world.add("c")
    return world


def proposed(world: Outside, file: File) -> list[Repair]:
    return [one for one in world.found_repairs(file) if one.state is RepairState.PROPOSED]


@pytest.mark.parametrize("damage", [b"", bytes(5000), b"\x1f\x8b" + bytes(5000), warc(b"cut off")[:-9]])
def test_two_copies_damaged_in_the_same_way_do_not_beat_the_good_one(three: Outside, damage: bytes) -> None:
    good = three.store("b.warc.gz", warc(b"good"))
    forget(three)
    for name in "ab":
        three.overwrite(name, "b.warc.gz", damage)

    report = three.rebuild.run(SYSTEM)
    three.carry_out_repairs()
    three.repairs.sweep()
    three.carry_out_repairs()

    file = three.files.named("b.warc.gz")
    assert (file.state, file.sha256) == (FileState.STORED, good.sha256)
    assert {name: three.states(file)[name] for name in "abc"} == {
        "a": "corrupt",
        "b": "corrupt",
        "c": "accepted",
    }
    assert all("copy in c" not in trouble.what for trouble in report.troubles)
    assert len(proposed(three, file)) == 2
    assert not any(list((three.home / name / "aside").glob("*")) for name in "abc")
    assert {three.path(name, file.name).read_bytes() for name in "ab"} == {damage}
    with three.reader.open(file.name) as opened:
        assert len(opened.read()) == good.size

    three.repairs.approve(SYSTEM, proposed(three, file)[0].id)
    three.carry_out_repairs()  # and the other copy, too: the content of the file is confirmed

    assert {three.sum_on_disk(name, file.name) for name in "abc"} == {good.sha256}
    assert proposed(three, file) == []


def test_two_copies_of_which_nothing_shows_that_they_are_right_are_in_no_bulk_approval(
    three: Outside,
) -> None:
    good, flipped = (
        three.store("b.warc.gz", warc(b"good")),
        warc(b"goof"),
    )  # no digest inside tells them apart
    three.store("clear.warc.gz", warc(b"clear"))
    forget(three)
    three.overwrite("a", "clear.warc.gz", b"")
    for name in "ab":
        three.overwrite(name, "b.warc.gz", flipped)

    report = three.rebuild.run(SYSTEM)
    approved = do_all(three.repairs, SYSTEM, RepairFilter(), Order(Deed.APPROVE))
    likely = do_all(three.repairs, SYSTEM, RepairFilter(), Order(Deed.DECIDE, "what is likely"))
    three.carry_out_repairs()

    assert (report.clear, report.undecided) == (1, 1)
    assert (approved.count, approved.left) == (1, ())
    assert (likely.count, {str(why)[:7] for _, why in likely.left}) == (0, {"This ru"})
    assert three.sum_on_disk("a", "clear.warc.gz") == three.sum_on_disk("b", "clear.warc.gz")
    file = three.files.named("b.warc.gz")
    assert three.sum_on_disk("c", file.name) == good.sha256
    assert {one.state for one in three.found_repairs(file)} == {RepairState.UNDECIDED}
    assert {one.right for one in three.found_repairs(file)} == {""}

    named = do_all(
        three.repairs, SYSTEM, RepairFilter(), Order(Deed.DECIDE, "compared by hand", majority=True)
    )
    three.carry_out_repairs()

    assert (named.count, named.left) == (3, ())
    assert three.path("c", file.name).read_bytes() == flipped


def test_an_approval_holds_for_the_content_that_was_seen_and_no_other(three: Outside) -> None:
    three.store("b.warc.gz", warc(b"good"))
    forget(three)
    three.overwrite("a", "b.warc.gz", b"")
    three.rebuild.run(SYSTEM)
    file = three.files.named("b.warc.gz")
    number = proposed(three, file)[0].id
    three.repairs.approve(SYSTEM, number)
    other = warc(b"two of three say so by now")
    for name in "bc":
        three.overwrite(name, "b.warc.gz", other)

    three.carry_out_repairs()

    assert three.repairs.get(number).state is RepairState.UNDECIDED
    assert three.path("a", file.name).read_bytes() == b""


def test_what_all_replicas_agreed_on_at_the_rebuild_is_repaired_by_itself_later(three: Outside) -> None:
    good = three.store("b.warc.gz", warc(b"good"))
    forget(three)
    three.rebuild.run(SYSTEM)
    file = three.files.named("b.warc.gz")
    three.flip("a", file.name)
    with three.database.transaction() as connection:
        three.repairs.propose(connection, file.id, three.replicas.named("a").id, "corrupt")

    three.carry_out_repairs()

    assert three.sum_on_disk("a", file.name) == good.sha256


def test_what_was_agreed_on_without_a_replica_that_could_say_more_waits_for_a_person(three: Outside) -> None:
    three.store("b.warc.gz", warc(b"good"))
    forget(three)
    three.rebuild.run(SYSTEM, without=["c"])
    file = three.files.named("b.warc.gz")
    three.flip("a", file.name)
    with three.database.transaction() as connection:
        number = three.repairs.propose(connection, file.id, three.replicas.named("a").id, "corrupt")

    three.carry_out_repairs()

    assert three.repairs.get(number).state is RepairState.PROPOSED


def test_no_repair_runs_while_a_rebuild_reads_and_no_rebuild_begins_while_one_runs(three: Outside) -> None:
    three.store("a.warc.gz", warc(b"first"))
    good = three.store("b.warc.gz", warc(b"good"))
    three.flip("a", "b.warc.gz")
    with three.database.transaction() as connection:
        number = three.repairs.propose(connection, good.id, three.replicas.named("a").id, "corrupt")
        connection.execute(sa.text("DELETE FROM file_copy WHERE file <> :id"), {"id": good.id})
        connection.execute(sa.text("UPDATE stored_file SET name = 'x' WHERE id <> :id"), {"id": good.id})
    met: list[RepairState] = []

    def meanwhile(_replica: str, step: str) -> None:
        if not met and step == "before sums":
            met.append(three.repairs.carry_out(number))

    three.replicas.hook = meanwhile
    three.rebuild.run(SYSTEM, threads=1)
    assert met == [RepairState.PROPOSED]
    assert three.sum_on_disk("a", "b.warc.gz") != good.sha256

    met.clear()

    def rebuild(_replica: str, step: str) -> None:
        if not met and step == "before put":
            with pytest.raises(Refused, match="repair or another rebuild"):
                three.rebuild.run(SYSTEM)
            met.append(RepairState.RUNNING)

    three.replicas.hook = rebuild
    assert three.repairs.carry_out(number) is RepairState.DONE
    assert met == [RepairState.RUNNING]


def test_what_cannot_be_read_though_all_agree_is_told_and_has_no_vote(three: Outside) -> None:
    three.store("b.warc.gz", b"x")
    forget(three)
    for name in "abc":
        three.overwrite(name, "b.warc.gz", b"")

    report = three.rebuild.run(SYSTEM)

    assert (report.clear, report.damaged) == (1, 0)
    assert ["No replica has a copy in which a record can be read" in one.what for one in report.troubles] == [
        True
    ]


def test_a_folder_in_the_place_of_a_copy_does_not_hide_the_file(three: Outside) -> None:
    good = three.store("b.warc.gz", warc(b"good"))
    forget(three)
    three.path("a", "b.warc.gz").unlink()
    three.path("a", "b.warc.gz").mkdir()

    report = three.rebuild.run(SYSTEM)

    assert (report.met, report.clear, report.damaged) == (1, 1, 1)
    assert three.files.named("b.warc.gz").sha256 == good.sha256


def test_two_copies_that_were_appended_to_themselves_leave_it_to_a_person(three: Outside) -> None:
    three.store("b.warc.gz", warc(b"good"))
    forget(three)
    for name in "ab":
        three.overwrite(name, "b.warc.gz", warc(b"good") * 2)
    assert three.rebuild.run(SYSTEM).undecided == 1


def test_without_a_majority_the_file_is_entered_and_waits_for_a_person(
    world: Outside, files: dict[str, File]
) -> None:
    world.overwrite("a", "b.warc.gz", warc(b"whole, too"))
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
    world.overwrite("a", "b.warc.gz", warc(b"something"))
    world.overwrite("b", "b.warc.gz", warc(b"something else"))

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
        with pytest.raises(NoGoodCopy, match="disagree"):
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
    world.overwrite("a", "b.warc.gz", warc(b"whole, too"))
    world.rebuild.run(SYSTEM)
    world.carry_out_repairs()
    file = world.files.named("b.warc.gz")
    assert {one.state for one in world.found_repairs(file)} == {RepairState.UNDECIDED}
    with world.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    assert world.repairs.sweep() == 0

    world.replicas.set_state(SYSTEM, sums, ReplicaState.ACTIVE, "found again")
    with pytest.raises(Refused, match="asked again"):
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
    assert not list((world.home / "a" / "aside").glob("*"))  # it is clear by now, and nobody has seen it
    waiting = next(one for one in world.found_repairs(file) if one.open)
    world.repairs.approve(SYSTEM, waiting.id)
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


@pytest.mark.parametrize("restored", [False, True])
def test_what_was_withdrawn_stays_withdrawn_and_what_was_restored_does_not(
    world: Outside, restored: bool
) -> None:
    file = world.store("c.warc.gz", warc(b"secret"))
    world.unmount("b")
    world.files.withdraw(SYSTEM, file.id, "A court")
    world.mount("b")
    world.files.sweep()  # and the replica that was away learns of it
    assert (world.home / "b" / "withdrawn" / f"{hashed_path(file.name)}.json").is_file()
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
