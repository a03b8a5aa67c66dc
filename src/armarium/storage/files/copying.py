"""One copy on its way into a replica: its steps, each a small transaction."""

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.collecting import LONGEST_ERROR, cut
from armarium.core.errors import ArmariumError
from armarium.core.message import message
from armarium.db.database import Database
from armarium.storage.backends.place import Different, Missing, Sums, Unreadable
from armarium.storage.files import queries
from armarium.storage.history import EventKind, note, note_check
from armarium.storage.model import UNFINISHED, CheckOutcome, CopyState, File, Replica, moved


class NoSource(Missing):
    """The file is neither where it was registered nor in the replica."""


class Copying:
    """Whoever begins counts the attempts up and so takes the copy from anybody slower.

    The slower one's next step finds another number and does nothing: two who work at one copy, because a
    worker was thought dead, cannot confuse its state.
    """

    def __init__(self, database: Database, file: File, replica: Replica) -> None:
        self._database = database
        self.file = file
        self.replica = replica
        self.uploaded = False  # by an earlier attempt, which was interrupted before it read the copy back
        self._attempt = 0

    def begin(self) -> bool:
        """False if there is nothing to do any more."""
        with self._database.transaction() as connection:
            held = queries.held_copy(connection, self.file.id, self.replica.id)
            if held is None or held.state not in UNFINISHED:
                return False
            self.uploaded = held.state is CopyState.UPLOADED
            state = CopyState.UPLOADED if self.uploaded else moved(held.state, CopyState.UPLOADING)
            self._attempt = held.attempts + 1
            self._change(connection, state=state.value, attempts=self._attempt)
        return True

    def has_uploaded(self) -> bool:
        with self._database.transaction() as connection:
            return self._step(connection, CopyState.UPLOADED)

    def accept(self, sums: Sums) -> None:
        """Read back, and what was registered."""
        with self._database.transaction() as connection:
            if not self._step(connection, CopyState.ACCEPTED, error="", **_found(sums, CheckOutcome.OK)):
                return
            note_check(connection, self.file.id, self.replica.id, CheckOutcome.OK, sums)
            file = queries.one(connection, self.file.id, lock=True)
            assert file is not None, "files are never deleted"
            if not file.blake3:
                queries.change(connection, file.id, blake3=sums.blake3)
            if file.stored_at is not None:
                note(connection, EventKind.ADDED, file=file.id, replica=self.replica.id)

    def refuse(self, sums: Sums, aside: str = "") -> ArmariumError:
        """Read back, and something else; `aside` is where it was moved to, if we had put it there."""
        error = Unreadable(
            message(
                "%(name)s was read back from replica %(replica)s and did not match; it will be retried. "
                "If this happens again, check the disk of the replica.",
                name=self.file.name,
                replica=self.replica.name,
            )
        )
        with self._database.transaction() as connection:
            note_check(connection, self.file.id, self.replica.id, CheckOutcome.CORRUPT, sums)
            found = {"sha256": sums.sha256, "size": sums.size, "aside": aside}
            self._note(connection, EventKind.NOT_ACCEPTED, found)
            failed = {"error": str(error), **_found(sums, CheckOutcome.CORRUPT)}
            self._step(connection, CopyState.FAILED, **failed)
        return error

    def fail(self, error: ArmariumError) -> ArmariumError:
        with self._database.transaction() as connection:
            said = cut(str(error), LONGEST_ERROR)
            held = queries.held_copy(connection, self.file.id, self.replica.id)
            again = held is not None and held.error == said
            if (
                self._step(connection, CopyState.FAILED, error=said)
                and isinstance(error, Different)
                and not again
            ):
                self._note(connection, EventKind.REFUSED, {"error": said})
        return error

    def _step(self, connection: Connection, to: CopyState, **values: object) -> bool:
        """False, and nothing is done, if somebody else has begun with this copy."""
        held = queries.held_copy(connection, self.file.id, self.replica.id)
        if held is None or held.attempts != self._attempt:
            return False
        self._change(connection, state=moved(held.state, to).value, **values)
        return True

    def _change(self, connection: Connection, **values: object) -> None:
        queries.change_copy(connection, self.file.id, self.replica.id, changed_at=clock.now(), **values)

    def _note(self, connection: Connection, kind: EventKind, details: dict[str, object]) -> None:
        note(connection, kind, file=self.file.id, replica=self.replica.id, details=details)


def _found(sums: Sums, outcome: CheckOutcome) -> dict[str, object]:
    now = clock.now()
    seen = {"seen_at": now, "checked_at": now}
    return {**seen, "outcome": outcome.value, "found_sha256": sums.sha256}
