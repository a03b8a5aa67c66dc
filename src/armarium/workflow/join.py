"""The hands between the rooms. Each class is what one room asks of another, in its own words."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

import structlog
from sqlalchemy import Connection

from armarium.core.storing import Places, SealedFile, StoredFile
from armarium.db.database import Database
from armarium.formats.url import Match, search_range
from armarium.index.chain.service import Chain
from armarium.index.lookup import digest_lines
from armarium.planning.arrivals.folder import ArrivalsFolder
from armarium.planning.arrivals.handover import note_lost, note_stored, want_again
from armarium.planning.jobs.name_queries import jobs_of_domains
from armarium.storage.files.reading import Reader
from armarium.storage.files.service import Files
from armarium.storage.model import FileState, Origin
from armarium.workflow import queries

# --- Which files may tell what the archive has of a domain: those of the jobs that were to harvest it.
#
# Whatever else holds captures of it was met in passing, or came from outside: a false digest in there would
# keep the true page from being stored ever after.


AT_ONCE = 500  # domains that are asked about together
KEPT = 2  # batches: at the border of two, keys go to and fro


@dataclass(frozen=True)
class _Batch:
    jobs: dict[str, frozenset[int]]  # by domain
    files: dict[str, int]  # name → job


@dataclass(frozen=True)
class _FilesOfDomain:
    """Asks only when it is asked: of most domains the archive may have nothing."""

    owner: "OwnFiles"
    domain: str

    def __contains__(self, name: object) -> bool:
        return self.owner.has(self.domain, name)


class OwnFiles:
    """For one reader, from the first key to the last."""

    def __init__(self, database: Database, domains: Sequence[str]) -> None:
        self._database = database
        self.domains = sorted(domains, key=_key)
        self._number = {name: place // AT_ONCE for place, name in enumerate(self.domains)}
        self._batches: dict[int, _Batch] = {}

    def __call__(self, domain: str) -> Container[str]:
        return _FilesOfDomain(self, domain)

    def has(self, domain: str, name: object) -> bool:
        batch = self._batch(self._number[domain])
        return batch.files.get(str(name)) in batch.jobs.get(domain, ())

    def _batch(self, number: int) -> _Batch:
        if number not in self._batches:
            if len(self._batches) == KEPT:
                del self._batches[min(self._batches)]
            self._batches[number] = self._loaded(number)
        return self._batches[number]

    def _loaded(self, number: int) -> _Batch:
        domains = self.domains[number * AT_ONCE : (number + 1) * AT_ONCE]
        with self._database.transaction() as connection:
            jobs = jobs_of_domains(connection, domains)
            return _Batch(jobs, queries.files_of_jobs(connection, frozenset().union(*jobs.values())))


def _key(domain: str) -> str:
    """By which the index is sorted."""
    return search_range(f"http://{domain}/", Match.DOMAIN)[0]


# --- The hands between the rooms. Each class is what one room asks of another, in its own words.


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


# --- Files among the arrivals that belong to no row of the register, which clears away only its own.
#
# Bytes that the archive had already when a job brought them, and indexes whose file never came, or was known.
# Whatever the archive does not have stays.


UNTOUCHED_SECONDS = 3600.0  # younger ones may be about to be handed over

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Clearing:
    database: Database
    folder: ArrivalsFolder

    def clear(self) -> int:
        """How many were deleted."""
        lying, cleared = self.folder.old_files(UNTOUCHED_SECONDS), 0
        while some := list(islice(lying, AT_ONCE)):
            for job, name in self._superfluous(some):
                self.folder.whole(job, name).unlink(missing_ok=True)
                log.info("a file among the arrivals is cleared away", job=job, file=name)
                cleared += 1
        return cleared

    def _superfluous(self, lying: list[tuple[int, str]]) -> list[tuple[int, str]]:
        with self.database.transaction() as connection:
            return [
                (one.job, one.name)
                for one in queries.superfluous(connection, lying)
                if not one.needed.endswith(f"/{one.job}/{one.name}")
                and (one.file is None or queries.is_safe(connection, one.file))
            ]
