"""Look at one copy and compare it with the register. No database: bytes move here."""

from dataclasses import dataclass

from armarium.core import clock
from armarium.storage.audits.model import Finding, Subject
from armarium.storage.backends.place import Missing, Place, Stopping, Sums, Unreadable
from armarium.storage.backends.transfer import ByteRate, Digests
from armarium.storage.model import AuditKind, CheckOutcome
from armarium.tasks.context import never

SHA256 = "sha256"


@dataclass(frozen=True)
class Judge:
    """Looks at copies of one replica. Raises `Away`: then nothing is judged.

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
