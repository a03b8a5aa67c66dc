"""A copy that waits, for every file, in a replica that is new: range by range, so that nobody has to wait."""

from armarium.core import clock
from armarium.db.database import Database
from armarium.storage.replicas import filling_queries

RANGE = 20_000  # numbers of files in one transaction
RANGES = 50  # between two looks of the sweep


class Filling:
    def __init__(self, database: Database) -> None:
        self._database = database

    def fill(self, ranges: int = RANGES) -> None:
        """Killed anywhere, it goes on where it was."""
        for _ in range(ranges):
            with self._database.transaction() as connection:
                number = filling_queries.unfilled(connection)
                if number is None:
                    return
                filling_queries.fill(connection, number, RANGE, clock.now())
