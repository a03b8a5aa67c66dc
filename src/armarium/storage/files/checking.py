"""Look at one copy, compare it with the register, and write down what was found."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from armarium.core import clock
from armarium.storage.backends.place import Missing, Place, Stopping, Sums, Unreadable
from armarium.storage.backends.transfer import ByteRate, Digests
from armarium.storage.files import queries
from armarium.storage.files.queries import change_copy
from armarium.storage.history import add_check
from armarium.storage.model import AuditKind, CheckOutcome, CopyState, moved
from armarium.tasks.context import never

SHA256 = "sha256"


#: Copies that audits look at. Those on their way are storing's business, one being repaired is the repair's.
AUDITED = frozenset({CopyState.ACCEPTED, CopyState.MISSING, CopyState.CORRUPT})


O = CheckOutcome  # noqa: E741  (short, for the table below)


#: The state of a copy in which damage was found.
DAMAGE: dict[CheckOutcome, CopyState] = {
    O.MISSING: CopyState.MISSING,
    O.CORRUPT: CopyState.CORRUPT,
    O.UNREADABLE: CopyState.CORRUPT,
}


@dataclass(frozen=True)
class Subject:
    """A copy that is to be looked at, with what the register says of its file."""

    file: int
    name: str
    size: int
    sha256: str
    blake3: str  # empty until the file is stored


@dataclass(frozen=True)
class Finding:
    """What was found when one copy was looked at. A replica that is away gives none."""

    subject: Subject
    kind: AuditKind
    outcome: CheckOutcome
    began: datetime  # what was done to the copy after this moment, the finding does not know
    algorithm: str = ""
    found: str = ""  # the checksum
    size: int = 0

    @property
    def sha256(self) -> str:
        return self.found if self.algorithm == "sha256" else ""


@dataclass(frozen=True)
class CopyChecker:
    """Looks at copies of one replica; knows no database. Raises `Away`: then nothing is judged.

    A place says `Missing` or `Unreadable` only when it has seen its marker after it failed, so a disk that
    was taken away in this moment is not mistaken for one from which all files are gone.
    """

    place: Place
    algorithm: str = SHA256
    rate: ByteRate | None = None  # None: as fast as it goes

    def checksum(self, subject: Subject, stopping: Stopping = never) -> Finding:
        """Every byte is read."""
        began = clock.now()
        algorithm = self.algorithm if getattr(subject, self.algorithm) else SHA256
        try:
            sums = self._sums(subject.name, algorithm, stopping)
        except Missing:
            return Finding(subject, AuditKind.CHECKSUM, CheckOutcome.MISSING, began)
        except Unreadable:
            return Finding(subject, AuditKind.CHECKSUM, CheckOutcome.UNREADABLE, began)
        found = str(getattr(sums, algorithm))
        same = found == getattr(subject, algorithm) and sums.size == subject.size
        outcome = CheckOutcome.OK if same else CheckOutcome.CORRUPT
        return Finding(subject, AuditKind.CHECKSUM, outcome, began, algorithm, found, sums.size)

    def presence(self, subject: Subject) -> Finding:
        """Whether it is there, with its size."""
        began = clock.now()
        try:
            held = self.place.look(subject.name)
        except Unreadable:
            return Finding(subject, AuditKind.PRESENCE, CheckOutcome.UNREADABLE, began)
        if held is None:
            return Finding(subject, AuditKind.PRESENCE, CheckOutcome.MISSING, began)
        if held.size < 0:
            return Finding(subject, AuditKind.PRESENCE, CheckOutcome.UNREADABLE, began)
        outcome = CheckOutcome.OK if held.size == subject.size else CheckOutcome.CORRUPT
        return Finding(subject, AuditKind.PRESENCE, outcome, began, size=max(held.size, 0))

    def _sums(self, name: str, algorithm: str, stopping: Stopping) -> Sums:
        if self.rate is None or not self.place.holds_bytes:
            return self.place.sums(name, algorithms=(algorithm,), stopping=stopping)
        digests = Digests((algorithm,))
        for piece in self.place.pieces(name):
            self.rate.take(len(piece), stopping)
            digests.update(piece)
        return digests.sums()


# What was found, in the history and as the state of the copy ---------------------------------------------


def note_finding(connection: Connection, replica: int, finding: Finding, audit: int | None = None) -> bool:
    """False: the finding is void, because something was done to the copy since it was looked at."""
    copy = queries.locked_copy(connection, finding.subject.file, replica)
    if copy is None or copy["state"] not in AUDITED or copy["changed_at"] > finding.began:
        return False
    write_finding(connection, replica, finding, audit)
    state = _state_after(CopyState(copy["state"]), finding)
    if state is not copy["state"]:
        changed = {"state": moved(copy["state"], state), "changed_at": clock.now(), "error": ""}
        change_copy(connection, finding.subject.file, replica, **changed)
    return True


def write_finding(connection: Connection, replica: int, finding: Finding, audit: int | None = None) -> None:
    """The row of history, and the copy's last check; its state stays."""
    now = clock.now()
    file = finding.subject.file
    row = {
        "file": file,
        "replica": replica,
        "audit": audit,
        "at": now,
        "kind": finding.kind.value,
        "outcome": finding.outcome.value,
        "algorithm": finding.algorithm,
        "found": finding.found,
        "size": finding.size,
    }
    add_check(connection, row)
    values: dict[str, object] = {"outcome": finding.outcome.value}
    if finding.outcome is not CheckOutcome.MISSING:
        values["seen_at"] = now
    if finding.kind is AuditKind.CHECKSUM:
        values |= {"checked_at": now, "found_sha256": finding.sha256}
    change_copy(connection, file, replica, **values)


def _state_after(present: CopyState, finding: Finding) -> CopyState:
    if finding.outcome is not CheckOutcome.OK:
        return DAMAGE[finding.outcome]
    # That a copy is there, with its size, does not make one well that was found bad.
    return CopyState.ACCEPTED if finding.kind is AuditKind.CHECKSUM else present
