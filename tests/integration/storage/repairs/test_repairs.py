"""Repairs: what has a majority is restored, nothing good is touched, and people decide what votes do not."""

import hashlib
from importlib import import_module
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations

from armarium.core.actor import SYSTEM, Actor, Via
from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.storage.files import queries as files_queries
from armarium.storage.model import CopyState, File, Origin, RepairState, ReplicaState
from armarium.storage.repairs.model import choices, likely
from armarium.storage.repairs.rules import Outcome
from armarium.storage.tables import stored_file
from armarium.tasks.failure import TaskFailed
from tests.integration.storage.audits.world import World

NAME = "one.warc.gz"


def damaged(world: World, replica: str = "b") -> tuple[File, bytes]:
    """A stored file with one bad copy that an audit has found; and the bytes of the bad copy."""
    file = world.store(NAME)
    bad = world.flip(replica, NAME)
    world.audit(replica)
    return file, bad


def notified(world: World) -> list[str]:
    with world.database.transaction() as connection:
        return list(connection.scalars(sa.text("SELECT subject->>'template' FROM notification ORDER BY id")))


def test_a_bad_copy_is_moved_aside_and_made_anew_from_a_good_one(world: World) -> None:
    file, bad = damaged(world)
    world.repair_all()
    repair = world.repair_of("b")
    assert repair.state is RepairState.DONE
    assert world.content("b", NAME) == world.content("a", NAME)
    assert world.state("b", file) == CopyState.ACCEPTED
    assert [path.read_bytes() for path in world.asides("b")] == [bad]
    assert world.events("aside")[0]["key"] == repair.aside
    assert world.events("repaired")[0]["repair"] == repair.id
    assert not list((world.home / "repairs").iterdir())


def test_a_missing_copy_is_made_anew(world: World) -> None:
    file = world.store(NAME)
    world.path("a", NAME).unlink()
    world.audit("a")
    world.repair_all()
    assert world.repair_of("a").state is RepairState.DONE
    assert world.state("a", file) == CopyState.ACCEPTED
    assert world.content("a", NAME) == world.content("b", NAME)
    assert world.asides("a") == []


def test_an_altered_checksum_replica_is_outvoted_and_repaired(world: World) -> None:
    file = world.store(NAME)
    note = world.content("sums", NAME)
    world.overwrite("sums", NAME, note.replace(file.sha256.encode(), b"0" * 64))
    world.audit("sums")
    world.repair_all()
    assert world.state("sums", file) == CopyState.ACCEPTED
    assert file.sha256.encode() in world.content("sums", NAME)
    assert len(world.asides("sums")) == 1


def test_two_swapped_files_are_both_restored(world: World) -> None:
    left, right = world.store("left.warc.gz"), world.store("right.warc.gz")
    one, other = world.content("a", left.name), world.content("a", right.name)
    world.overwrite("a", left.name, other)
    world.overwrite("a", right.name, one)
    world.audit("a")
    world.repair_all()
    assert world.content("a", left.name) == one
    assert world.content("a", right.name) == other
    assert len(world.asides("a")) == 2


def test_a_copy_that_turned_out_well_is_left_alone(world: World) -> None:
    file = world.store(NAME)
    good = world.content("b", NAME)
    world.flip("b", NAME)
    world.audit("b")
    world.overwrite("b", NAME, good)
    world.repair_all()
    assert world.repair_of("b").state is RepairState.VOID
    assert world.state("b", file) == CopyState.ACCEPTED
    assert world.asides("b") == []


def test_a_repair_that_finds_further_damage_proposes_its_repair(world: World) -> None:
    file, _ = damaged(world, "b")
    world.path("a", NAME).unlink()
    world.repairs.carry_out(world.repair_of("b").id)
    assert world.repair_of("b").state is RepairState.DONE
    assert world.state("a", file) == CopyState.MISSING
    world.repair_all()
    assert world.content("a", NAME) == world.content("b", NAME) == world.content("c", NAME)


