"""The verbs of the process table."""

import time
from datetime import timedelta

import psutil
from sqlalchemy import Connection

from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.processes import tables
from armarium.processes.model import Introduction, Process, Pulse, as_of, in_order, worth_a_notification

TOPIC = "processes"  # what pages listen to
ANNOUNCE_SECONDS = 60.0  # at the latest, so that pages do not show heartbeats as old that are not
VANISHED = "Ended without saying goodbye."


def hear(connection: Connection, introduction: Introduction, pulse: Pulse) -> None:
    """Enter, in the transaction of its request, a process that has no database and tells of itself otherwise.

    Its name is unique among those of its kind. Another machine or version under the name is a new process.
    """
    identity = tables.only(connection, introduction)
    changed = identity is None
    if identity is None:
        identity = tables.insert(connection, introduction)
    if tables.set_pulse(connection, identity, pulse) or changed:
        announce(connection, TOPIC)


def part(connection: Connection, kind: str, name: str, message: str) -> None:
    """Such a process is one no more."""
    tables.end_all(connection, kind, name, message)
    announce(connection, TOPIC)


class Processes:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._announce_at = 0.0  # monotonic clock

    def register(self, introduction: Introduction) -> int:
        """Enter a process that starts; its id is the answer.

        A namesake on the same machine whose pid is gone was killed: it is entered as ended, so that the one
        started in its place does not leave it behind as silent.
        """
        with self._database.transaction() as connection:
            for other in tables.namesakes(connection, introduction.machine, introduction.name):
                if other.pid == introduction.pid or not psutil.pid_exists(other.pid):
                    tables.set_ended(connection, other.id, VANISHED)
            identity = tables.insert(connection, introduction)
            announce(connection, TOPIC)
        return identity

    def beat(self, identity: int, pulse: Pulse) -> bool:
        """Write a heartbeat; False if the process must register anew: a back-up was restored, say."""
        with self._database.transaction() as connection:
            changed = tables.set_pulse(connection, identity, pulse)
            # Every open page fetches itself anew at every announcement: for a mere heartbeat, seldom.
            if changed or time.monotonic() >= self._announce_at:
                self._announce_at = time.monotonic() + ANNOUNCE_SECONDS
                announce(connection, TOPIC)
        return changed is not None

    def leave(self, identity: int, message: str = "") -> None:
        with self._database.transaction() as connection:
            tables.set_ended(connection, identity, message)
            announce(connection, TOPIC)

    def current(self) -> list[Process]:
        with self._database.transaction() as connection:
            now, processes = tables.every(connection)
        return in_order(as_of(process, now) for process in processes)

    def newly_silent(self) -> list[Process]:
        """Those that fell silent, each told once; `state` is the last one that they told themselves."""
        with self._database.transaction() as connection:
            silent = tables.notice_silent(connection)
            if silent:
                announce(connection, TOPIC)
        return in_order(process for process in silent if worth_a_notification(process))

    def forget(self, age: timedelta) -> int:
        """Drop those that ended or fell silent longer ago than `age`; how many is the answer."""
        with self._database.transaction() as connection:
            return tables.delete_older(connection, age)
