"""Notify, and look at what was notified."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import Listed
from armarium.notify import tables
from armarium.notify.model import Channel, Notification, Sent
from armarium.notify.settings import NotifySettings
from armarium.tasks.service import Tasks

SEND = "notify.send"  # the kind of task declared in armarium.notify.tasks


class Notifier:
    def __init__(self, tasks: Tasks, settings: NotifySettings) -> None:
        self._tasks = tasks
        self._settings = settings

    def notify(self, connection: Connection, about: Notification) -> bool:
        """Send a notification once the caller's transaction is committed; False if it is a repetition."""
        tables.one_at_a_time(connection, about.key)
        announce(connection, "notifications")
        if tables.repeat(connection, about.key, since=self._quiet_since()) is not None:
            return False
        number = tables.insert(connection, about)
        deliveries = {}
        for channel in dict.fromkeys(self._settings.channels):
            task = self._tasks.defer(connection, SEND, {"notification": number, "channel": channel})
            assert task is not None
            deliveries[channel] = task
        tables.set_deliveries(connection, number, deliveries)
        return True

    def is_quiet(self, connection: Connection, key: str) -> bool:
        """Whether it would be a repetition: for those who look at the same thing again and again."""
        return tables.sent_since(connection, key, self._quiet_since())

    def _quiet_since(self) -> datetime:
        return clock.now() - timedelta(minutes=self._settings.quiet_minutes)


class Notifications(Listed[Sent]):
    """The history, newest first, and the channels that a worker has."""

    rows = tables.NOTIFICATIONS
    missing = message("There is no notification %(number)s. Old ones are removed after some days.")

    def __init__(self, database: Database, settings: NotifySettings, channels: Mapping[str, Channel]) -> None:
        super().__init__(database)
        self.settings = settings
        self.channels = channels

    def forget_old(self) -> int:
        with self._database.transaction() as connection:
            return tables.forget(connection, self.settings.keep_days)
