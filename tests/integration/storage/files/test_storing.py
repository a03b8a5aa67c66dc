"""Files find their way into every replica, whatever is away, damaged or brought twice."""

from dataclasses import replace

import pytest

from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.registering import STORE
from armarium.storage.files.service import OtherContent
from armarium.storage.model import CopyState, FileState, Origin, ReplicaState
from armarium.tasks.failure import TaskFailed, TaskStopped
from tests.integration.storage.files.world import World
from tests.site import wait_until

CONTENT = b"WARC/1.1 bytes " * 1000
NAME = "a-1.warc.gz"


def test_a_file_is_stored_when_every_replica_has_read_it_back(world: World) -> None:
    file = world.register(NAME, CONTENT)
    assert file.state is FileState.STORING
    assert set(world.states(file).values()) == {CopyState.WAITING}
    assert world.deferred(STORE) == [{"file": file.id}]

    assert world.files.store(file.id) is FileState.STORED

    stored = world.files.get(file.id)
    assert stored.stored_at is not None
    assert len(stored.blake3) == 64
    assert set(world.states(file).values()) == {CopyState.ACCEPTED}
    assert world.checks(file) == ["ok", "ok", "ok"]
    assert {world.sum_on_disk(name, NAME) for name in ("a", "b", "sums")} == {file.sha256}
    assert world.successor.told == [("stored", NAME)]


def test_storing_again_changes_nothing(world: World) -> None:
    file = world.store(NAME, CONTENT)
    before = world.path("a", NAME).stat()

    assert world.files.store(file.id) is FileState.STORED

    assert world.path("a", NAME).stat().st_ino == before.st_ino
    assert world.successor.told == [("stored", NAME)]
    assert world.checks(file) == ["ok", "ok", "ok"]


def test_the_same_file_again_is_the_one_that_is_there(world: World) -> None:
    file = world.store(NAME, CONTENT)

    assert world.register(NAME, CONTENT) == file


def test_another_file_of_the_same_name_is_refused_and_written_down(world: World) -> None:
    file = world.store(NAME, CONTENT)

    with pytest.raises(OtherContent, match="another file named"):
        world.register(NAME, b"something else")

    assert world.files.get(file.id) == file
    assert world.events("refused")[0]["size"] == len(b"something else")
    assert world.sum_on_disk("a", NAME) == file.sha256


def test_of_two_in_one_transaction_the_second_is_refused_too(world: World) -> None:
    one, other = world.seal(NAME, CONTENT), world.seal(NAME, b"other")

    def register_both() -> None:
        with world.database.transaction() as connection:
            world.files.register(connection, one, origin=Origin.COLLECTOR)
            world.files.register(connection, other, origin=Origin.COLLECTOR)

    with pytest.raises(OtherContent):
        register_both()

    assert Catalogue(world.database).figures().files == 0
    assert len(world.events("refused")) == 1


def test_what_is_no_name_is_refused(world: World) -> None:
    sealed = world.seal("x", CONTENT)
    for name in ("../x", "", ".hidden", "a/b", "ä"):
        bad = replace(sealed, name=name)
        with pytest.raises(Refused), world.database.transaction() as connection:
            world.files.register(connection, bad, origin=Origin.COLLECTOR)


def test_a_replica_that_is_away_keeps_the_others_from_nothing(world: World) -> None:
    world.unmount("b")
    file = world.register(NAME, CONTENT)

    with pytest.raises(TaskFailed, match="not yet in every replica") as failed:
        world.files.store(file.id)

    assert not failed.value.permanent
    assert world.states(file) == {"a": "accepted", "b": "failed", "sums": "accepted"}
    assert world.files.get(file.id).state is FileState.STORING
    assert world.trouble(file) == "Waits for b"
    assert world.replicas.details(world.replicas.named("b").id).away_since is not None
    assert world.successor.told == []

    world.mount("b")
    assert world.files.store(file.id) is FileState.STORED
    assert world.trouble(file) == ""


def test_a_source_that_changed_is_not_stored(world: World) -> None:
    file = world.register(NAME, CONTENT)
    (world.arrivals / NAME).write_bytes(b"x" * len(CONTENT))

    with pytest.raises(TaskFailed, match="is not the file that was registered"):
        world.files.store(file.id)

    assert not world.path("a", NAME).exists()
    (world.arrivals / NAME).write_bytes(CONTENT)
    assert world.files.store(file.id) is FileState.STORED


def test_a_source_that_is_lost_is_taken_from_a_replica_that_has_the_file(world: World) -> None:
    world.unmount("b")
    file = world.register(NAME, CONTENT)
    with pytest.raises(TaskFailed):
        world.files.store(file.id)
    world.mount("b")
    (world.arrivals / NAME).unlink()

    assert world.files.store(file.id) is FileState.STORED
    assert world.sum_on_disk("b", NAME) == file.sha256
    assert list((world.home / "fetched").iterdir()) == []