def test_a_tie_repairs_nothing_and_calls_a_person(world: World) -> None:
    file = world.store(NAME)
    bad = world.flip("a", NAME)
    world.overwrite("b", NAME, bad)
    world.overwrite("sums", NAME, b"{")  # has no vote any more: the register and c against a and b
    world.audit("a")
    world.repair_all()
    repair = world.repair_of("a")
    assert repair.state is RepairState.UNDECIDED
    assert repair.ballot is not None
    assert repair.ballot.verdict.outcome is Outcome.TIE
    assert world.content("a", NAME) == world.content("b", NAME) == bad
    assert world.asides("a") == []
    assert "A damaged file needs a decision" in notified(world)
    assert world.state("a", file) == CopyState.CORRUPT


def test_a_decision_for_the_register_repairs_every_copy_that_waits_for_it(world: World) -> None:
    file = world.store(NAME)
    good = world.content("c", NAME)
    world.overwrite("b", NAME, world.flip("a", NAME))
    world.overwrite("sums", NAME, b"{")
    for name in ("a", "b"):
        world.audit(name)
    world.repair_all()
    ada = world.person("ada")
    number = world.repair_of("a").id
    with pytest.raises(Refused, match="again since you opened it"):
        world.repairs.decide(ada, number, file.sha256, "seen", world.repair_of("a").proposed_at)
    with pytest.raises(Refused):
        world.repairs.decide(ada, number, file.sha256, " ")
    with pytest.raises(Refused):
        world.repairs.decide(ada, number, "0" * 64, "because")
    with pytest.raises(Refused):
        world.repairs.approve(ada, number)
    world.repairs.decide(ada, number, file.sha256, "c is right: compared with the tape")
    world.repair_all()
    world.repair_all()
    assert {world.content(name, NAME) for name in "abc"} == {good}
    assert world.state("sums", file) == CopyState.ACCEPTED
    assert world.repair_of("a").decided_by == "ada"
    assert world.events("decided")[0]["reason"] == "c is right: compared with the tape"
    assert world.successor.again == []


def test_an_undecided_repair_is_voted_on_again_when_a_replica_is_taken_back(world: World) -> None:
    file = world.store(NAME)
    retired = world.replica("c").id
    world.replicas.set_state(SYSTEM, retired, ReplicaState.RETIRED, "moves house")
    world.flip("a", NAME, 1)
    world.flip("b", NAME, 2)
    for name in ("a", "b"):
        world.audit(name)
    for _ in range(2):
        world.repair_all()
    repair = world.repair_of("a")
    assert repair.state is RepairState.UNDECIDED
    assert likely(repair) == file.sha256
    assert world.repairs.retired_holders(repair) == ["c"]
    with world.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    assert world.repairs.sweep() == 0
    world.replicas.set_state(SYSTEM, retired, ReplicaState.ACTIVE, "is back")
    with pytest.raises(Refused, match="asked again"):
        world.repairs.decide(world.person("ada"), repair.id, choices(repair)[0][0], "too early")
    assert world.repairs.sweep() >= 1
    for _ in range(2):
        world.repair_all()
    assert world.content("a", NAME) == world.content("b", NAME) == world.content("c", NAME)


def test_a_majority_against_the_register_waits_for_a_person_who_may_correct_the_register(
    database: Database, tmp_path: Path
) -> None:
    world = World(database, tmp_path / "home", folders=2)
    file = world.store(NAME)
    other = world.flip("a", NAME)
    world.overwrite("b", NAME, other)
    sha256 = hashlib.sha256(other).hexdigest()
    note = world.content("sums", NAME)
    world.path("sums", NAME).unlink()
    for name in ("a", "b"):
        world.audit(name)
    world.repair_all()
    repair = world.repair_of("a")
    assert repair.state is RepairState.UNDECIDED
    assert repair.ballot is not None
    assert repair.ballot.verdict.outcome is Outcome.AGAINST
    assert note
    world.repairs.decide(world.person("ada"), repair.id, sha256, "the register was wrong")
    for _ in range(3):
        world.repair_all()
    corrected = world.files.get(file.id)
    assert corrected.sha256 == sha256
    assert {world.state(name, file) for name in ("a", "b", "sums")} == {CopyState.ACCEPTED}
    assert world.content("a", NAME) == world.content("b", NAME) == other
    assert world.successor.again == [sha256]
    assert world.events("content-decided")[0]["before"] == file.sha256


