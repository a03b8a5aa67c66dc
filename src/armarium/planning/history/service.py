"""What harvests brought home: by domain, by configuration, by harvest, by run."""

from armarium.core.errors import existing
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning
from armarium.planning.history import queries
from armarium.planning.history.queries import HistoryRow, Named, Run, Total
from armarium.planning.jobs.name_queries import known_domain
from armarium.planning.tables.domains import domain
from armarium.planning.tables.harvests import harvest


class History:
    def __init__(self, database: Database) -> None:
        self._database = database

    def domain(self, number: int) -> Named:
        missing = message("There is no domain %(number)s.", number=number)
        with self._database.transaction() as connection:
            return existing(queries.named(connection, domain, number), missing)

    def domain_named(self, name: str) -> Named:
        missing = message("There is no domain “%(name)s”.", name=name)
        with self._database.transaction() as connection:
            return existing(queries.domain_named(connection, known_domain(name)), missing)

    def of_domain(self, number: int, *, limit: int, offset: Beginning = 0) -> tuple[list[HistoryRow], Total]:
        """Newest first; the total speaks of all jobs, not of this stretch."""
        return self._rows("domain", number, limit, offset)

    def configuration(self, number: int) -> tuple[Named, Named]:
        """The configuration and its domain."""
        missing = message("There is no configuration %(number)s.", number=number)
        with self._database.transaction() as connection:
            return existing(queries.configuration_named(connection, number), missing)

    def of_configuration(
        self, number: int, *, limit: int, offset: Beginning = 0
    ) -> tuple[list[HistoryRow], Total]:
        return self._rows("configuration", number, limit, offset)

    def harvest(self, number: int) -> Named:
        missing = message("There is no harvest %(number)s.", number=number)
        with self._database.transaction() as connection:
            return existing(queries.named(connection, harvest, number), missing)

    def of_harvest(self, number: int, *, limit: int, offset: Beginning = 0) -> tuple[list[Run], int, Total]:
        """Its runs, newest first; how many there are; and what all of them brought."""
        with self._database.transaction() as connection:
            runs = queries.runs(connection, number, limit, offset)
            return runs, queries.run_count(connection, number), queries.harvest_total(connection, number)

    def run(self, number: int) -> Run:
        missing = message("There is no run %(number)s.", number=number)
        with self._database.transaction() as connection:
            return existing(queries.run(connection, number), missing)

    jobs_of_run = reading(queries.jobs_of_run)

    def reasons(self, run: Run) -> dict[str, int] | None:
        """Why its domains stopped; None where there are too many to count while somebody waits."""
        if run.configurations > queries.MOST_REASONS:
            return None
        with self._database.transaction() as connection:
            return queries.reasons_of_run(connection, run.id)

    def _rows(self, of: str, number: int, limit: int, offset: Beginning) -> tuple[list[HistoryRow], Total]:
        with self._database.transaction() as connection:
            return queries.rows(connection, of, number, limit, offset), queries.total(connection, of, number)
