"""An archive with two folders, a bucket and a witness; its scheduler and workers are processes."""

import hashlib
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from armarium.core.actor import SYSTEM
from armarium.core.storing import SealedFile
from armarium.db.database import Database
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from armarium.storage.model import AuditKind, Origin, ReplicaKind, ReplicaRole
from armarium.storage.replicas.model import Setup
from tests import forked
from tests.acceptance.storage.shelves import BucketShelf, FolderShelf, Shelf
from tests.acceptance.storage.small_disk import SmallDisk
from tests.s3 import BUCKET, S3Server

REPLICAS = ("one", "two", "far", "sums")
HOLDERS = ("one", "two", "far")  # keep bytes
WORKERS = 2
PREFIX = "copies"
IMPATIENT = {
    "ARMARIUM_LOGS_FORMAT": "json",
    "ARMARIUM_TASKS_HEARTBEAT_SECONDS": "0.5",
    "ARMARIUM_TASKS_STALLED_AFTER_SECONDS": "3",
    "ARMARIUM_TASKS_LOST_LIMIT": "100",  # here workers die all the time
    "ARMARIUM_TASKS_CONCURRENCY": "6",
    "ARMARIUM_PROCESSES_HEARTBEAT_SECONDS": "0.5",
}


#: An hour passes for whoever waits for the next attempt.
SOONER = (
    "UPDATE procrastinate_jobs SET scheduled_at = now()"
    " WHERE status = 'todo' AND scheduled_at > now() RETURNING id",
    "UPDATE file_copy SET changed_at = changed_at - interval '1 hour' WHERE state = 'failed' RETURNING file",
)


@dataclass
class Archive:
    folder: Path
    database_url: str
    s3: S3Server
    disk: SmallDisk | None
    crew: dict[str, forked.Popen] = field(default_factory=dict)
    hired: int = 0

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    @property
    def environment(self) -> Mapping[str, str]:
        own = {"ARMARIUM_HOME": str(self.home), "ARMARIUM_DATABASE_URL": self.database_url}
        return {**IMPATIENT, **own}

    @cached_property
    def house(self) -> House:
        """Armarium in this process, for what people and other rooms do."""
        settings = load(SECTIONS, home=self.home, environ=dict(self.environment))
        return House(settings, Database(self.database_url, application="test"))

    def furnish(self) -> None:
        """The two folders come with Armarium; the second one lies on the small disk, if there is one."""
        (self.home / "replicas").mkdir(parents=True)
        (self.home / "arrivals").mkdir()
        if self.disk:
            (self.home / "replicas" / "two").symlink_to(self.disk.folder)
        add, options = self.house.storage.replicas.add, {**self.s3.options, "timeout": "2"}
        address = f"s3://{BUCKET}/{PREFIX}"
        add(SYSTEM, "far", ReplicaKind.S3, Setup(ReplicaRole.COPY, address, options, self.s3.secrets))
        witness = str(self.folder / "witness")
        add(SYSTEM, "sums", ReplicaKind.CHECKSUM, Setup(ReplicaRole.WITNESS, witness))

    @cached_property
    def shelves(self) -> dict[str, Shelf]:
        return {
            "one": FolderShelf(self.home / "replicas" / "one"),
            "two": FolderShelf(self.home / "replicas" / "two"),
            "far": BucketShelf(self.s3.store(PREFIX)),
            "sums": FolderShelf(self.folder / "witness"),
        }

    # Processes

    def start(self, kind: str) -> None:
        """The scheduler stands first, and then the workers as they were hired."""
        self.hired += 1
        name = f"{kind}-{self.hired}"
        with (self.folder / "log").open("ab") as log:
            started = forked.start(
                "armarium",
                kind,
                "--name",
                name,
                folder=self.folder,
                environment={**os.environ, **self.environment},
                out=log,
                err=log,
            )
        own = {name: started}
        self.crew = {**own, **self.crew} if kind == "scheduler" else {**self.crew, **own}

    def start_all(self) -> None:
        self.start("scheduler")
        for _ in range(WORKERS):
            self.start("worker")

    def kill(self, *names: str) -> None:
        """As the power goes off for them."""
        for name in names:
            self.crew[name].kill()
        for name in names:
            self.crew.pop(name).wait()

    def freeze(self) -> None:
        """Let nobody do anything until they are thawed."""
        for process in self.crew.values():
            process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        for process in self.crew.values():
            process.send_signal(signal.SIGCONT)

    def ended(self) -> list[str]:
        """Those that ended by themselves, which none should."""
        return [name for name, process in self.crew.items() if process.poll() is not None]

    def end(self) -> None:
        self.kill(*self.crew)
        if "house" in vars(self):
            self.house.close()
            self.house.database.close()

    # What others do

    def take_in(self, files: Mapping[str, bytes]) -> None:
        """As files arrive from collectors."""
        for name, content in files.items():
            path = self.home / "arrivals" / name
            path.write_bytes(content)
            sealed = SealedFile(name, "data", len(content), hashlib.sha256(content).hexdigest(), path)
            with self.house.database.transaction() as connection:
                self.house.storage.files.register(connection, sealed, origin=Origin.COLLECTOR)

    def begin_audits(self) -> None:
        audits = self.house.storage.audits
        for replica in REPLICAS:
            number = self.house.storage.replicas.named(replica).id
            for kind in AuditKind:
                audits.start(SYSTEM, number, kind)

    def hurry(self, *kinds: str, retries: bool = True) -> None:
        """Let time pass: these kinds of task run now, and so does what waits for its next attempt."""
        if retries:
            for query in SOONER:
                self.ask(query)
        with self.house.database.transaction() as connection:
            for kind in kinds:
                self.house.tasks.defer(connection, kind, {}, queueing_lock=f"hurry:{kind}")

    # What is known

    def ask(self, query: str, *values: object) -> list[dict[str, Any]]:
        with psycopg.connect(self.database_url, row_factory=dict_row, connect_timeout=5) as connection:
            return connection.execute(query, values or None).fetchall()

    def number(self, query: str, *values: object) -> int:
        """The only figure of the only row."""
        (row,) = self.ask(query, *values)
        (figure,) = row.values()
        return int(figure)


@contextmanager
def archive(folder: Path, database_url: str, s3: S3Server, disk: SmallDisk | None) -> Iterator[Archive]:
    made = Archive(folder, database_url, s3, disk)
    try:
        made.furnish()
        yield made
    finally:
        made.end()
