"""What the archive has already of the domains of a job, for the crawler that shall not store it twice."""

from collections.abc import Iterator
from itertools import chain

from armarium.db.database import Database
from armarium.planning.arrivals.handover import EarlierCaptures
from armarium.planning.collectors.model import Collector, lease_lost
from armarium.planning.leasing import queries

PIECE_BYTES = 65_536


class Digests:
    def __init__(self, database: Database, captures: EarlierCaptures) -> None:
        self._database = database
        self._captures = captures

    def pieces(self, collector: Collector, job: int, attempt: int) -> Iterator[bytes] | None:
        """Lines of CDXJ, in pieces; None if there are none.

        The lease is looked at once, at the beginning: nothing is changed by whoever reads on after its end,
        and no transaction stays open while a slow line takes the rest.
        """
        with self._database.transaction() as connection:
            if queries.held(connection, job, attempt, collector.id, lock=False) is None:
                raise lease_lost(job, attempt)
            domains = queries.domain_names(connection, job)
        pieces = _joined(self._captures.lines(domains) or iter(()))
        first = next(pieces, None)
        return None if first is None else chain([first], pieces)


def _joined(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Lines, many at a time: each piece costs a turn of the server's threads."""
    kept, size = [], 0
    for line in lines:
        kept.append(line)
        size += len(line)
        if size >= PIECE_BYTES:
            yield b"".join(kept)
            kept, size = [], 0
    if kept:
        yield b"".join(kept)