def test_a_source_that_changed_is_taken_from_a_replica_too(world: World) -> None:
    world.unmount("b")
    file = world.register(NAME, CONTENT)
    with pytest.raises(TaskFailed):
        world.files.store(file.id)
    world.mount("b")
    (world.arrivals / NAME).write_bytes(b"rotten")

    assert world.files.store(file.id) is FileState.STORED


def test_a_file_lost_before_it_was_stored_can_be_brought_again(world: World) -> None:
    file = world.register(NAME, CONTENT)
    (world.arrivals / NAME).unlink()
    with pytest.raises(TaskFailed, match="Look for it at its source"):
        world.files.store(file.id)

    assert world.register(NAME, CONTENT).id == file.id
    assert world.files.store(file.id) is FileState.STORED


def test_what_lies_under_the_name_already_is_left_alone(world: World) -> None:
    file = world.register(NAME, CONTENT)
    path = world.path("a", NAME)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"of an earlier archive")

    for _ in range(2):
        with pytest.raises(TaskFailed, match="another file under the name"):
            world.files.store(file.id)

    assert path.read_bytes() == b"of an earlier archive"
    assert world.states(file) == {"a": "failed", "b": "accepted", "sums": "accepted"}
    assert len(world.events("refused")) == 1


def test_a_copy_that_turns_bad_before_it_is_read_back_is_moved_aside(world: World) -> None:
    file = world.register(NAME, CONTENT)

    def damage(replica: str, step: str) -> None:
        if (replica, step) == ("a", "after put"):
            world.flip("a", NAME)

    world.replicas.hook = damage
    with pytest.raises(TaskFailed, match="did not match"):
        world.files.store(file.id)
    assert world.states(file)["a"] == "failed"
    assert len(list((world.home / "a" / "aside").iterdir())) == 1
    assert world.checks(file).count("corrupt") == 1

    world.replicas.hook = lambda *_: None
    assert world.files.store(file.id) is FileState.STORED
    assert len(list((world.home / "a" / "aside").iterdir())) == 1


def test_a_worker_that_ends_leaves_the_copy_to_the_next(world: World) -> None:
    file = world.register(NAME, CONTENT)

    with pytest.raises(TaskStopped):
        world.files.store(file.id, stopping=lambda: True)

    assert world.files.store(file.id) is FileState.STORED


def test_who_was_overtaken_changes_nothing_any_more(world: World) -> None:
    file = world.register(NAME, CONTENT)

    def overtake(replica: str, step: str) -> None:
        world.replicas.hook = lambda *_: None
        # Again, until the other replica is not held by the one that is overtaken any more.
        wait_until(lambda: world.files.store(file.id) is FileState.STORED)

    world.replicas.hook = overtake
    assert world.files.store(file.id) is FileState.STORED
    assert world.successor.told == [("stored", NAME)]
    assert set(world.states(file).values()) == {CopyState.ACCEPTED}
    assert world.checks(file) == ["ok", "ok", "ok"]


def test_a_withdrawn_file_is_stored_all_the_same_and_the_next_room_told_in_order(world: World) -> None:
    file = world.register(NAME, CONTENT)
    world.files.withdraw(SYSTEM, file.id, "a court said so")
    assert world.successor.told == []

    assert world.files.store(file.id) is FileState.WITHDRAWN
    assert world.successor.told == [("stored", NAME), ("withdrawn", NAME)]

    assert world.files.restore(SYSTEM, file.id, "the court thought again").state is FileState.STORED
    assert world.successor.told[2:] == [("restored", NAME)]


def test_a_file_restored_before_it_was_stored_goes_on(world: World) -> None:
    file = world.register(NAME, CONTENT)
    world.files.withdraw(SYSTEM, file.id, "a mistake")
    assert world.files.restore(SYSTEM, file.id, "undone").state is FileState.STORING

    assert world.files.store(file.id) is FileState.STORED
    assert world.successor.told == [("stored", NAME)]


def test_withdrawing_wants_a_reason_and_is_in_the_history(world: World) -> None:
    file = world.store(NAME, CONTENT)
    with pytest.raises(Refused):
        world.files.withdraw(SYSTEM, file.id, " ")

    world.files.withdraw(SYSTEM, file.id, "a court said so")

    assert world.files.stored_after(0, 10) == []
    assert list(world.files.places()) == []
    assert world.events("withdrawn") == [{"reason": "a court said so"}]


def test_no_file_waits_for_a_replica_that_takes_none(world: World) -> None:
    world.replicas.set_state(SYSTEM, world.replicas.named("b").id, ReplicaState.READ_ONLY, "full")

    file = world.store(NAME, CONTENT)

    assert file.state is FileState.STORED
    assert world.states(file) == {"a": "accepted", "sums": "accepted"}
