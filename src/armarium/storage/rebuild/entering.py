"""One file into the register, by what the replicas say of it: in one transaction, so all or nothing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core import clock
from armarium.db.database import Database
from armarium.storage.files import queries as files_queries
from armarium.storage.files.model import Successor, as_stored
from armarium.storage.files.sweep import owe, reason_in
from armarium.storage.history import EventKind, note, note_check
from armarium.storage.intake.naming import kind_of
from armarium.storage.intake.sources import Look
from armarium.storage.model import CheckOutcome, CopyState, FileState, Origin, Replica, ReplicaState
from armarium.storage.rebuild.model import Found, Vote
from armarium.storage.repairs.model import Ballot
from armarium.storage.repairs.model import Vote as Answer
from armarium.storage.repairs.queries import submit
from armarium.storage.repairs.rules import Verdict
from armarium.storage.repairs.transitions import AGREED, WHY
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.queries import share_replicas
from armarium.storage.tables import archive, file_copy, replica, stored_file

UNDECIDED = (
    "The replicas do not agree on its content, and neither votes nor content tell which is right: a person "
    "decides."
)
STATES = {
    CheckOutcome.OK: CopyState.ACCEPTED,
    CheckOutcome.MISSING: CopyState.MISSING,
    CheckOutcome.CORRUPT: CopyState.CORRUPT,
    CheckOutcome.UNREADABLE: CopyState.CORRUPT,
}


@dataclass(frozen=True)
class Entering:
    database: Database
    successor: Successor
    absent: Sequence[Replica]  # in use, and not asked: what they have is unknown

    def enter(self, found: Found, verdict: Verdict, look: Look) -> bool:
        """Write the file with its copies; False if somebody else was quicker.

        A file without a majority is entered, too: it is not given out, and waits for a person.
        """
        now = clock.now()
        right = verdict.winner if verdict.healthy else ""
        with self.database.transaction() as connection:
            share_replicas(connection)
            number = files_queries.add(connection, _values(found, right, look, now))
            if number is None:
                return False
            outcomes = [(vote, outcome_of(vote, right)) for vote in found.votes]
            self._copies(connection, number, outcomes, now)
            agreed = found.agreed and bool(look.format) and not self.absent
            self._told(connection, number, outcomes, AGREED if agreed else {})
            self._put_to_people(connection, number, verdict, outcomes)
            if right:
                file = files_queries.one(connection, number)
                assert file is not None, "it was just written"
                self.successor.stored(connection, as_stored(file))
                if found.withdrawal is not None:  # the next room learns of both, in order
                    self.successor.withdrawn(connection, as_stored(file))
            if found.withdrawal is not None:
                owe(connection, number)  # also those that had no note
        return True

    def _copies(
        self,
        connection: Connection,
        number: int,
        outcomes: Sequence[tuple[Vote, CheckOutcome]],
        now: datetime,
    ) -> None:
        rows = [_copy(number, vote, outcome, now) for vote, outcome in outcomes]
        nothing: dict[str, Any] = {"seen_at": None, "checked_at": None, "outcome": "", "found_sha256": ""}
        rows += [
            {
                "file": number,
                "replica": replica.id,
                "state": CopyState.WAITING.value,
                "changed_at": now,
                **nothing,
            }
            for replica in self.absent
            if replica.state is ReplicaState.ACTIVE
        ]
        add_copies(connection, rows)

    def _told(
        self,
        connection: Connection,
        number: int,
        outcomes: Sequence[tuple[Vote, CheckOutcome]],
        agreed: Mapping[str, bool],
    ) -> None:
        votes = {vote.replica.name: vote.sums.sha256 if vote.sums else "" for vote, _ in outcomes}
        note(connection, EventKind.REBUILT, file=number, details={"votes": votes, **agreed})
        for vote, outcome in outcomes:
            note_check(connection, number, vote.replica.id, outcome, vote.sums)

    def _put_to_people(
        self,
        connection: Connection,
        number: int,
        verdict: Verdict,
        outcomes: Sequence[tuple[Vote, CheckOutcome]],
    ) -> None:
        """Nothing is repaired before a person has seen the vote; here it is, for those who look."""
        ballot = Ballot("", tuple(_answer(*one) for one in outcomes), verdict)
        why = "" if verdict.clear else str(WHY[verdict.outcome])
        for vote, outcome in outcomes:
            if outcome is not CheckOutcome.OK:
                submit(connection, number, vote.replica.id, outcome, ballot, why)


def outcome_of(vote: Vote, right: str) -> CheckOutcome:
    """What a copy is, compared with what the file is; where that is open, no copy is right."""
    if vote.sums is None:
        return CheckOutcome.UNREADABLE if vote.unreadable else CheckOutcome.MISSING
    return CheckOutcome.OK if vote.sums.sha256 == right else CheckOutcome.CORRUPT


def _answer(vote: Vote, outcome: CheckOutcome) -> Answer:
    sums = vote.sums
    given = (sums.sha256, sums.size) if sums else ("", 0)
    return Answer(
        vote.replica.name, outcome, *given, clock.now(), holds_bytes(vote.replica), content=vote.content
    )


def _values(found: Found, right: str, look: Look, now: datetime) -> dict[str, Any]:
    """Of a file that nobody has decided on, the register holds no checksum: with one of those that were found
    it would call that copy well. The size is the first that was found, and only shown."""
    given = [vote.sums for vote in found.votes if vote.sums]
    sums = next((one for one in given if one.sha256 == right), given[0] if given else None)
    job = look.job_of_ours(found.name)
    return {
        "name": found.name,
        "kind": kind_of(found.name).value,
        "size": sums.size if sums else 0,
        "sha256": right,
        "blake3": sums.blake3 if sums and right else "",
        "state": _state(found, right).value,
        "withdrawn_at": None if found.withdrawal is None else now,
        "withdrawn_reason": "" if found.withdrawal is None else reason_in(found.withdrawal),
        "origin": Origin.REBUILD.value,
        "job": job.job if job else None,
        "harvest": job.harvest if job else None,
        "original_job": "" if job else look.original_job(found.name),
        "registered_at": now,
        "stored_at": now if right else None,
        "trouble": "" if right else UNDECIDED,
    }


def _state(found: Found, right: str) -> FileState:
    if found.withdrawal is not None:
        return FileState.WITHDRAWN
    return FileState.STORED if right else FileState.STORING


def _copy(number: int, vote: Vote, outcome: CheckOutcome, now: datetime) -> dict[str, Any]:
    return {
        "file": number,
        "replica": vote.replica.id,
        "state": STATES[outcome].value,
        "changed_at": now,
        "seen_at": now if vote.sums else None,
        "checked_at": now,
        "outcome": outcome.value,
        "found_sha256": vote.sums.sha256 if vote.sums else "",
    }


# SQL: it adds rows, and never touches one that is there


def known_names(connection: Connection, names: Collection[str]) -> set[str]:
    asked = sa.select(stored_file.c.name).where(stored_file.c.name.in_(list(names)))
    return set(connection.scalars(asked))


def set_archive(connection: Connection, word: str) -> None:
    """Also for processes that have opened the replicas already, as those of another archive."""
    connection.execute(sa.update(archive).values(id=word))
    connection.execute(sa.update(replica).values(edition=replica.c.edition + 1))


def add_copies(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    connection.execute(sa.insert(file_copy), [dict(row) for row in rows])
