"""An archive with three folders and a witness, some files in it, and ways to do it harm."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.accounts.model import Profile
from armarium.accounts.service import Accounts
from armarium.accounts.settings import AccountSettings
from armarium.accounts.vault import Vault, VaultSettings
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.core.storing import SealedFile, StoredFile
from armarium.db.database import Database
from armarium.notify import tasks as notify_tasks
from armarium.notify.service import Notifier
from armarium.notify.settings import NotifySettings
from armarium.storage.audits import service as audits_tasks
from armarium.storage.audits.model import Run
from armarium.storage.audits.service import Audits
from armarium.storage.backends.place import hashed_path
from armarium.storage.files import service as files_tasks
from armarium.storage.files.service import Files
from armarium.storage.model import AuditKind, File, Origin, Replica, ReplicaKind, ReplicaRole
from armarium.storage.repairs import service as repairs_tasks
from armarium.storage.repairs.model import Repair, RepairFilter
from armarium.storage.repairs.service import Repairs
from armarium.storage.replicas.model import Setup
from armarium.storage.replicas.service import Replicas
from armarium.storage.settings import StorageSettings
from armarium.storage.tables import file_check, file_copy, replica, storage_event
from armarium.tasks.context import never
from armarium.tasks.failure import TaskFailed
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.service import Tasks

KINDS = TaskKinds([*notify_tasks.TASKS, *files_tasks.TASKS, *audits_tasks.TASKS, *repairs_tasks.TASKS])
MARKER = "armarium-replica.json"


class Successors:
    """Remembers who was to be indexed again."""

    def __init__(self) -> None:
        self.again: list[str] = []

    def stored(self, connection: Connection, file: StoredFile) -> None: ...

    def withdrawn(self, connection: Connection, file: StoredFile) -> None: ...

    def restored(self, connection: Connection, file: StoredFile) -> None:
        self.again.append(file.sha256)

    def source_lost(self, connection: Connection, name: str, sha256: str) -> bool:
        return True

    def lost(self, connection: Connection, name: str, sha256: str) -> None: ...


class World:
    def __init__(self, database: Database, home: Path, *, folders: int = 3, **settings: Any) -> None:
        self.database = database
        self.home = home
        self.settings = StorageSettings(**settings)
        self.successor = Successors()
        if not folders:
            return  # a second process in a world that is there
        (home / "sources").mkdir(parents=True)
        with database.transaction() as connection:
            connection.execute(sa.delete(replica))  # those that came with Armarium
        for number in range(folders):
            role = ReplicaRole.COPY if number else ReplicaRole.PRIMARY
            self._add("abcdefgh"[number], ReplicaKind.FOLDER, role)
        self._add("sums", ReplicaKind.CHECKSUM, ReplicaRole.WITNESS)

    def _add(self, name: str, kind: ReplicaKind, role: ReplicaRole) -> None:
        self.replicas.add(SYSTEM, name, kind, Setup(role, str(self.home / name)))

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self.database, KINDS)

    @cached_property
    def notifier(self) -> Notifier:
        return Notifier(self.tasks, NotifySettings())

    @cached_property
    def replicas(self) -> Replicas:
        return Replicas(self.database, Vault(VaultSettings(), self.home), self.home, self.notifier)

    @cached_property
    def files(self) -> Files:
        return Files(self.database, self.replicas, self.tasks, self.notifier, self.successor)

    @cached_property
    def audits(self) -> Audits:
        return Audits(self.database, self.replicas, self.tasks, self.settings, self.notifier)

    @cached_property
    def repairs(self) -> Repairs:
        return Repairs(self.database, self.replicas, self.successor, self.tasks, self.settings, self.notifier)

    # Files

    def store(self, name: str, content: bytes = b"", origin: Origin = Origin.IMPORT) -> File:
        bytes_ = content or (name.encode() * 50)
        path = self.home / "sources" / name
        path.write_bytes(bytes_)
        sealed = SealedFile(name, "data", len(bytes_), hashlib.sha256(bytes_).hexdigest(), path)
        with self.database.transaction() as connection:
            file = self.files.register(connection, sealed, origin=origin)
        self.files.store(file.id)
        return self.files.get(file.id)

    def replica(self, name: str) -> Replica:
        return self.replicas.named(name)

    def path(self, replica: str, name: str) -> Path:
        if replica == "sums":
            return self.home / replica / "sums" / f"{hashed_path(name)}.json"
        return self.home / replica / "files" / hashed_path(name)

    def content(self, replica: str, name: str) -> bytes:
        return self.path(replica, name).read_bytes()

    def asides(self, replica: str) -> list[Path]:
        return sorted((self.home / replica / "aside").glob("*"))

    # Harm

    def overwrite(self, replica: str, name: str, content: bytes) -> None:
        path = self.path(replica, name)
        path.chmod(0o644)
        path.write_bytes(content)

    def flip(self, replica: str, name: str, bit: int = 1) -> bytes:
        """One bit, as a failing disk does; what lies there now."""
        content = bytearray(self.content(replica, name))
        content[len(content) // 2] ^= bit
        self.overwrite(replica, name, bytes(content))
        return bytes(content)

    def unmount(self, replica: str) -> None:
        """What an empty mount point looks like."""
        (self.home / replica).rename(self.home / f"{replica} on the shelf")
        (self.home / replica).mkdir()

    def mount(self, replica: str) -> None:
        (self.home / replica).rmdir()
        (self.home / f"{replica} on the shelf").rename(self.home / replica)

    # Audits and repairs

    def audit(
        self, replica: str, kind: AuditKind = AuditKind.CHECKSUM, stopping: Callable[[], bool] = never
    ) -> Run:
        number = self.audits.start(SYSTEM, self.replica(replica).id, kind)
        self.audits.carry_on(number, stopping)
        return self.audits.get(number)

    def repair_all(self) -> None:
        """What the workers would do, until nothing goes on by itself."""
        for repair in reversed(self.found_repairs()):
            if repair.open:
                with suppress(TaskFailed):
                    self.repairs.carry_out(repair.id)

    def found_repairs(self) -> list[Repair]:
        return self.repairs.page(RepairFilter(), limit=1000)[0]

    def repair_of(self, replica: str) -> Repair:
        return next(one for one in self.found_repairs() if one.replica_name == replica)

    def state(self, replica: str, file: File) -> str:
        return str(self.copy(replica, file).state)

    def copy(self, replica: str, file: File) -> Any:
        asked = sa.select(file_copy).where(file_copy.c.file == file.id)
        with self.database.transaction() as connection:
            return connection.execute(asked.where(file_copy.c.replica == self.replica(replica).id)).one()

    def checks(self, file: File) -> list[tuple[str, str]]:
        """Outcomes after storing, the oldest first."""
        asked = sa.select(file_check.c.kind, file_check.c.outcome).where(file_check.c.file == file.id)
        with self.database.transaction() as connection:
            return [(row.kind, row.outcome) for row in connection.execute(asked.order_by(file_check.c.id))]

    def events(self, kind: str) -> list[dict[str, Any]]:
        asked = sa.select(storage_event.c.details).where(storage_event.c.kind == kind)
        with self.database.transaction() as connection:
            return list(connection.scalars(asked.order_by(storage_event.c.id)))

    def person(self, name: str) -> Actor:
        accounts = Accounts(self.database, AccountSettings())
        number = accounts.create(SYSTEM, Profile(name, name.title(), "", "", frozenset())).id
        return Actor(name, Via.PAGE, account=number)
