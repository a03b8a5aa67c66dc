"""Whether replicas answer: noted when it changes, told when an outage lasts."""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.storage.history import EventKind, note
from armarium.storage.model import Replica, ReplicaState
from armarium.storage.replicas import queries

TOPIC = "replicas"
PATIENCE = timedelta(minutes=10)
NOTED_EVERY = timedelta(seconds=30)  # a worker meets an absent replica with each file

log = structlog.get_logger(__name__)


class Availability:
    def __init__(self, database: Database, notifier: Notifier | None) -> None:
        self._database = database
        self._notifier = notifier

    def note_away(self, replica: Replica, why: Message | str) -> None:
        now = clock.now()
        with self._database.transaction() as connection:
            known = queries.details(connection, replica.id, lock=True)
            if known is None or known.replica.state is ReplicaState.RETIRED:
                return
            since = known.away_since or now
            if known.away_since is None:
                log.warning("replica away", replica=replica.name, reason=str(why))
                details = {"reason": str(why)}
                note(connection, EventKind.AWAY, replica=replica.id, details=details)
                announce(connection, TOPIC)
            if known.away_since is None or known.asked_at is None or now - known.asked_at > NOTED_EVERY:
                # One that was never claimed still has to be: `asked_at` stays empty until it answers.
                asked = {} if known.asked_at is None else {"asked_at": now}
                queries.note(connection, replica.id, away_since=since, trouble=str(why), **asked)
            if now - since > PATIENCE:
                self._tell(connection, replica, since, why)

    def note_back(self, replica: Replica) -> None:
        self.note_present(replica, None)

    def note_present(self, replica: Replica, free_bytes: int | None) -> None:
        now = clock.now()
        with self._database.transaction() as connection:
            known = queries.details(connection, replica.id, lock=True)
            if known is None:
                return
            seen = {} if free_bytes is None else {"free_bytes": free_bytes}
            queries.note(connection, replica.id, away_since=None, trouble="", asked_at=now, **seen)
            if known.away_since is not None:
                log.info("replica back", replica=replica.name)
                seconds = round((now - known.away_since).total_seconds())
                note(connection, EventKind.BACK, replica=replica.id, details={"seconds": seconds})
                announce(connection, TOPIC)

    def _tell(self, connection: Connection, replica: Replica, since: datetime, why: Message | str) -> None:
        if self._notifier is None:
            return
        if queries.was_told_away(connection, replica.id, since, EventKind.AWAY_LONG):
            return
        note(connection, EventKind.AWAY_LONG, replica=replica.id)
        about = Notification(
            Severity.ERROR,
            message("Replica %(name)s does not answer", name=replica.name),
            message(
                "Replica %(name)s (%(location)s) has not answered since %(since)s: %(why)s New files "
                "wait in the arrivals folder until it is back; nothing is lost. Mount its disk or check "
                "its server.",
                name=replica.name,
                location=replica.location,
                since=since.isoformat(timespec="minutes"),
                why=str(why),
            ),
            key=f"replica-away:{replica.id}:{since.isoformat()}",
        )
        self._notifier.notify(connection, about)
