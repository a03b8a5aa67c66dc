"""The life of files, lived in many orders, beside a model that knows what is right and who did harm."""

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.core.storing import SealedFile
from armarium.db.database import Database
from armarium.storage.files.copies import NoGoodCopy
from armarium.storage.files.service import OtherContent
from armarium.storage.model import (
    UNFINISHED,
    CopyState,
    File,
    FileState,
    Origin,
    ReplicaKind,
    ReplicaRole,
    ReplicaState,
)
from armarium.tasks.failure import TaskFailed
from tests.integration.storage.files.world import World, nothing

EXAMPLES = 5
STEPS = 25
names = st.sampled_from(["f-1.warc", "f-2.warc"])
contents = st.sampled_from([b"A" * 4000, b"B" * 4000, b"C" * 5000])
replicas = st.sampled_from(["a", "b", "sums", "late", "late-sums"])
harms = st.sampled_from(["flip", "truncate", "remove"])
steps = st.sampled_from(["before put", "after put", "before sums", "after sums"])


class Killed(Exception):  # noqa: N818
    """Stands for the end of the process: nobody catches it."""


class StoreLife(RuleBasedStateMachine):
    database: Database  # set by the test: one for all runs, emptied before each
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        empty(self.database)
        self.world = World(self.database, Path(tempfile.mkdtemp(dir=self.folder)))
        self.right: dict[str, bytes] = {}  # what was registered first under a name
        self.numbers: dict[str, int] = {}
        self.stored: set[str] = set()
        self.away: set[str] = set()
        self.damaged: set[tuple[str, str]] = set()  # by us, and not mended since
        self.too_late: set[tuple[str, str]] = set()  # of those, when they had been accepted already
        self.touched: set[tuple[str, str]] = set()  # ever damaged
        self.seen: set[tuple[str, str]] = set()  # copies that were right on the disk

    # What people and processes do

    @initialize()
    def begin_with_two_files(self) -> None:
        self.register("f-1.warc", b"A" * 4000)
        self.register("f-2.warc", b"B" * 4000)

    @rule(name=names, content=contents)
    def register(self, name: str, content: bytes) -> None:
        digest = sha256(content).hexdigest()
        path = self.world.arrivals / f"{name}.{digest[:8]}"
        path.write_bytes(content)
        sealed = SealedFile(name, "data", len(content), digest, path)
        try:
            with self.database.transaction() as connection:
                file = self.world.files.register(connection, sealed, origin=Origin.COLLECTOR)
        except OtherContent:
            assert self.right[name] != content
        else:
            assert self.right.setdefault(name, content) == content
            assert self.numbers.setdefault(name, file.id) == file.id

    @rule(data=st.data())
    def store(self, data: st.DataObject) -> None:
        self.go_on_with(data.draw(self.known_names))

    @rule(data=st.data(), step=steps, then_harm=st.booleans())
    def store_and_be_killed(self, data: st.DataObject, step: str, then_harm: bool) -> None:
        name, replica = self.unfinished(), data.draw(st.sampled_from(self.places()))
        self.world.replicas.hook = at(replica, step, self.kill)
        with suppress(Killed):
            self.go_on_with(name)
        self.world.replicas.hook = nothing
        if then_harm:
            self.harm(name, replica, "flip")

    @rule(replica=replicas, step=steps)
    def store_while_a_replica_goes_away(self, replica: str, step: str) -> None:
        self.world.replicas.hook = at(replica, step, lambda: self.unmount(replica))
        self.go_on_with(self.unfinished())
        self.world.replicas.hook = nothing

    @rule(replica=replicas, how=harms)
    def store_while_a_copy_turns_bad(self, replica: str, how: str) -> None:
        name = self.unfinished()
        self.world.replicas.hook = at(replica, "after put", lambda: self.harm(name, replica, how))
        self.go_on_with(name)
        self.world.replicas.hook = nothing

    @rule()
    def sweep_and_work(self) -> None:
        self.world.files.sweep()
        for name in sorted(self.numbers):
            self.go_on_with(name)

    @rule(data=st.data())
    def withdraw_or_restore(self, data: st.DataObject) -> None:
        number = self.numbers[data.draw(self.known_names)]
        is_withdrawn = self.world.files.get(number).state is FileState.WITHDRAWN
        verb = self.world.files.restore if is_withdrawn else self.world.files.withdraw
        verb(SYSTEM, number, "because")

    @rule(data=st.data())
    def clean(self, data: st.DataObject) -> None:
        self.world.take_over(self.file(data.draw(self.known_names)))
        self.world.files.clean()

    @precondition(lambda self: "late" not in self.places())
    @rule()
    def add_a_replica(self) -> None:
        self.world.add("late")

    @precondition(lambda self: "late-sums" not in self.places())
    @rule()
    def add_a_witness(self) -> None:
        self.world.add("late-sums", ReplicaKind.CHECKSUM, ReplicaRole.WITNESS)

    @rule(replica=replicas, state=st.sampled_from(list(ReplicaState)))
    def change_state(self, replica: str, state: ReplicaState) -> None:
        if replica in self.places():
            with suppress(Refused):
                number = self.world.replicas.named(replica).id
                self.world.replicas.set_state(SYSTEM, number, state, "because")

    # What happens to disks

    @rule(replica=replicas)
    def unmount(self, replica: str) -> None:
        if replica in self.places() and replica not in self.away:
            self.world.unmount(replica)
            self.away.add(replica)

    @precondition(lambda self: self.away)
    @rule()
    def mount_all(self) -> None:
        for replica in sorted(self.away):
            self.world.mount(replica)
        self.away.clear()

    @precondition(lambda self: self.seen)
    @rule(data=st.data(), how=harms)
    def damage(self, data: st.DataObject, how: str) -> None:
        replica, name = data.draw(st.sampled_from(sorted(self.seen)))
        self.harm(name, replica, how)

    def harm(self, name: str, replica: str, how: str) -> None:
        if replica not in self.places() or not self.world.path(replica, name).exists():
            return
        path = self.world.path(replica, name)
        if how == "remove":
            path.unlink()
        elif path.suffix == ".json":
            lie = {**json.loads(path.read_bytes()), "sha256": "0" * 64}
            self.world.overwrite(replica, name, json.dumps(lie).encode())
        elif how == "flip":
            self.world.flip(replica, name)
        else:
            self.world.overwrite(replica, name, path.read_bytes()[:-1])
        self.damaged.add((replica, name))
        self.touched.add((replica, name))
        if self.world.states(self.file(name))[replica] is CopyState.ACCEPTED:
            self.too_late.add((replica, name))

    # What is read

    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        name = data.draw(self.known_names)
        target = self.world.home / "fetched-here"
        try:
            self.world.reader.fetch(name, target)
        except (NoGoodCopy, NotFound):
            assert not self.good_copies(name), "there was a good one"
        else:
            assert target.read_bytes() == self.right[name]
            target.unlink()
        with suppress(NoGoodCopy, NotFound):
            assert b"".join(self.world.reader.pieces(name)) == self.right[name]

    # What must hold at any time

    @invariant()
    def the_register_is_true(self) -> None:
        for name in self.numbers:
            file = self.file(name)
            states = self.world.states(file)
            assert file.sha256 == sha256(self.right[name]).hexdigest()
            self.is_stored_only_if_all_agree(file, states)
            for replica, state in states.items():
                if state is CopyState.ACCEPTED and (replica, name) not in self.too_late:
                    assert self.world.sum_on_disk(replica, name) == file.sha256

    @invariant()
    def nothing_right_is_changed_or_deleted(self) -> None:
        for replica in self.places():
            for name, content in self.right.items():
                key = (replica, name)
                is_right = self.world.sum_on_disk(replica, name) == sha256(content).hexdigest()
                assert is_right or key in self.damaged or key not in self.seen
                if is_right:
                    self.seen.add(key)
                    self.damaged.discard(key)
                    self.too_late.discard(key)

    def is_stored_only_if_all_agree(self, file: File, states: dict[str, CopyState]) -> None:
        if file.stored_at is not None and file.name not in self.stored:
            active = [replica.name for replica in self.world.replicas.active()]
            assert all(states.get(replica) is CopyState.ACCEPTED for replica in active)
            self.stored.add(file.name)
        assert (file.stored_at is not None) == (file.name in self.stored)
        assert file.state is not FileState.STORED or file.name in self.stored
        assert self.world.successor.told.count(("stored", file.name)) == (file.name in self.stored)

    def teardown(self) -> None:
        """Whatever happened: when all are back, and nobody did harm, the end is the same."""
        self.mount_all()
        self.sweep_and_work()
        self.sweep_and_work()
        self.the_register_is_true()
        self.nothing_right_is_changed_or_deleted()
        for name in self.numbers:
            file = self.file(name)
            states = self.world.states(file)
            active = {replica.name for replica in self.world.replicas.active()}
            spared = active - {replica for replica, harmed in self.touched if harmed == name}
            if Path(file.source).is_file() or self.good_copies(name):
                assert {states[replica] for replica in spared} <= {CopyState.ACCEPTED}, states
            assert name in self.stored or spared != active

    @property
    def known_names(self) -> st.SearchStrategy[str]:
        return st.sampled_from(sorted(self.numbers))

    def unfinished(self) -> str:
        """A file that still has to go somewhere: a new one, if all are stored."""
        for name in sorted(self.numbers):
            if not UNFINISHED.isdisjoint(self.world.states(self.file(name)).values()):
                return name
        fresh = f"f-{len(self.numbers) + 1}.warc"
        self.register(fresh, fresh.encode() * 500)
        return fresh

    def go_on_with(self, name: str) -> None:
        with suppress(TaskFailed, NoGoodCopy):
            self.world.files.store(self.numbers[name])

    def kill(self) -> None:
        raise Killed

    def file(self, name: str) -> File:
        return self.world.files.get(self.numbers[name])

    def places(self) -> list[str]:
        return [replica.name for replica in self.world.replicas.all()]

    def good_copies(self, name: str) -> list[str]:
        return [
            copy.replica.name
            for copy in self.world.files.copies.readable(self.file(name))
            if copy.replica.name not in self.away and (copy.replica.name, name) not in self.damaged
        ]


def at(replica: str, step: str, act: Callable[[], None]) -> Callable[[str, str], None]:
    def hook(here: str, now: str) -> None:
        if (here, now) == (replica, step):
            act()

    return hook


def empty(database: Database) -> None:
    """Forget all that the run before did, also what is never forgotten."""
    with database.transaction() as connection:
        for table in ("file_check", "storage_event"):
            connection.execute(sa.text(f"ALTER TABLE {table} DISABLE TRIGGER {table}_is_final"))
        for table in (
            *("file_check", "storage_event", "file_copy", "withdrawal_note", "stored_file", "replica"),
        ):
            connection.execute(sa.text(f"DELETE FROM {table}"))
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))


@pytest.mark.timeout(3600)  # for as many as somebody asks for
def test_files_live_as_the_model_says(
    database: Database, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    StoreLife.database, StoreLife.folder = database, tmp_path
    examples = request.config.getoption("--kills") or EXAMPLES
    chosen = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],  # to make an example smaller takes minutes: each step asks disks
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(StoreLife, settings=chosen)
