"""What harvests brought home: by domain, by configuration, by harvest, by run."""

from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.db.database import Database
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
        with self._database.transaction() as connection:
            found = queries.named(connection, domain, number)
        if found is None:
            raise NotFound(message("There is no domain %(number)s.", number=number))
        return found

    def domain_named(self, name: str) -> Named:
        with self._database.transaction() as connection:
            found = queries.domain_named(connection, known_domain(name))
        if found is None:
            raise NotFound(message("There is no domain “%(name)s”.", name=name))
        return found

    def of_domain(self, number: int, *, limit: int, offset: Beginning = 0) -> tuple[list[HistoryRow], Total]:
        """Newest first; the total speaks of all jobs, not of this stretch."""
        with self._database.transaction() as connection:
            rows = queries.rows(connection, "domain", number, limit, offset)
            return rows, queries.total(connection, "domain", number)

    def configuration(self, number: int) -> tuple[Named, Named]:
        """The configuration and its domain."""
        with self._database.transaction() as connection:
            found = queries.configuration_named(connection, number)
        if found is None:
            raise NotFound(message("There is no configuration %(number)s.", number=number))
        return found

    def of_configuration(
        self, number: int, *, limit: int, offset: Beginning = 0
    ) -> tuple[list[HistoryRow], Total]:
        with self._database.transaction() as connection:
            rows = queries.rows(connection, "configuration", number, limit, offset)
            return rows, queries.total(connection, "configuration", number)

    def harvest(self, number: int) -> Named:
        with self._database.transaction() as connection:
            found = queries.named(connection, harvest, number)
        if found is None:
            raise NotFound(message("There is no harvest %(number)s.", number=number))
        return found

    def of_harvest(self, number: int, *, limit: int, offset: Beginning = 0) -> tuple[list[Run], int, Total]:
        """Its runs, newest first; how many there are; and what all of them brought."""
        with self._database.transaction() as connection:
            runs = queries.runs(connection, number, limit, offset)
            return runs, queries.run_count(connection, number), queries.harvest_total(connection, number)

    def run(self, number: int) -> Run:
        with self._database.transaction() as connection:
            found = queries.run(connection, number)
        if found is None:
            raise NotFound(message("There is no run %(number)s.", number=number))
        return found

    def reasons(self, run: Run) -> dict[str, int] | None:
        """Why its domains stopped; None where there are too many to count while somebody waits."""
        if run.configurations > queries.MOST_REASONS:
            return None
        with self._database.transaction() as connection:
            return queries.reasons_of_run(connection, run.id)
