"""Files that were altered or went away where they had arrived, before any replica had them."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection

from armarium.core.errors import ArmariumError
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.storage.backends.place import Altered
from armarium.storage.files import queries
from armarium.storage.files.events import note
from armarium.storage.files.model import EventKind
from armarium.storage.files.successor import Successor
from armarium.storage.files.words import LOST
from armarium.storage.folders import ARRIVALS
from armarium.storage.model import File, FileState

TOPIC = "files"


class Losses:
    def __init__(
        self, database: Database, home: Path, successor: Successor, notifier: Notifier | None
    ) -> None:
        self._database = database
        self._home = home
        self._successor = successor
        self._notifier = notifier

    def note(self, file: File, troubles: Sequence[ArmariumError]) -> None:
        """Ask whoever sent it for it. If nobody will send it again, and what lies there is not the file, it
        is lost. One that is not there at all may come back with its disk, and is looked for on and on."""
        if not (self._home / ARRIVALS).is_dir():
            return  # it arrived on another machine, whose workers see it
        altered = any(isinstance(one, Altered) for one in troubles)
        with self._database.transaction() as connection:
            wanted = self._successor.source_lost(connection, file.name, file.sha256)
            if altered and not wanted:
                self._give_up(connection, file)

    def _give_up(self, connection: Connection, file: File) -> None:
        held = queries.one(connection, file.id, lock=True)
        if held is None or held.state is not FileState.STORING:
            return
        queries.change(connection, file.id, state=FileState.LOST.value, trouble="")
        self._successor.lost(connection, file.name, file.sha256)
        note(connection, EventKind.LOST, file=file.id, details={"source": file.source})
        announce(connection, TOPIC)
        if self._notifier is not None:
            title = message("%(name)s was lost before it was stored", name=file.name)
            self._notifier.notify(
                connection, Notification(Severity.ERROR, title, LOST, key=f"storage-lost:{file.id}")
            )
