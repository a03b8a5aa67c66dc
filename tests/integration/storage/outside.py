"""An archive with all that intake, rebuild and batches need, and small W/ARC files from outside."""

import gzip
from datetime import timedelta
from functools import cached_property
from pathlib import Path

import sqlalchemy as sa

from armarium.core import clock
from armarium.storage.batches import service as batches_tasks
from armarium.storage.batches.service import Batches
from armarium.storage.intake import watching as intake_tasks
from armarium.storage.intake.service import Intake
from armarium.storage.intake.watching import Watching
from armarium.storage.model import File
from armarium.storage.rebuild.service import Rebuild
from armarium.storage.repairs import service as repairs_tasks
from armarium.storage.repairs.model import Repair
from armarium.storage.repairs.model import RepairFilter as RepairsWanted
from armarium.storage.repairs.service import Repairs
from armarium.storage.settings import StorageSettings
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.service import Tasks
from tests.integration.storage.files.world import KINDS, World

ALL_KINDS = TaskKinds([*KINDS, *batches_tasks.TASKS, *intake_tasks.TASKS, *repairs_tasks.TASKS])


class Outside(World):
    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self.database, ALL_KINDS)

    @cached_property
    def intake(self) -> Intake:
        return Intake(self.database, self.files, self.home)

    @cached_property
    def rebuild(self) -> Rebuild:
        return Rebuild(self.database, self.replicas, self.successor)

    @cached_property
    def repairs(self) -> Repairs:
        settings = StorageSettings()
        return Repairs(self.database, self.replicas, self.successor, self.tasks, settings, self.notifier)

    def found_repairs(self, file: File) -> list[Repair]:
        return self.repairs.page(RepairsWanted(file=file.id), limit=100)[0]

    def carry_out_repairs(self) -> None:
        """What the workers would do, until nothing goes on by itself."""
        for _ in range(2):
            for one in self.repairs.page(RepairsWanted(), limit=100)[0]:
                if one.open:
                    self.repairs.carry_out(one.id)

    def watching(self, *folders: Path, later: timedelta = timedelta(minutes=2)) -> Watching:
        """Folders are looked into so much later than now."""
        chosen = StorageSettings(watch=folders, watch_quiet_seconds=60)
        return Watching(self.database, self.intake, chosen, lambda: clock.now() + later)

    def batches(self, folder: Path | None = None) -> Batches:
        return Batches(self.database, self.reader, self.tasks, StorageSettings(batch_folder=folder))

    @property
    def outside(self) -> Path:
        folder = self.home / "outside"
        folder.mkdir(exist_ok=True)
        return folder

    def put(self, name: str, content: bytes) -> Path:
        """A file that somebody brings."""
        path = self.outside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path


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


def record(kind: str, block: bytes, *further: str, number: int = 1) -> bytes:
    lines = (
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>",
        "WARC-Date: 2026-01-02T03:04:05Z",
        *further,
        f"Content-Length: {len(block)}",
    )
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + block + b"\r\n\r\n"


def warcinfo(**fields: str) -> bytes:
    block = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()
    return record("warcinfo", block, "Content-Type: application/warc-fields")


def capture(url: str, body: bytes, *, media_type: str = "text/html", number: int = 2) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode()
    target = f"WARC-Target-URI: {url}"
    http = "Content-Type: application/http; msgtype=response"
    return record("response", head + body, target, http, number=number)


def warc(body: bytes = b"hello", **fields: str) -> bytes:
    """A small WARC file, gzipped record by record."""
    info = warcinfo(**(fields or {"software": "somebody/1"}))
    return gzip.compress(info, mtime=0) + gzip.compress(capture("http://a.example/", body), mtime=0)
