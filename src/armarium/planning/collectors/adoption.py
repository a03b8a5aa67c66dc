"""Files that arrived before there was an archive to take them, or whose storing was never heard of.

A walk round all of them, some at a time. The files lie on the machine of the site: a worker elsewhere finds
no folder of arrivals, and leaves them to another.
"""

from dataclasses import dataclass, field

import structlog

from armarium.db.database import Database
from armarium.planning.collectors import arrival_queries as queries
from armarium.planning.collectors.arrival_queries import Arrival
from armarium.planning.collectors.landing import Landing
from armarium.planning.collectors.model import Declined
from armarium.planning.model import ArrivalState

log = structlog.get_logger(__name__)

AT_ONCE = 200


@dataclass
class Adoption:
    database: Database
    landing: Landing
    _told: set[int] = field(default_factory=set)  # files about which the log has its line
    _after: int = 0  # where the walk goes on

    def some(self, most: int = AT_ONCE) -> int:
        """Hand over the next ones; how many could be."""
        with self.database.transaction() as connection:
            found = queries.untaken(connection, after=self._after, most=most)
        self._after = found[-1].id if len(found) == most else 0
        elsewhere = not self.landing.shelf.root.is_dir()
        if elsewhere and any(_needs_bytes(one) for one in found):
            log.info("earlier files lie on another machine; trying again later", files=len(found))
        return sum(self._adopted(one) for one in found if self._is_here(one, elsewhere))

    def _adopted(self, found: Arrival) -> bool:
        try:
            with self.database.transaction() as connection:
                self.landing.hand_over(connection, found)
        except Declined as refusal:
            self._note_refused(found, str(refusal))
            return False
        return True

    def _note_refused(self, found: Arrival, reason: str) -> None:
        """It is not asked for again: the archive would note each time that it was."""
        with self.database.transaction() as connection:
            queries.note_refused(connection, found.id, reason)
        self._tell(found, "an earlier file is refused by the archive, which has another of its name")

    def _is_here(self, found: Arrival, elsewhere: bool) -> bool:
        if not _needs_bytes(found) or self.landing.shelf.whole(found.job, found.name).is_file():
            return True
        if not elsewhere:
            self._tell(found, "an earlier file is gone from the folder of arrivals")
        return False

    def _tell(self, found: Arrival, what: str) -> None:
        if found.id not in self._told:
            self._told.add(found.id)
            log.error(what, job=found.job, file=found.name)


def _needs_bytes(found: Arrival) -> bool:
    """Those that landed were handed over already: only the answer is missing."""
    return found.state is not ArrivalState.LANDED