def test_nothing_healthy_left_calls_a_person_and_touches_nothing(database: Database, tmp_path: Path) -> None:
    world = World(database, tmp_path / "home", folders=1)
    damaged(world, "a")
    held = world.content("a", NAME)
    world.repair_all()
    repair = world.repair_of("a")
    assert repair.state is RepairState.UNDECIDED
    assert repair.ballot is not None
    assert repair.ballot.verdict.outcome is Outcome.LOST
    assert world.content("a", NAME) == held
    assert world.asides("a") == []


def test_a_replica_that_is_away_makes_no_tie(world: World) -> None:
    damaged(world, "a")
    for name in ("b", "c"):
        world.unmount(name)
    world.overwrite("sums", NAME, b"{")
    number = world.repair_of("a").id
    with pytest.raises(TaskFailed):
        world.repairs.carry_out(number)
    assert world.repairs.get(number).state is RepairState.PROPOSED
    for name in ("b", "c"):
        world.mount(name)
    world.repair_all()
    assert world.repairs.get(number).state is RepairState.DONE


def test_an_unmounted_target_is_not_repaired_but_waited_for(world: World) -> None:
    file, bad = damaged(world)
    world.unmount("b")
    number = world.repair_of("b").id
    with pytest.raises(TaskFailed):
        world.repairs.carry_out(number)
    world.mount("b")
    assert world.content("b", NAME) == bad
    assert world.state("b", file) == CopyState.CORRUPT
    world.repair_all()
    assert world.repairs.get(number).state is RepairState.DONE


def test_a_replica_that_is_read_only_is_not_written_to(world: World) -> None:
    _, bad = damaged(world)
    world.replicas.set_state(SYSTEM, world.replica("b").id, ReplicaState.READ_ONLY, "moves house")
    world.repair_all()
    assert world.content("b", NAME) == bad
    assert world.repair_of("b").open
    world.replicas.set_state(SYSTEM, world.replica("b").id, ReplicaState.ACTIVE, "is back")
    world.repair_all()
    assert world.repair_of("b").state is RepairState.DONE


def test_a_register_made_from_the_replicas_has_no_vote_until_a_person_confirmed_it(
    database: Database, tmp_path: Path
) -> None:
    world = World(database, tmp_path / "home", folders=2)
    file = world.store(NAME, origin=Origin.REBUILD)
    world.path("sums", NAME).unlink()
    world.flip("b", NAME)
    world.audit("b")
    world.repair_all()
    repair = world.repair_of("b")
    assert repair.state is RepairState.UNDECIDED
    world.repairs.decide(world.person("ada"), repair.id, file.sha256, "a is right")
    world.repair_all()
    assert world.repair_of("b").state is RepairState.DONE
    world.flip("b", NAME)
    world.audit("b")
    world.repair_all()
    assert world.repair_of("b").state is RepairState.DONE


def test_what_was_decided_about_a_rebuilt_file_in_an_earlier_version_holds(
    database: Database, tmp_path: Path
) -> None:
    def upgrade() -> None:
        with database.transaction() as connection:
            connection.execute(sa.text("ALTER TABLE storage_event DISABLE TRIGGER USER"))
            connection.execute(sa.text("DELETE FROM storage_event WHERE kind = 'content-confirmed'"))
            connection.execute(sa.text("ALTER TABLE storage_event ENABLE TRIGGER USER"))
            with Operations.context(MigrationContext.configure(connection)):
                for _ in range(2):
                    import_module("armarium.db.migrations.versions.0023_decided_files").upgrade()

    world = World(database, tmp_path / "home", folders=2, repair_approvals=2)
    file = world.store(NAME, origin=Origin.REBUILD)
    world.path("sums", NAME).unlink()
    world.flip("b", NAME)
    world.audit("b")
    world.repair_all()
    number = world.repair_of("b").id
    world.repairs.decide(world.person("ada"), number, file.sha256, "a is right")
    upgrade()
    assert world.events("content-confirmed") == []  # one person has not spoken yet
    world.repairs.approve(world.person("bob"), number)
    upgrade()
    assert world.events("content-confirmed") == [{"repair": number, "sha256": file.sha256}]


