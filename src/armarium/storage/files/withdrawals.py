"""Notes on withdrawn files in the replicas: whoever rebuilds the register from them must know of them."""

import json
from typing import Any

import structlog
from sqlalchemy import Connection

from armarium.core import clock
from armarium.db.database import Database
from armarium.storage.backends.place import Away, NoRoom
from armarium.storage.files import queries, withdrawal_queries
from armarium.storage.files.withdrawal_queries import Owed
from armarium.storage.model import FileState
from armarium.storage.replicas.service import Replicas

AT_ONCE = 500

log = structlog.get_logger(__name__)


def owe(connection: Connection, file: int) -> None:
    """Every replica in use is to be told how the file stands; in the transaction in which that changes."""
    withdrawal_queries.owe(connection, file)


class Withdrawals:
    def __init__(self, database: Database, replicas: Replicas) -> None:
        self._database = database
        self._replicas = replicas

    def write(self, file: int | None = None) -> int:
        """Tell the replicas that answer what they are owed; of one file, or of all. How many were told."""
        with self._database.transaction() as connection:
            owed = withdrawal_queries.owed(connection, file, AT_ONCE)
        away: set[int] = set()
        return sum(self._write(one, away) for one in owed)

    def _write(self, one: Owed, away: set[int]) -> bool:
        if one.replica in away:
            return False
        replica = self._replicas.get(one.replica)
        try:
            self._tell(one)
        except Away as trouble:  # the sweep comes again
            away.add(one.replica)
            log.warning("withdrawal not noted", file=one.name, replica=replica.name, reason=str(trouble))
            if not isinstance(trouble, NoRoom):
                self._replicas.note_away(replica, trouble.message)
            return False
        with self._database.transaction() as connection:
            withdrawal_queries.settle(connection, one)
        return True

    def _tell(self, one: Owed) -> None:
        place = self._replicas.place(self._replicas.get(one.replica))
        with self._database.transaction() as connection:
            details = queries.details(connection, one.file)
        assert details is not None, "files are never deleted"
        if details.file.state is not FileState.WITHDRAWN:
            place.forget_withdrawal(one.name)
            return
        at = details.withdrawn_at or clock.now()
        told = {"name": one.name, "at": at.isoformat(), "reason": details.withdrawn_reason}
        place.note_withdrawal(one.name, json.dumps(told).encode())


def reason_in(note: bytes) -> str:
    """Why a file was withdrawn. A note that cannot be read still says that it was."""
    try:
        told: Any = json.loads(note)
        return str(told["reason"])
    except (ValueError, KeyError, TypeError):
        return "The note in the replica cannot be read."
