"""The hands between the rooms. Each class is what one room asks of another, in its own words."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from sqlalchemy import Connection

from armarium.core.storing import Places, SealedFile, StoredFile
from armarium.db.database import Database
from armarium.index.chain.service import Chain
from armarium.index.digests import digest_lines
from armarium.planning.arrivals.handover import note_lost, note_stored, want_again
from armarium.storage.files.reading import Reader
from armarium.storage.files.service import Files
from armarium.storage.model import FileState, Origin
from armarium.workflow import queries
from armarium.workflow.own_files import OwnFiles


@dataclass(frozen=True)
class Reception:
    """Planning → storage: a file from a collector has landed."""

    files: Files

    def landed(self, connection: Connection, file: SealedFile) -> None:
        known = self.files.register(connection, file, origin=Origin.COLLECTOR)
        if known.state is not FileState.STORING:  # another job has brought the same file before
            note_stored(connection, file.name, file.sha256)


@dataclass(frozen=True)
class Succession:
    """Storage → index and planning: what became of a file."""

    chain: Callable[[], Chain]  # which reads from storage, and so is made after it

    def stored(self, connection: Connection, file: StoredFile) -> None:
        self.chain().announce(connection, file)
        note_stored(connection, file.name, file.sha256)

    def withdrawn(self, connection: Connection, file: StoredFile) -> None:
        self.chain().withdrawn(connection, file)

    def restored(self, connection: Connection, file: StoredFile) -> None:
        self.chain().restored(connection, file)

    def source_lost(self, connection: Connection, name: str, sha256: str) -> bool:
        return want_again(connection, name, sha256)

    def lost(self, connection: Connection, name: str, sha256: str) -> None:
        note_lost(connection, name, sha256)


@dataclass(frozen=True)
class Holdings:
    """Index → storage: the files that are to be indexed; and planning: what their harvest is called."""

    files: Files
    reader: Reader

    def open(self, name: str) -> BinaryIO:
        return self.reader.open(name)

    def stored_after(self, file_id: int, most: int) -> list[StoredFile]:
        return self.files.stored_after(file_id, most)

    def places(self) -> Iterator[Places]:
        return self.files.places()

    def harvest_name(self, connection: Connection, number: int) -> str:
        return queries.harvest_name(connection, number)

    def taken_over(self, connection: Connection, file_id: int) -> None:
        self.files.taken_over(connection, file_id)


@dataclass(frozen=True)
class IndexedCaptures:
    """Planning → index: what jobs for some domains have brought of them."""

    database: Database
    chain: Chain

    def lines(self, domains: Sequence[str]) -> Iterator[bytes] | None:
        own = OwnFiles(self.database, domains)
        return (line + b"\n" for line in digest_lines(self.chain.lookup(), own.domains, files=own))
