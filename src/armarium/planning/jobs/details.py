"""What the page of one job shows besides the job itself."""

from dataclasses import dataclass

from armarium.db.database import Database
from armarium.db.stretches import Beginning
from armarium.planning.jobs import page_queries as queries
from armarium.planning.jobs.model import (
    Attempt,
    ByCatch,
    ConfigurationRow,
    File,
    JobRow,
    ProfileUsed,
    Sample,
)


@dataclass(frozen=True)
class Around:
    """What belongs to a job and fits on its first page."""

    profile: ProfileUsed
    attempts: list[Attempt]
    resubmissions: list[int]
    reasons: dict[str, int]


class JobDetails:
    def __init__(self, database: Database) -> None:
        self._database = database

    def around(self, row: JobRow) -> Around:
        with self._database.transaction() as connection:
            return Around(
                queries.profile_used(connection, row.profile_version),
                queries.attempts(connection, row.id),
                queries.resubmissions(connection, row.id),
                queries.reasons(connection, row.id),
            )

    def configurations(
        self, job: int, *, reason: str = "", limit: int, offset: Beginning = 0
    ) -> tuple[list[ConfigurationRow], dict[str, int]]:
        """This stretch, and how many there are of each reason."""
        with self._database.transaction() as connection:
            rows = queries.configurations(connection, job, reason, limit, offset)
            return rows, queries.reasons(connection, job)

    def by_catch(
        self, job: int, *, limit: int, offset: int = 0
    ) -> tuple[list[ByCatch], tuple[int, int, int]]:
        """The largest first; and how many domains, objects and bytes in all."""
        with self._database.transaction() as connection:
            return queries.by_catch(connection, job, limit, offset), queries.by_catch_total(connection, job)

    def files(self, job: int, *, limit: int, offset: Beginning = 0) -> tuple[list[File], tuple[int, int]]:
        """In the order of their arrival; and how many, and how many bytes in all."""
        with self._database.transaction() as connection:
            return queries.files(connection, job, limit, offset), queries.files_total(connection, job)

    def samples(self, job: int) -> list[Sample]:
        with self._database.transaction() as connection:
            return queries.samples(connection, job)
