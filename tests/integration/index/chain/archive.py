"""A small archive for the chain to index: real W/ARC files in a folder, a real register, and nothing else."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.storing import Places, StoredFile
from armarium.db.database import Database
from armarium.formats.cdx.index import index
from armarium.formats.warc.new_record import identical_revisit, request, response, warcinfo
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.writer import WarcWriter
from armarium.index.chain.service import Chain
from armarium.index.chain.tasks import TASKS
from armarium.index.settings import IndexSettings
from armarium.notify.service import Notifier
from armarium.notify.settings import NotifySettings
from armarium.notify.tasks import TASKS as NOTIFY_TASKS
from armarium.storage.tables import stored_file
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.service import Tasks

FIRST_DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
KINDS = TaskKinds([*TASKS, *NOTIFY_TASKS])


class FolderArchive:
    """What storage is to the index: files below a folder that the register knows."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.folder = folder
        self.opened: list[str] = []

    def open(self, name: str) -> BinaryIO:
        self.opened.append(name)
        return (self.folder / name).open("rb")

    def stored_after(self, file_id: int, most: int) -> list[StoredFile]:
        columns = stored_file.c
        found = sa.select(stored_file).where(columns.state == "stored", columns.id > file_id)
        with self.database.transaction() as connection:
            rows = connection.execute(found.order_by(columns.id).limit(most)).all()
        return [self._file(row) for row in rows]

    def places(self) -> Iterator[Places]:
        for name in sorted(file.name for file in self.stored_after(0, 1000)):
            yield Places(name, (str(self.folder / name),))

    def harvest_name(self, _connection: Connection, number: int) -> str:
        return f"Harvest {number}"

    def taken_over(self, connection: Connection, file_id: int) -> None:
        taken = sa.update(stored_file).where(stored_file.c.id == file_id)
        connection.execute(taken.values(taken_over_at=FIRST_DAY))

    def register(self, name: str, *, day: int = 0, harvest: int | None = None, job: int | None = None) -> int:
        """Put a file of the folder into the register."""
        data = (self.folder / name).read_bytes()
        row = {
            "name": name,
            "kind": "data",
            "size": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "state": "stored",
            "harvest": harvest,
            "job": job,
            "registered_at": FIRST_DAY,
            "stored_at": FIRST_DAY + timedelta(days=day),
        }
        with self.database.transaction() as connection:
            added = sa.insert(stored_file).values(row).returning(stored_file.c.id)
            return int(connection.scalar(added) or 0)

    def set_state(self, file_id: int, state: str) -> None:
        with self.database.transaction() as connection:
            connection.execute(sa.update(stored_file).where(stored_file.c.id == file_id).values(state=state))

    def change_content(self, file_id: int) -> None:
        """As if people had decided that the bytes in the folder now are the right ones."""
        with self.database.transaction() as connection:
            here = stored_file.c.id == file_id
            name = connection.scalar(sa.select(stored_file.c.name).where(here))
            data = (self.folder / str(name)).read_bytes()
            facts = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            connection.execute(sa.update(stored_file).where(here).values(facts))

    def get(self, file_id: int) -> StoredFile:
        with self.database.transaction() as connection:
            row = connection.execute(sa.select(stored_file).where(stored_file.c.id == file_id)).one()
        return self._file(row)

    def _file(self, row: sa.Row[tuple[object, ...]]) -> StoredFile:
        known = row._mapping
        names = ("id", "name", "kind", "size", "sha256", "stored_at", "job", "harvest", "accession")
        companion = self.folder / f"{known['name']}.cdxj"
        facts = {name: known[name] for name in names}
        return StoredFile(**facts, companion=companion if companion.exists() else None)


def chain_of(database: Database, folder: Path, **chosen: object) -> tuple[Chain, FolderArchive]:
    """A chain whose files are in `folder/files`."""
    archive = FolderArchive(database, folder / "files")
    archive.folder.mkdir(exist_ok=True)
    tasks = Tasks(database, KINDS)
    settings = IndexSettings.model_validate(chosen)
    chain = Chain(database, archive, settings, folder, tasks, Notifier(tasks, NotifySettings()))
    return chain, archive


def write_warc(path: Path, pages: Sequence[str], *, at: datetime = FIRST_DAY, text: str = "") -> None:
    """A WARC of these addresses; `text` makes the content another one."""
    name = path.name
    with path.open("wb") as file:
        writer = WarcWriter(file)
        writer.write(warcinfo(at, [("software", "test")], filename=name, record_id=_id(name, 0)))
        for number, url in enumerate(pages, 1):
            when = at + timedelta(seconds=number)
            block = HEAD + body_of(url, text)
            writer.write(response(url, when, block, record_id=_id(name, 2 * number)))
            asked = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"
            writer.write(request(url, when, asked, record_id=_id(name, 2 * number + 1)))


def write_revisits(path: Path, pages: Sequence[str], *, at: datetime, digests: Sequence[str]) -> None:
    with path.open("wb") as file:
        writer = WarcWriter(file)
        for number, (url, digest) in enumerate(zip(pages, digests, strict=True)):
            when = at + timedelta(seconds=number)
            writer.write(identical_revisit(url, when, HEAD, digest, record_id=_id(path.name, number)))


def write_companion(path: Path) -> Path:
    companion = path.with_name(f"{path.name}.cdxj")
    companion.write_bytes(b"".join(line + b"\n" for line in lines_of(path)))
    return companion


def lines_of(path: Path) -> list[bytes]:
    """What the indexer makes of a file, sorted."""
    with path.open("rb") as file:
        return sorted(line.to_cdxj() for line in index(ArchiveReader(file), path.name))


def body_of(url: str, text: str = "") -> bytes:
    return f"<p>{url} {text}</p>".encode()


def addresses(file: int, count: int) -> list[str]:
    return [f"http://www.site-{number % 5}.example/page-{file}-{number}" for number in range(count)]


def _id(name: str, number: int) -> str:
    digits = hashlib.sha256(f"{name} {number}".encode()).hexdigest()
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}>"
