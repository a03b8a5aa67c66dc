"""Replicas are added, changed and retired without ever leaving a file behind."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.accounts.vault import Vault, VaultSettings
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.db.database import Database
from armarium.storage.backends.place import Away
from armarium.storage.model import CopyState, Replica, ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas import queries, service
from armarium.storage.replicas.model import Setup
from armarium.storage.replicas.opened import OpenedPlaces
from armarium.storage.replicas.service import Replicas, ensure
from armarium.storage.tables import file_copy, replica
from tests.integration.storage.files.world import World

CONTENT = b"some bytes " * 100
NAME = "a-1.warc.gz"


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path)


def number(world: World, name: str) -> int:
    return world.replicas.named(name).id


# Those that come with Armarium


def test_two_folders_come_with_a_new_archive_and_are_claimed_when_first_opened(
    database: Database, tmp_path: Path
) -> None:
    with database.transaction() as connection:
        connection.execute(sa.delete(replica))
        ensure(connection)
        ensure(connection)
    replicas = Replicas(database, Vault(VaultSettings(), tmp_path), tmp_path)

    assert [(one.name, one.role) for one in replicas.active()] == [("one", "primary"), ("two", "copy")]
    assert [one.name for one in replicas.watch()] == ["one", "two"]
    assert (tmp_path / "replicas/one/armarium-replica.json").is_file()
    assert replicas.details(replicas.named("one").id).free_bytes > 0


def test_a_folder_that_was_claimed_once_is_not_claimed_again(database: Database, tmp_path: Path) -> None:
    with database.transaction() as connection:
        ensure(connection)
    home = tmp_path / "home"
    Replicas(database, Vault(VaultSettings(), home), home).watch()
    (home / "replicas/one/armarium-replica.json").unlink()

    again = Replicas(database, Vault(VaultSettings(), home), home)
    assert [one.name for one in again.watch()] == ["two"]
    with pytest.raises(Away):
        again.place(again.named("one")).check()


def test_a_folder_that_could_not_be_claimed_is_claimed_later(database: Database, tmp_path: Path) -> None:
    with database.transaction() as connection:
        ensure(connection)
    replicas = Replicas(database, Vault(VaultSettings(), tmp_path), tmp_path)
    (tmp_path / "replicas").write_text("in the way")
    assert replicas.watch() == []
    (tmp_path / "replicas").unlink()

    assert len(replicas.watch()) == 2


# Adding


def test_every_file_waits_for_a_new_replica(world: World) -> None:
    file = world.store(NAME, CONTENT)

    added = world.add("late")

    assert world.states(file)["late"] is CopyState.WAITING
    assert (world.home / "late/armarium-replica.json").is_file()
    assert [one.name for one in world.replicas.active()] == ["a", "b", "late", "sums"]
    assert world.replicas.get(added.id) == added
    assert world.replicas.contents()[added.id].unfinished.files == 1


@pytest.mark.parametrize("place", ["a/incoming", "a", "", "arrivals", "arrivals/1/new", "index", "fetched"])
def test_no_replica_lies_in_or_around_another_or_among_what_is_ours(world: World, place: str) -> None:
    setup = Setup(ReplicaRole.COPY, str(world.home / place), {}, {})
    with pytest.raises(Refused) as refusal:
        world.replicas.add(SYSTEM, "new", ReplicaKind.FOLDER, setup)

    assert refusal.value.field == "location"
    assert not list((world.home / place).glob("armarium-replica.json")) or place == "a"


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ("s3://files/a", "s3://files/a/b", True),
        ("s3://files", "s3://files/a", True),
        ("s3://files/a", "s3://files/ab", False),
        ("s3://files/a", "s3://other/a", False),
    ],
)
def test_prefixes_of_one_bucket_may_not_hold_each_other(
    world: World, one: str, other: str, overlap: bool
) -> None:
    opened = OpenedPlaces(world.database, Vault(VaultSettings(), world.home), world.home)
    kind, role = ReplicaKind.S3, ReplicaRole.COPY
    places = [Replica(0, "x", kind, role, ReplicaState.ACTIVE, where) for where in (one, other)]

    assert opened.overlap(*places) is opened.overlap(*reversed(places)) is overlap


def test_files_of_a_large_archive_come_to_a_new_replica_range_by_range(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "RANGE", 1)
    files = [world.store(f"a-{one}.warc.gz", CONTENT) for one in range(3)]

    world.add("late")
    assert ["late" in world.states(file) for file in files] == [True, False, False]
    between = world.register("b.warc.gz", CONTENT)
    world.files.sweep()

    assert {world.states(file)["late"] for file in (*files, between)} == {CopyState.WAITING}


def test_what_cannot_be_a_replica_is_refused(world: World, tmp_path: Path) -> None:
    good = Setup(ReplicaRole.COPY, str(tmp_path / "c"))

    def refused(field: str, name: str = "c", kind: ReplicaKind = ReplicaKind.FOLDER, **other: Any) -> None:
        with pytest.raises(Refused) as problem:
            world.replicas.add(SYSTEM, name, kind, replace(good, **other))
        assert problem.value.field == field
        assert not (tmp_path / "c").exists()

    refused("name", name="C D")
    refused("name", name="a")
    refused("role", role=ReplicaRole.WITNESS)
    refused("role", kind=ReplicaKind.CHECKSUM)
    refused("location", location="../elsewhere")
    refused("location", location=str(tmp_path / "a"))
    refused("location", location=str(tmp_path / "b" / ".." / "a"))
    refused("rate_bytes", rate_bytes=-1)
    refused("audit_days", audit_days=10**6)


def test_a_folder_of_another_archive_is_not_taken(world: World, tmp_path: Path) -> None:
    world.register("f.warc.gz", b"it is no empty database")
    (tmp_path / "c").mkdir()
    (tmp_path / "c/armarium-replica.json").write_text('{"archive": "another", "replica": "c"}')

    with pytest.raises(Refused, match="another"):
        world.add("c")
    assert [one.name for one in world.replicas.all()] == ["a", "b", "sums"]


def test_secrets_are_locked_and_only_opened_for_the_place(world: World) -> None:
    a = number(world, "a")
    world.replicas.change(SYSTEM, a, Setup(secrets={"access_key": "who", "secret_key": "hunter2"}))

    with world.database.transaction() as connection:
        kept = queries.secrets(connection, a)
    assert kept is not None
    assert b"hunter2" not in kept
    assert world.replicas.details(a).has_secrets
    world.replicas.place(world.replicas.get(a)).check()


def test_secrets_that_cannot_be_opened_make_the_replica_away_and_stop_nobody(world: World) -> None:
    a = number(world, "a")
    world.replicas.change(SYSTEM, a, Setup(secrets={"access_key": "who", "secret_key": "hunter2"}))
    with world.database.transaction() as connection:
        connection.execute(sa.update(replica).where(replica.c.id == a).values(secrets=b"x" * 60))
    fresh = World.__dict__["replicas"].func(world)

    assert [one.name for one in fresh.watch()] == ["b", "sums"]
    assert "another key" in fresh.details(a).trouble


# Changing


def test_a_replica_that_was_moved_is_found_at_its_new_place(world: World) -> None:
    file = world.store(NAME, CONTENT)
    (world.home / "a").rename(world.home / "moved")

    with pytest.raises(Refused, match="nothing was changed"):
        world.replicas.change(SYSTEM, number(world, "a"), Setup(location=str(world.home / "elsewhere")))
    with pytest.raises(Refused, match="Replica b is already there"):
        world.replicas.change(SYSTEM, number(world, "a"), Setup(location=str(world.home / "b")))
    world.replicas.change(SYSTEM, number(world, "a"), Setup(location=str(world.home / "moved")))

    place = world.replicas.place(world.replicas.named("a"))
    assert place.sums(NAME).sha256 == file.sha256


def test_two_who_change_the_same_replica_notice_each_other(world: World) -> None:
    a = number(world, "a")
    seen = world.replicas.details(a).edition
    world.replicas.change(SYSTEM, a, Setup(rate_bytes=1_000_000), seen=seen)

    with pytest.raises(Refused, match="Somebody else"):
        world.replicas.change(SYSTEM, a, Setup(audit_days=5), seen=seen)
    assert world.replicas.place(world.replicas.get(a)).replica.rate_bytes == 1_000_000


# Retiring


def test_the_replica_with_the_only_good_copy_is_not_retired(world: World) -> None:
    world.store(NAME, CONTENT)
    with world.database.transaction() as connection:
        b = file_copy.c.replica == number(world, "b")
        connection.execute(sa.update(file_copy).where(b).values(state="corrupt"))

    with pytest.raises(Refused, match=NAME):
        world.replicas.set_state(SYSTEM, number(world, "a"), ReplicaState.RETIRED, "old")
    world.replicas.set_state(SYSTEM, number(world, "b"), ReplicaState.RETIRED, "broken")

    assert [one.name for one in world.replicas.in_use()] == ["a", "sums"]


def test_the_last_replica_that_takes_files_is_not_retired(world: World) -> None:
    world.replicas.set_state(SYSTEM, number(world, "b"), ReplicaState.READ_ONLY, "full")

    for state in (ReplicaState.READ_ONLY, ReplicaState.RETIRED):
        with pytest.raises(Refused, match="only replica"):
            world.replicas.set_state(SYSTEM, number(world, "a"), state, "tired")


def test_a_retired_replica_is_not_read_and_waits_for_all_files_when_it_is_back(world: World) -> None:
    b = number(world, "b")
    world.replicas.set_state(SYSTEM, b, ReplicaState.RETIRED, "old")
    file = world.store(NAME, CONTENT)
    assert "b" not in world.states(file)

    world.unmount("b")
    with pytest.raises(Refused, match="does not answer"):
        world.replicas.set_state(SYSTEM, b, ReplicaState.ACTIVE, "new disk")
    world.mount("b")
    world.replicas.set_state(SYSTEM, b, ReplicaState.ACTIVE, "new disk")

    assert world.states(file)["b"] is CopyState.WAITING


# Watching


def test_an_outage_is_noted_once_and_told_when_it_lasts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.unmount("b")
    begin = clock.now()
    for minute in (0, 1, 9, 11, 12, 200):
        monkeypatch.setattr(clock, "now", lambda minute=minute: begin + timedelta(minutes=minute))
        world.replicas.watch()

    b = world.replicas.details(number(world, "b"))
    assert b.away_since == begin
    assert "armarium-replica.json" in b.trouble
    assert len(world.events("away")) == 1
    assert len(world.events("away-long")) == 1
    assert len(world.deferred("notify.send")) > 0

    world.mount("b")
    world.replicas.watch()
    b = world.replicas.details(number(world, "b"))
    assert (b.away_since, b.trouble) == (None, "")
    assert world.events("back") == [{"seconds": 200 * 60}]


def test_what_is_not_there_is_said_so(world: World) -> None:
    with pytest.raises(NotFound):
        world.replicas.get(4711)
    with pytest.raises(NotFound):
        world.replicas.named("nobody")
