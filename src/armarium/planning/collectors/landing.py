"""Files that have landed: all bytes are here and verified, and the archive takes them over.

`landed` is noted, and the archive told, in one transaction: nothing lands that the archive does not know of.
"""

from dataclasses import dataclass

import structlog
from sqlalchemy import Connection

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.storing import SealedFile
from armarium.db.announce import announce
from armarium.planning.collectors import arrival_queries as queries
from armarium.planning.collectors.arrival_queries import Arrival
from armarium.planning.collectors.model import Code, Declined
from armarium.planning.collectors.neighbours import Archive
from armarium.planning.collectors.shelf import Shelf
from armarium.planning.tables.collectors import INDEX

log = structlog.get_logger(__name__)

COMPANION = ".cdxj"  # behind the name of the file whose index it is


@dataclass(frozen=True)
class Landing:
    shelf: Shelf
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
                "The archive does not take %(name)s of job %(job)s: %(reason)s What came of it is kept.",
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
            path=self.shelf.whole(found.job, found.name),
            job=found.job,
            harvest=queries.harvest_of(connection, found.job),
            companion=self.shelf.whole(index.job, index.name) if index else None,
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
