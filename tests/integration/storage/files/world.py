"""An archive with two folders and a witness; places that can fail at any call, and ways to do harm."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.accounts.vault import Vault, VaultSettings
from armarium.core.actor import SYSTEM
from armarium.core.storing import SealedFile, StoredFile
from armarium.db.database import Database
from armarium.notify import tasks as notify_tasks
from armarium.notify.service import Notifier
from armarium.notify.settings import NotifySettings
from armarium.storage.backends.place import Facts, Held, Place, Stopping, Sums, hashed_path
from armarium.storage.files import service as files_tasks
from armarium.storage.files.copies import CHECK
from armarium.storage.files.reading import Reader
from armarium.storage.files.service import Files
from armarium.storage.model import CopyState, File, Origin, Replica, ReplicaKind, ReplicaRole
from armarium.storage.replicas.model import Setup
from armarium.storage.replicas.service import Replicas
from armarium.storage.tables import file_check, replica, storage_event, stored_file
from armarium.tasks.context import TaskContext, never
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.model import TaskKind, Wanted
from armarium.tasks.service import Tasks

Hook = Callable[[str, str], None]  # is told of replica and step, before and after each call
SHELF = " on the shelf"


def check(_context: TaskContext, file: int, replica: int) -> None:
    """Stands for the audits' task, which these tests only see deferred."""


KINDS = TaskKinds([*notify_tasks.TASKS, *files_tasks.TASKS, TaskKind(CHECK, check)])


def nothing(_replica: str, _step: str) -> None: ...


class HookedPlace:
    """A real place that tells before and after each call that moves bytes."""

    def __init__(self, place: Place, hook: Hook) -> None:
        self._place = place
        self._hook = hook

    def __getattr__(self, name: str) -> Any:
        return getattr(self._place, name)

    def put(self, file: Facts, source: Path, *, stopping: Stopping = never) -> None:
        self._hook(self._place.replica.name, "before put")
        self._place.put(file, source, stopping=stopping)
        self._hook(self._place.replica.name, "after put")

    def sums(self, name: str, *, algorithms: Sequence[str] = ("sha256",), stopping: Stopping = never) -> Sums:
        self._hook(self._place.replica.name, "before sums")
        sums = self._place.sums(name, algorithms=algorithms, stopping=stopping)
        self._hook(self._place.replica.name, "after sums")
        return sums


class HookedReplicas(Replicas):
    hook: Hook = staticmethod(nothing)

    def place(self, replica: Replica) -> Place:
        return HookedPlace(super().place(replica), self.tell)

    def tell(self, replica: str, step: str) -> None:
        self.hook(replica, step)


