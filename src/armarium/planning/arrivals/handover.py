"""Between collectors and the archive: files that have landed, and what the archive has already.

`landed` is noted, and the archive told, in one transaction: nothing lands that the archive does not know of.
The protocols are what planning needs of the rooms after it; they are joined in `workflow`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

import structlog
from sqlalchemy import Connection

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.storing import SealedFile
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.formats.cdx.line import joined_lines
from armarium.planning.arrivals import queries
from armarium.planning.arrivals.folder import ArrivalsFolder
from armarium.planning.arrivals.queries import Arrival
from armarium.planning.collectors.model import Code, Collector, Declined, lease_lost
from armarium.planning.leasing import queries as lease_queries
from armarium.planning.model import ArrivalState
from armarium.planning.tables.harvests import INDEX


class Archive(Protocol):
    def landed(self, connection: Connection, file: SealedFile) -> None:
        """Take a file, in the transaction in which it is noted as landed.

        Raises `Refused` if the archive has a file of this name with another content.
        """


class EarlierCaptures(Protocol):
    def lines(self, domains: Sequence[str]) -> Iterator[bytes] | None:
        """Sorted CDXJ of what the archive has of these domains, each line with its line feed.

        None, or none, if there is nothing to be had.
        """


# Files that have landed -----------------------------------------------------------------------------


log = structlog.get_logger(__name__)

COMPANION = ".cdxj"  # behind the name of the file whose index it is


@dataclass(frozen=True)
class Handover:
    folder: ArrivalsFolder
    archive: Archive

    def land(self, connection: Connection, found: Arrival) -> None:
        """Note it, and hand it over. Where the archive refuses, the caller's transaction is lost."""
        queries.note_landed(connection, found.id)
        if found.kind != INDEX:  # an index lies here for whoever takes its file
            self.hand_over(connection, found)

    def hand_over(self, connection: Connection, found: Arrival) -> None:
        queries.note_taken(connection, found.id)
        try:
            self.archive.landed(connection, self._sealed(connection, found))
        except Refused as refusal:
            text = message(
                "The archive rejected %(name)s of job %(job)s: %(reason)s The file received is kept.",
                name=found.name,
                job=found.job,
                reason=str(refusal),
            )
            raise Declined(Code.OTHER_CONTENT, text) from refusal

    def _sealed(self, connection: Connection, found: Arrival) -> SealedFile:
        index = self._companion(connection, found)
        return SealedFile(
            name=found.name,
            kind=found.kind,
            size=found.size,
            sha256=found.sha256,
            path=self.folder.whole(found.job, found.name),
            job=found.job,
            harvest=queries.harvest_of(connection, found.job),
            companion=self.folder.whole(index.job, index.name) if index else None,
            companion_sha256=index.sha256 if index else "",
        )

    @staticmethod
    def _companion(connection: Connection, found: Arrival) -> Arrival | None:
        """Its index, if that was there first."""
        index = queries.known(connection, found.job, found.name + COMPANION)
        return index if index is not None and index.has_landed and index.kind == INDEX else None


def want_again(connection: Connection, name: str, sha256: str) -> bool:
    """What landed was lost before it was stored. Its collector keeps it until then, and is asked for it.
    False if nobody will send it any more: its job has ended without it."""
    for job in queries.want_again(connection, name, sha256):
        log.error("file was lost on the way into the archive; wanted again", job=job, file=name)
        announce(connection, f"job_{job}")
    return queries.is_wanted(connection, name, sha256)


def note_lost(connection: Connection, name: str, sha256: str) -> None:
    """It will not be stored: nobody may say that of what came of it."""
    for job in queries.note_lost(connection, name, sha256):
        announce(connection, f"job_{job}")


def note_stored(connection: Connection, name: str, sha256: str) -> None:
    """Every replica has the file. By its content, as two jobs may have brought the same."""
    for job in queries.note_stored(connection, name, sha256):
        announce(connection, f"job_{job}")


AT_ONCE = 200


@dataclass
class EarlierFiles:
    database: Database
    handover: Handover
    _told: set[int] = field(default_factory=set)  # files about which the log has its line
    _after: int = 0  # where the walk goes on

    def some(self, most: int = AT_ONCE) -> int:
        """Hand over the next ones; how many could be."""
        with self.database.transaction() as connection:
            found = queries.untaken(connection, after=self._after, most=most)
        self._after = found[-1].id if len(found) == most else 0
        elsewhere = not self.handover.folder.root.is_dir()
        if elsewhere and any(_needs_bytes(one) for one in found):
            log.info("earlier files lie on another machine; trying again later", files=len(found))
        return sum(self._adopted(one) for one in found if self._is_here(one, elsewhere))

    def _adopted(self, found: Arrival) -> bool:
        try:
            with self.database.transaction() as connection:
                self.handover.hand_over(connection, found)
        except Declined as refusal:
            self._note_refused(found, str(refusal))
            return False
        return True

    def _note_refused(self, found: Arrival, reason: str) -> None:
        """It is not asked for again: the archive would note each time that it was."""
        with self.database.transaction() as connection:
            queries.note_refused(connection, found.id, reason)
        self._tell(found, "an earlier file is refused by the archive, which has another of its name")

    def _is_here(self, found: Arrival, elsewhere: bool) -> bool:
        if not _needs_bytes(found) or self.handover.folder.whole(found.job, found.name).is_file():
            return True
        if not elsewhere:
            self._tell(found, "an earlier file is gone from the folder of arrivals")
        return False

    def _tell(self, found: Arrival, what: str) -> None:
        if found.id not in self._told:
            self._told.add(found.id)
            log.error(what, job=found.job, file=found.name)


def _needs_bytes(found: Arrival) -> bool:
    """Those that landed were handed over already: only the answer is missing."""
    return found.state is not ArrivalState.LANDED


# What the archive has already -----------------------------------------------------------------------


PIECE_BYTES = 65_536


class Digests:
    def __init__(self, database: Database, captures: EarlierCaptures) -> None:
        self._database = database
        self._captures = captures

    def pieces(self, collector: Collector, job: int, attempt: int) -> Iterator[bytes] | None:
        """Lines of CDXJ, in pieces; None if there are none.

        The lease is looked at once, at the beginning: nothing is changed by whoever reads on after its end,
        and no transaction stays open while a slow line takes the rest.
        """
        with self._database.transaction() as connection:
            if lease_queries.held(connection, job, attempt, collector.id, lock=False) is None:
                raise lease_lost(job, attempt)
            domains = lease_queries.domain_names(connection, job)
        pieces = joined_lines(self._captures.lines(domains) or iter(()), PIECE_BYTES)
        first = next(pieces, None)
        return None if first is None else chain([first], pieces)
