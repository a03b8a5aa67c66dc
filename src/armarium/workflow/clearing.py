"""Files among the arrivals that belong to no row of the register, which clears away only its own.

Bytes that the archive had already when a job brought them, and indexes whose file never came, or was known.
Whatever the archive does not have stays.
"""

from dataclasses import dataclass
from itertools import islice

import structlog

from armarium.db.database import Database
from armarium.planning.arrivals.folder import ArrivalsFolder
from armarium.workflow import queries

AT_ONCE = 500
UNTOUCHED_SECONDS = 3600.0  # younger ones may be about to be handed over

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Clearing:
    database: Database
    folder: ArrivalsFolder

    def clear(self) -> int:
        """How many were deleted."""
        lying, cleared = self.folder.old_files(UNTOUCHED_SECONDS), 0
        while some := list(islice(lying, AT_ONCE)):
            for job, name in self._superfluous(some):
                self.folder.whole(job, name).unlink(missing_ok=True)
                log.info("a file among the arrivals is cleared away", job=job, file=name)
                cleared += 1
        return cleared

    def _superfluous(self, lying: list[tuple[int, str]]) -> list[tuple[int, str]]:
        with self.database.transaction() as connection:
            return [
                (one.job, one.name)
                for one in queries.superfluous(connection, lying)
                if not one.needed.endswith(f"/{one.job}/{one.name}")
                and (one.file is None or queries.is_safe(connection, one.file))
            ]
