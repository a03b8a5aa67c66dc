"""A notification to try the channels with. Apart from its page: a worker knows it, and needs no pages."""

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier


class TestSender:
    """Sends a notification on purpose, to see whether and where it arrives."""

    __test__ = False  # not a test of pytest's

    def __init__(self, database: Database, notifier: Notifier) -> None:
        self.database = database
        self.notifier = notifier

    def send(self, actor: Actor) -> None:
        sample = Notification(
            severity=Severity.INFORMATION,
            subject=message("Test of the notifications"),
            text=message("%(name)s has sent this to see whether notifications arrive.", name=actor.name),
            key=f"test {clock.now().isoformat()}",  # never taken for a repetition
        )
        with self.database.transaction() as connection:
            self.notifier.notify(connection, sample)
            record(connection, actor, "notification.tested", Subject("notification", "", "test"))