def test_a_copy_damaged_twice_leaves_both_bad_ones_aside(world: World) -> None:
    world.store(NAME)
    bad = []
    for bit in (1, 2, 1):
        bad.append(world.flip("b", NAME, bit))
        world.audit("b")
        world.repair_all()
        assert world.repair_of("b").state is RepairState.DONE
    assert {path.read_bytes() for path in world.asides("b")} == set(bad)
    assert (
        len({one.aside for one in world.found_repairs()}) == 2
    )  # the third is the first again, byte for byte


def test_a_repair_that_is_not_automatic_waits_for_approval(database: Database, tmp_path: Path) -> None:
    world = World(database, tmp_path / "home", automatic_repairs=False)
    _, bad = damaged(world)
    world.repair_all()
    repair = world.repair_of("b")
    assert repair.state is RepairState.PROPOSED
    assert repair.ballot is not None
    assert repair.ballot.verdict.outcome is Outcome.CLEAR
    assert world.content("b", NAME) == bad
    assert "A repair waits for approval" in notified(world)
    world.repairs.approve(Actor("root", Via.COMMAND), repair.id)
    world.repair_all()
    assert world.repair_of("b").state is RepairState.DONE


def test_two_people_must_approve_and_never_the_same_one_twice(database: Database, tmp_path: Path) -> None:
    world = World(database, tmp_path / "home", automatic_repairs=False, repair_approvals=2)
    damaged(world)
    world.repair_all()
    number = world.repair_of("b").id
    ada, bob = world.person("ada"), world.person("bob")
    with pytest.raises(Refused):
        world.repairs.approve(Actor("root", Via.COMMAND), number)
    with pytest.raises(Refused, match="again since you opened it"):
        world.repairs.approve(ada, number, world.repair_of("b").proposed_at)
    assert world.repairs.approve(ada, number).state is RepairState.PROPOSED
    with pytest.raises(Refused, match="already"):
        world.repairs.approve(ada, number)
    world.repair_all()
    assert world.repairs.get(number).state is RepairState.PROPOSED
    assert world.repairs.approve(bob, number).state is RepairState.APPROVED
    world.repair_all()
    done = world.repairs.get(number)
    assert done.state is RepairState.DONE
    assert [one.name for one in done.approvals] == ["ada", "bob"]


def test_a_decision_needs_a_second_person_where_two_must_approve(database: Database, tmp_path: Path) -> None:
    world = World(database, tmp_path / "home", folders=2, repair_approvals=2)
    file = world.store(NAME)
    world.path("sums", NAME).unlink()
    bad = world.flip("b", NAME)
    world.overwrite("a", NAME, bad)
    world.audit("b")
    world.repair_all()
    number, sha256 = world.repair_of("b").id, hashlib.sha256(bad).hexdigest()
    ada, bob = world.person("ada"), world.person("bob")
    world.repairs.decide(ada, number, sha256, "the register was wrong")
    world.repair_all()
    assert world.repairs.get(number).state is RepairState.PROPOSED
    assert world.files.get(file.id).sha256 == file.sha256
    world.repairs.approve(bob, number)
    world.repair_all()
    assert world.files.get(file.id).sha256 == sha256


def test_a_refused_repair_leaves_the_copy_and_says_why(database: Database, tmp_path: Path) -> None:
    world = World(database, tmp_path / "home", automatic_repairs=False)
    file, bad = damaged(world)
    world.repair_all()
    number = world.repair_of("b").id
    world.repairs.refuse(world.person("ada"), number, "kept as evidence")
    world.repair_all()
    assert world.repairs.get(number).state is RepairState.REFUSED
    assert world.content("b", NAME) == bad
    assert world.state("b", file) == CopyState.CORRUPT
    assert world.events("repair-refused")[0]["reason"] == "kept as evidence"


def test_repairs_whose_task_is_gone_get_another(world: World) -> None:
    damaged(world)
    assert world.repairs.sweep() == 0
    with world.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    assert world.repairs.sweep() == 1


def test_the_register_is_only_changed_by_a_decision(world: World) -> None:
    file, _ = damaged(world)
    world.repair_all()
    with world.database.transaction() as connection:
        assert files_queries.one(connection, file.id) == file
        assert connection.scalar(sa.select(stored_file.c.sha256)) == file.sha256