class Successors:
    """Remembers what the next room was told, in order; forgets what was rolled back only if asked to."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def stored(self, _connection: Connection, file: StoredFile) -> None:
        self.told.append(("stored", file.name))

    def withdrawn(self, _connection: Connection, file: StoredFile) -> None:
        self.told.append(("withdrawn", file.name))

    def restored(self, _connection: Connection, file: StoredFile) -> None:
        self.told.append(("restored", file.name))

    def source_lost(self, _connection: Connection, name: str, sha256: str) -> bool:
        self.told.append(("source lost", name))
        return True

    def lost(self, _connection: Connection, name: str, sha256: str) -> None:
        self.told.append(("lost", name))


class World:
    def __init__(self, database: Database, home: Path) -> None:
        self.database = database
        self.home = home
        self.successor = Successors()
        self.arrivals.mkdir(parents=True)
        with database.transaction() as connection:
            connection.execute(sa.delete(replica))  # those that came with Armarium
        self.add("a", role=ReplicaRole.PRIMARY)
        self.add("b")
        self.add("sums", ReplicaKind.CHECKSUM, ReplicaRole.WITNESS)

    def add(
        self, name: str, kind: ReplicaKind = ReplicaKind.FOLDER, role: ReplicaRole = ReplicaRole.COPY
    ) -> Replica:
        return self.replicas.add(SYSTEM, name, kind, Setup(role, str(self.home / name)))

    @property
    def arrivals(self) -> Path:
        return self.home / "arrivals" / "1"

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self.database, KINDS)

    @cached_property
    def notifier(self) -> Notifier:
        return Notifier(self.tasks, NotifySettings())

    @cached_property
    def replicas(self) -> HookedReplicas:
        return HookedReplicas(self.database, Vault(VaultSettings(), self.home), self.home, self.notifier)

    @cached_property
    def files(self) -> Files:
        return Files(self.database, self.replicas, self.tasks, self.notifier, self.successor)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.files, self.replicas)

    # Files

    def seal(self, name: str, content: bytes, **more: Any) -> SealedFile:
        path = self.arrivals / name
        path.write_bytes(content)
        return SealedFile(name, "data", len(content), hashlib.sha256(content).hexdigest(), path, **more)

    def register(self, name: str, content: bytes, **more: Any) -> File:
        sealed = self.seal(name, content, **more)
        with self.database.transaction() as connection:
            return self.files.register(connection, sealed, origin=Origin.COLLECTOR)

    def store(self, name: str, content: bytes, **more: Any) -> File:
        file = self.register(name, content, **more)
        self.files.store(file.id)
        return self.files.get(file.id)

    def take_over(self, file: File) -> None:
        with self.database.transaction() as connection:
            self.files.taken_over(connection, file.id)

    def states(self, file: File) -> dict[str, CopyState]:
        return {copy.replica.name: copy.state for copy in self.files.copies_of(file.id)}

    # What lies on the disks, also on those that are not mounted

    def disk(self, replica: str) -> Path:
        shelf = self.home / (replica + SHELF)
        return shelf if shelf.exists() else self.home / replica

    def path(self, replica: str, name: str) -> Path:
        if (self.disk(replica) / "sums").is_dir():
            return self.disk(replica) / "sums" / f"{hashed_path(name)}.json"
        return self.disk(replica) / "files" / hashed_path(name)

    def sum_on_disk(self, replica: str, name: str) -> str:
        """Of what lies there, or is noted there; empty where nothing is."""
        path = self.path(replica, name)
        if not path.exists():
            return ""
        if path.suffix == ".json":
            return str(json.loads(path.read_bytes())["sha256"])
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def unmount(self, replica: str) -> None:
        """What an empty mount point looks like."""
        (self.home / replica).rename(self.home / (replica + SHELF))
        (self.home / replica).mkdir()

    def mount(self, replica: str) -> None:
        (self.home / replica).rmdir()
        (self.home / (replica + SHELF)).rename(self.home / replica)

    def overwrite(self, replica: str, name: str, content: bytes) -> None:
        path = self.path(replica, name)
        path.chmod(0o644)
        path.write_bytes(content)

    def flip(self, replica: str, name: str) -> None:
        content = bytearray(self.path(replica, name).read_bytes())
        content[len(content) // 2] ^= 1
        self.overwrite(replica, name, bytes(content))

    # What was written down

    def events(self, kind: str) -> list[dict[str, Any]]:
        asked = sa.select(storage_event.c.details).where(storage_event.c.kind == kind)
        with self.database.transaction() as connection:
            return list(connection.scalars(asked.order_by(storage_event.c.id)))

    def checks(self, file: File) -> list[str]:
        asked = sa.select(file_check.c.outcome).where(file_check.c.file == file.id).order_by(file_check.c.id)
        with self.database.transaction() as connection:
            return list(connection.scalars(asked))

    def trouble(self, file: File) -> str:
        return self.files.details(file.id).trouble

    def deferred(self, name: str) -> list[dict[str, object]]:
        found, _ = self.tasks.page(Wanted(name=name), limit=100)
        return [dict(task.arguments) for task in found]

    def set_file(self, file: File, **values: object) -> None:
        with self.database.transaction() as connection:
            connection.execute(sa.update(stored_file).where(stored_file.c.id == file.id).values(**values))


def read_all(opened: BinaryIO) -> bytes:
    with opened:
        return opened.read()


def listed(replicas: Replicas, name: str) -> Iterator[Held]:
    return replicas.place(replicas.named(name)).names()
