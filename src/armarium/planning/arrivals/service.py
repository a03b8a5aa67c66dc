"""Files from collectors: offered, received piece by piece, verified as a whole, handed over to the archive.

`received` counts bytes that are safe on the disk. A process that is killed between disk and database leaves
more on the disk than it counts: that is cut off and sent again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Connection

from armarium.core.collecting import FileOffered, FileState
from armarium.core.crawl_order import Recording
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.formats.warc.writer import safe
from armarium.planning.arrivals import queries
from armarium.planning.arrivals.folder import PART, ArrivalsFolder, NoRoom, digest_of, file_lock
from armarium.planning.arrivals.handover import COMPANION, Archive, Handover
from armarium.planning.arrivals.queries import Arrival
from armarium.planning.collectors.model import Code, Collector, Declined, lease_lost
from armarium.planning.leasing import queries as lease_queries
from armarium.planning.model import ArrivalState
from armarium.planning.orders import unpacked
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.harvests import INDEX

log = structlog.get_logger(__name__)

FOLDER = "arrivals"
UNTOUCHED_SECONDS = 3600.0  # after which a part that nobody expects is cleared away
LARGEST_INDEX = 2 * 1024**3  # bytes, of a file's index: far more than a file of a gigabyte needs

DAMAGED = -1  # instead of the bytes received: all of them came, and they are not what was offered

S = ArrivalState


@dataclass(frozen=True)
class Piece:
    """A stretch of a file, as a request brings it."""

    attempt: int
    name: str
    offset: int
    data: bytes


@dataclass(frozen=True)
class Claim:
    """Of whoever sends files of a job: that it holds it."""

    collector: int
    job: int
    attempt: int

    def check(self, connection: Connection) -> None:
        """The lease holds, and does until the end of the transaction."""
        if lease_queries.held(connection, self.job, self.attempt, self.collector) is None:
            raise lease_lost(self.job, self.attempt)


class Arrivals:
    def __init__(self, database: Database, home: Path, settings: PlanningSettings, archive: Archive) -> None:
        self._database = database
        self._settings = settings
        self.folder = ArrivalsFolder(home / FOLDER)
        self.handover = Handover(self.folder, archive)

    def offer(self, collector: Collector, job: int, file: FileOffered) -> FileState:
        """Announce a file. Offered again, the answer says how much of it is here."""
        _refuse_odd(file)
        claim = Claim(collector.id, job, file.attempt)
        with file_lock(self.folder.root, job, file.name):
            self._mend(claim, file.name)
            with self._database.transaction() as connection:
                claim.check(connection)
                _refuse_name_of_another(connection, job, file.name)
                found = queries.offered(connection, job, collector.id, file)
                if found.has_landed:
                    _refuse_other_content(found, file)
                    return _state(found)
                found = self._taken_over(connection, found, collector, file)
                self._refuse_without_room(found, queries.expected_bytes(connection))
            if not found.size:
                self._append(found, Piece(file.attempt, file.name, 0, b""))
                found = self._settled(claim, found)
            return _state(found)

    def state(self, collector: Collector, job: int, attempt: int, name: str) -> FileState:
        claim = Claim(collector.id, job, attempt)
        with file_lock(self.folder.root, job, name):
            return _state(self._expected(claim, name))

    def receive(self, collector: Collector, job: int, piece: Piece) -> FileState:
        """Add a piece. While the disk is at work no connection to the database is kept: others need them."""
        claim = Claim(collector.id, job, piece.attempt)
        with file_lock(self.folder.root, job, piece.name):
            found = self._expected(claim, piece.name)
            if found.has_landed:
                return _state(found)
            _check_piece(found, piece)
            self._refuse_without_room(found, len(piece.data))
            self._append(found, piece)
            return _state(self._settled(claim, replace(found, received=piece.offset + len(piece.data))))

    def clear_away(self) -> int:
        """Delete parts that nobody will complete: another collector has the job. Whole files stay."""
        cleared = 0
        for job, name in self.folder.old_parts(UNTOUCHED_SECONDS):
            with self._database.transaction() as connection:
                if not queries.is_expected(connection, job, name):
                    self.folder.discard_part(job, name)
                    cleared += 1
        self.folder.drop_empty_folders(UNTOUCHED_SECONDS)
        return cleared

    def _expected(self, claim: Claim, name: str) -> Arrival:
        """What this attempt offered."""
        with self._database.transaction() as connection:
            found = queries.held(connection, claim.job, claim.attempt, claim.collector, name)
            if found is None:
                claim.check(connection)
                text = message("%(name)s was not offered under this attempt. Offer it first.", name=name)
                raise Declined(Code.NO_OFFER, text)
        return self._recovered(claim, found)

    def _mend(self, claim: Claim, name: str) -> None:
        with self._database.transaction() as connection:
            claim.check(connection)
            found = queries.known(connection, claim.job, name)
        if found:
            self._recovered(claim, found)

    def _recovered(self, claim: Claim, found: Arrival) -> Arrival:
        """What a process that was killed left: a file that is whole but not noted so, or a part cut short."""
        if found.has_landed:
            return found
        whole, size = (
            self.folder.whole(found.job, found.name),
            self.folder.size_of_part(found.job, found.name),
        )
        if not size and whole.exists() and digest_of(whole) == found.sha256:
            found = replace(found, state=S.LANDED, received=found.size)
        elif size < found.received:
            found = replace(found, received=size)
        else:
            return found
        self._note(claim, found)
        return found

    def _settled(self, claim: Claim, found: Arrival) -> Arrival:
        """Note what has reached the disk, if the lease still holds; a file that is whole gets its name."""
        if found.received == found.size:
            found = self._closed(found)
        try:
            self._note(claim, found)
        except Declined as refusal:
            if found.has_landed and refusal.code is Code.LEASE_LOST:
                self.folder.reopen(found.job, found.name)  # a part again, as nobody knows that it is whole
            raise
        if found.received == DAMAGED:
            raise _wrong_checksum(found)
        return found

    def _note(self, claim: Claim, found: Arrival) -> None:
        with self._database.transaction() as connection:
            claim.check(connection)
            if not found.has_landed:
                return queries.note_received(connection, found.id, max(found.received, 0))
            self.handover.land(connection, found)
            announce(connection, f"job_{found.job}")
        log.info("file landed", job=found.job, attempt=found.attempt, file=found.name, size=found.size)
        return None

    def _taken_over(
        self, connection: Connection, found: Arrival, collector: Collector, file: FileOffered
    ) -> Arrival:
        same = found.size == file.size and found.sha256 == file.sha256
        if found.attempt == file.attempt:
            _refuse_other_content(found, file)
        if found.attempt == file.attempt and found.state is S.RECEIVING:
            return found
        # The checksum is that of the content: what an earlier attempt sent of the same file is good.
        received = found.received if same else 0
        queries.take_over(connection, found.id, collector.id, file, received=received)
        return replace(
            found,
            attempt=file.attempt,
            size=file.size,
            sha256=file.sha256,
            received=received,
            state=S.RECEIVING,
        )

    def _refuse_without_room(self, found: Arrival, coming: int) -> None:
        if self.folder.free_bytes() - coming < self._settings.arrivals_reserve_bytes:
            raise _no_room(found.name)

    def _append(self, found: Arrival, piece: Piece) -> None:
        try:
            self.folder.append(found.job, found.name, piece.offset, piece.data)
        except NoRoom as full:
            log.warning("no room for files from collectors", job=found.job, file=found.name, reason=str(full))
            raise _no_room(found.name) from None

    def _closed(self, found: Arrival) -> Arrival:
        if digest_of(self.folder.part(found.job, found.name)) != found.sha256:
            log.error("file arrived damaged", job=found.job, file=found.name)
            self.folder.discard_part(found.job, found.name)
            return replace(found, received=DAMAGED)
        self.folder.close(found.job, found.name)
        return replace(found, state=S.LANDED)


def _state(found: Arrival) -> FileState:
    return FileState(name=found.name, state=found.state.value, received=found.received)


def _refuse_odd(file: FileOffered) -> None:
    if file.name.endswith(PART):
        raise Declined(Code.VALUES, message("The name of a file must not end in %(end)s.", end=PART))
    if (file.kind == INDEX) != file.name.endswith(COMPANION):
        text = message("Only names of indexes end in %(end)s.", end=COMPANION)
        raise Declined(Code.VALUES, text)
    if file.kind == INDEX and file.size > LARGEST_INDEX:
        text = message("The index of a file has at most %(most)s bytes.", most=LARGEST_INDEX)
        raise Declined(Code.TOO_LARGE, text)


def _refuse_name_of_another(connection: Connection, job: int, name: str) -> None:
    order = unpacked(lease_queries.order_without_seeds(connection, job))["order"]
    if not names_of(order).fullmatch(name):
        text = message("%(name)s is not a valid file name for job %(job)s.", name=name, job=job)
        raise Declined(Code.VALUES, text)


def _check_piece(found: Arrival, piece: Piece) -> None:
    if piece.offset != found.received:
        text = message(
            "%(received)s bytes of %(name)s have arrived. Continue from there.",
            received=found.received,
            name=found.name,
        )
        raise Declined(Code.OFFSET, text, received=found.received)
    if not piece.data or piece.offset + len(piece.data) > found.size:
        text = message("The chunk is empty or exceeds the %(size)s bytes offered.", size=found.size)
        raise Declined(Code.VALUES, text)


def _refuse_other_content(found: Arrival, file: FileOffered) -> None:
    if (found.size, found.sha256) != (file.size, file.sha256):
        text = message(
            "Job %(job)s already has a file named %(name)s with different content. That one is kept; "
            "this one is rejected.",
            name=found.name,
            job=found.job,
        )
        raise Declined(Code.OTHER_CONTENT, text, sha256=found.sha256)


def _wrong_checksum(found: Arrival) -> Declined:
    text = message("%(name)s arrived with a different checksum. Send it again.", name=found.name)
    return Declined(Code.CHECKSUM, text, received=0)


def _no_room(name: str) -> Declined:
    text = message(
        "There is not enough space for %(name)s at the moment. Try again later; nothing is lost.", name=name
    )
    return Declined(Code.NO_ROOM, text)


# Whose a file is, by its name -----------------------------------------------------------------------


PLACE = re.compile(r"\{(\w+)\}")
ATTEMPT = r"(?:\.\d{1,9})?"  # a later attempt has names of its own, and may bring files of an earlier one
ENDS = r"\.warc(?:\.gz|\.zst)?(?:\.cdxj)?"
A_WORD = r"[A-Za-z0-9._]+"
CRAWLER_S = {"time": r"\d{17}", "serial": r"\d{5,18}", "host": A_WORD}  # what only the crawler knows


def names_of(order: Mapping[str, Any]) -> re.Pattern[str]:
    """What the files of a job are called: those of its captures, and those that describe the crawl."""
    recording = Recording().model_dump() | (order.get("recording") or {})
    literals = PLACE.split(recording["template"])
    values = {name: re.escape(safe(value)) for name, value in recording["values"].items()}
    places = {**values, "prefix": values.get("prefix", "") + ATTEMPT, **CRAWLER_S}
    captures = "".join(
        places.get(piece, A_WORD) if place % 2 else re.escape(piece) for place, piece in enumerate(literals)
    )
    metadata = re.escape(safe(order.get("name") or "")) + ATTEMPT + r"-metadata-\d{1,9}"
    return re.compile(f"(?:{captures}|{metadata}){ENDS}")
