"""Audits by checksum: real files are harmed, and every harm is found."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.storage.audits import runner
from armarium.storage.audits.pages import shown
from armarium.storage.backends.place import Sums
from armarium.storage.model import (
    AuditKind,
    CheckOutcome,
    CopyState,
    RepairState,
    ReplicaState,
    RunState,
)
from armarium.storage.replicas.model import Setup
from armarium.storage.tables import file_check, file_copy
from armarium.tasks.failure import TaskFailed, TaskStopped
from tests.integration.storage.audits.world import MARKER, World

NAMES = ("one.warc.gz", "two.warc.gz", "three.warc.gz")


def test_an_audit_of_a_replica_that_is_well_checks_every_file_once(world: World) -> None:
    files = [world.store(name) for name in NAMES]
    before = [len(world.checks(file)) for file in files]
    run = world.audit("a")
    assert (run.state, run.files, run.ok, run.damages) == (RunState.FINISHED, 3, 3, 0)
    assert run.bytes == run.bytes_total == sum(file.size for file in files)
    assert [len(world.checks(file)) for file in files] == [count + 1 for count in before]
    assert world.found_repairs() == []


@pytest.mark.parametrize("algorithm", ["sha256", "blake3"])
def test_a_flipped_bit_a_cut_a_removal_and_a_swap_are_all_found(world: World, algorithm: str) -> None:
    object.__setattr__(world.settings, "audit_algorithm", algorithm)
    names = ("flipped", "cut", "gone", "left", "right", "well")
    flipped, cut, gone, left, right, well = (world.store(f"{name}.warc.gz") for name in names)
    world.flip("b", flipped.name)
    world.overwrite("b", cut.name, world.content("b", cut.name)[:-1])
    world.path("b", gone.name).unlink()
    one, other = world.content("b", left.name), world.content("b", right.name)
    world.overwrite("b", left.name, other)
    world.overwrite("b", right.name, one)
    run = world.audit("b")
    assert (run.ok, run.missing, run.corrupt) == (1, 1, 4)
    assert world.state("b", gone) == CopyState.MISSING
    assert {world.state("b", file) for file in (flipped, cut, left, right)} == {CopyState.CORRUPT}
    assert world.state("b", well) == CopyState.ACCEPTED
    assert {world.state("a", file) for file in (flipped, cut, gone)} == {CopyState.ACCEPTED}
    assert {one.file_name for one in world.found_repairs()} == {
        file.name for file in (flipped, cut, gone, left, right)
    }


def test_an_altered_note_of_a_checksum_replica_is_found(world: World) -> None:
    file = world.store("one.warc.gz")
    world.flip("sums", file.name)
    run = world.audit("sums")
    assert run.corrupt == 1
    assert world.state("sums", file) == CopyState.CORRUPT


def test_an_unmounted_replica_judges_nothing_and_is_audited_when_it_is_back(world: World) -> None:
    files = [world.store(name) for name in NAMES]
    checks = [world.checks(file) for file in files]
    world.unmount("b")
    number = world.audits.start(SYSTEM, world.replica("b").id, AuditKind.CHECKSUM)
    with pytest.raises(TaskFailed, match=MARKER):
        world.audits.carry_on(number)
    run = world.audits.get(number)
    assert run.state is RunState.WAITING
    assert MARKER in run.error
    assert str(shown(run)["state"]) == "no answer"
    assert [world.checks(file) for file in files] == checks
    assert world.replicas.details(run.replica).away_since is not None
    world.mount("b")
    assert world.audits.carry_on(number) is RunState.FINISHED
    assert world.audits.get(number).ok == 3


def test_a_disk_that_goes_away_in_the_middle_stops_the_audit_and_no_copy_is_called_missing(
    world: World,
) -> None:
    files = [world.store(name) for name in NAMES]
    calls = iter(range(100))

    def unmount_after_one() -> bool:
        if next(calls) == 1:
            world.unmount("b")
        return False

    number = world.audits.start(SYSTEM, world.replica("b").id, AuditKind.CHECKSUM)
    with pytest.raises(TaskFailed):
        world.audits.carry_on(number, unmount_after_one)
    assert {world.state("b", file) for file in files} == {CopyState.ACCEPTED}
    assert world.audits.get(number).ok >= 1


def test_an_audit_that_was_interrupted_goes_on_and_reads_nothing_twice(world: World) -> None:
    files = [world.store(f"{number}.warc.gz") for number in range(4)]
    before = {file.id: len(world.checks(file)) for file in files}

    def stop_at(count: int) -> Iterator[bool]:
        yield from [False] * count
        while True:
            yield True

    answers = stop_at(3)
    number = world.audits.start(SYSTEM, world.replica("a").id, AuditKind.CHECKSUM)
    with pytest.raises(TaskStopped):
        world.audits.carry_on(number, lambda: next(answers))
    assert 0 < world.audits.get(number).files < 4
    assert world.audits.carry_on(number) is RunState.FINISHED
    run = world.audits.get(number)
    assert (run.files, run.ok) == (4, 4)
    assert all(len(world.checks(file)) == before[file.id] + 1 for file in files)


def test_the_copy_whose_last_check_is_the_longest_ago_is_read_first(world: World) -> None:
    old, never, new = (world.store(f"{name}.warc.gz") for name in ("old", "never", "new"))
    with world.database.transaction() as connection:
        for file, days in ((old, 100), (new, 1)):
            at = clock.now() - timedelta(days=days)
            connection.execute(sa.update(file_copy).where(file_copy.c.file == file.id).values(checked_at=at))
        connection.execute(sa.update(file_copy).where(file_copy.c.file == never.id).values(checked_at=None))
    read: list[str] = []
    place = world.replicas.place(world.replica("a"))
    original = place.sums

    def noted(name: str, **more: Any) -> Sums:
        read.append(name)
        return original(name, **more)

    object.__setattr__(place, "sums", noted)
    world.audit("a")
    assert read == [never.name, old.name, new.name]


def test_only_copies_are_read_whose_last_check_is_older_than_asked_for(world: World) -> None:
    old, _new = world.store("old.warc.gz"), world.store("new.warc.gz")
    with world.database.transaction() as connection:
        at = clock.now() - timedelta(days=100)
        connection.execute(sa.update(file_copy).where(file_copy.c.file == old.id).values(checked_at=at))
    moment = clock.now() - timedelta(days=90)
    number = world.audits.start(SYSTEM, world.replica("a").id, AuditKind.CHECKSUM, moment)
    world.audits.carry_on(number)
    run = world.audits.get(number)
    assert (run.files_total, run.files) == (1, 1)


def test_an_audit_keeps_to_the_byte_rate_of_its_replica(world: World) -> None:
    world.store("large.warc.gz", b"x" * 200_000)
    world.store("other.warc.gz", b"y" * 200_000)
    replica = world.replica("a").id
    world.replicas.change(SYSTEM, replica, Setup(audit_rate_bytes=1_000_000))
    began = time.monotonic()
    run = world.audit("a")
    assert run.ok == 2
    assert time.monotonic() - began >= 0.2  # the first piece goes at once, the second waits for its turn


def test_a_cancelled_audit_stops_and_keeps_what_it_found(world: World) -> None:
    files = [world.store(name) for name in NAMES]
    world.flip("a", files[0].name)
    number = world.audits.start(SYSTEM, world.replica("a").id, AuditKind.CHECKSUM)
    world.audits.cancel(world.person("ada"), number)
    assert world.audits.carry_on(number) is RunState.CANCELLED
    with pytest.raises(Refused):
        world.audits.cancel(SYSTEM, number)
    again = world.audits.start(SYSTEM, world.replica("a").id, AuditKind.CHECKSUM)
    calls = iter(range(100))

    def cancel_after_one() -> bool:
        if next(calls) == 1:
            world.audits.cancel(SYSTEM, again)
        return False

    # The run looks every other second whether it was cancelled, and at its end.
    assert world.audits.carry_on(again, cancel_after_one) is RunState.CANCELLED
    assert world.audits.get(again).corrupt == 1


def test_two_audits_of_one_kind_in_one_replica_are_refused(world: World) -> None:
    world.audits.start(SYSTEM, world.replica("a").id, AuditKind.CHECKSUM)
    with pytest.raises(Refused):
        world.audits.start(SYSTEM, world.replica("a").id, AuditKind.CHECKSUM)
    world.audits.start(SYSTEM, world.replica("a").id, AuditKind.PRESENCE)


def test_a_copy_that_could_not_be_read_is_looked_at_alone(world: World) -> None:
    file = world.store("one.warc.gz")
    world.flip("a", file.name)
    world.audits.check_one(file.id, world.replica("a").id)
    assert world.state("a", file) == CopyState.CORRUPT
    assert world.repair_of("a").state is RepairState.PROPOSED


def test_audits_that_are_due_are_started_once(world: World) -> None:
    world.store("one.warc.gz")
    now = clock.now()
    assert len(world.audits.due(now)) == 4  # every replica is listed, none has to be read yet
    assert world.audits.due(now) == []
    later = now + timedelta(days=91)
    assert len(world.audits.due(later)) == 4  # the listings wait still; now all have to be read
    kinds = {run.kind for run in world.audits.at_work()}
    assert kinds == {AuditKind.PRESENCE, AuditKind.CHECKSUM}


def test_a_run_whose_task_is_gone_gets_another(world: World) -> None:
    number = world.audits.start(SYSTEM, world.replica("a").id, AuditKind.CHECKSUM)
    with world.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    world.audits.due()
    with world.database.transaction() as connection:
        waiting = world.tasks.states_by_argument(connection, "storage.audit", "run", [number])
    assert number in waiting


def test_a_finding_of_bytes_that_were_changed_meanwhile_is_void(world: World) -> None:
    file = world.store("one.warc.gz")
    world.flip("a", file.name)
    place = world.replicas.place(world.replica("a"))
    original = place.sums

    def repaired_meanwhile(name: str, **more: Any) -> Sums:
        found = original(name, **more)
        with world.database.transaction() as connection:
            connection.execute(sa.update(file_copy).values(changed_at=clock.now()))
        return found

    object.__setattr__(place, "sums", repaired_meanwhile)
    run = world.audit("a")
    assert (run.files, run.ok, run.corrupt) == (1, 0, 0)
    assert world.state("a", file) == CopyState.ACCEPTED


def test_every_check_stays_in_the_history_of_its_file(world: World) -> None:
    file = world.store("one.warc.gz")
    run = world.audit("a")
    world.flip("a", file.name)
    world.audit("a")
    asked = sa.select(file_check.c.outcome, file_check.c.audit).where(file_check.c.file == file.id)
    with world.database.transaction() as connection:
        outcomes = connection.execute(asked.order_by(file_check.c.id)).all()
    assert outcomes[-2:] == [(CheckOutcome.OK, run.id), (CheckOutcome.CORRUPT, run.id + 1)]


def test_a_disk_of_which_nothing_can_be_read_is_a_matter_for_a_person(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "IN_A_ROW", 3)
    files = [world.store(f"{one}.warc.gz") for one in range(4)]
    for file in files:
        world.path("a", file.name).unlink()
        world.path("a", file.name).mkdir()  # what can be opened and not be read

    run = world.audit("a")

    assert (run.state, run.corrupt) == (RunState.FAILED, 0)
    assert "3 copies in a row" in run.error
    assert {world.state("a", file) for file in files} == {"accepted"}
    assert world.found_repairs() == []


def test_some_copies_that_cannot_be_read_among_others_are_damaged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "IN_A_ROW", 3)
    files = [world.store(f"{one}.warc.gz") for one in range(4)]
    for file in (files[0], files[1], files[3]):
        world.path("a", file.name).unlink()
        world.path("a", file.name).mkdir()

    run = world.audit("a")

    assert (run.state, run.corrupt, run.ok) == (RunState.FINISHED, 3, 1)


def test_a_replica_that_is_taken_back_is_listed(world: World) -> None:
    replica = world.replica("b")
    world.replicas.change(SYSTEM, replica.id, Setup(audit_days=0))
    world.audits.due()
    world.replicas.set_state(SYSTEM, replica.id, ReplicaState.RETIRED, "moved")
    world.replicas.set_state(SYSTEM, replica.id, ReplicaState.ACTIVE, "is back")

    [number] = [one for one in world.audits.due() if world.audits.get(one).replica == replica.id]

    assert world.audits.get(number).kind is AuditKind.PRESENCE
    assert world.audits.due() == []
