"""Rules and networks of this moment.

What was read is asked for again when it is a moment old: one small row tells whether anything has changed in
any process since. While the database is away, what is known goes on being used.
"""

import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert

from armarium.access.model import Collection, Decision, Effect, Reader
from armarium.access.policy import queries
from armarium.access.policy.decisions import Explanation, RuleBook
from armarium.access.policy.matching import Membership
from armarium.access.settings import AccessSettings
from armarium.access.tables import policy_edition
from armarium.core import clock
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.db.database import Database
from armarium.formats.cdx import CdxLine

FRESH = 0.5  # seconds; what was changed is to be seen within one, however many rules are read then
PATIENCE = 1.0  # seconds for which one waits for another who is asking; then the last known is used
AWAY = 5.0  # seconds until a database that was away is asked again

T = TypeVar("T")
#: Reads the tables: what was known at which edition comes in, None at first.
Read = Callable[[Connection, int, T | None], T]
log = structlog.get_logger(__name__)


class _Known(NamedTuple, Generic[T]):
    edition: int
    value: T


class Recent(Generic[T]):
    def __init__(self, database: Database, read: Read[T]) -> None:
        self._database = database
        self._read = read
        self._known: _Known[T] | None = None
        self._next = 0.0  # when to ask again
        self._asking = Lock()

    def get(self) -> T | None:
        """None: nothing has been read yet, and the database is away."""
        known = self._known
        if known is None or time.monotonic() >= self._next:
            self._ask(PATIENCE if known is not None else -1)
            known = self._known
        return known.value if known is not None else None

    def _ask(self, patience: float) -> None:
        if not self._asking.acquire(timeout=patience):
            return
        try:
            if time.monotonic() >= self._next:
                self._look()
        finally:
            self._asking.release()

    def _look(self) -> None:
        at = time.monotonic()
        try:
            with self._database.transaction() as connection:
                # The number before the rows: a change between the two is read twice, and never missed.
                edition = current_edition(connection)
                if self._known is None or edition != self._known.edition:
                    self._known = _Known(edition, self._anew(connection))
        except Unavailable as away:
            log.warning("rules of access cannot be read", known=self._known is not None, reason=str(away))
            self._next = time.monotonic() + AWAY
        else:
            self._next = at + FRESH

    def _anew(self, connection: Connection) -> T:
        known = self._known
        return self._read(connection, *known) if known is not None else self._read(connection, 0, None)


def note_change(connection: Connection) -> int:
    """Tell all processes, at the commit, that rules or networks are others now; the number of the change.

    Called before anything is written: who comes later waits here, so that numbers become visible in order.
    """
    first = postgresql_insert(policy_edition).values(id=1, changes=1)
    again = {"changes": policy_edition.c.changes + 1}
    noted = first.on_conflict_do_update(index_elements=["id"], set_=again)
    return int(connection.execute(noted.returning(policy_edition.c.changes)).scalar_one())


def current_edition(connection: Connection) -> int:
    return int(connection.scalar(sa.select(policy_edition.c.changes)) or 0)


UNKNOWN = Decision(Effect.RESTRICTED)


class LivePolicy:
    """Fulfils `armarium.access.model.Policy`."""

    def __init__(
        self, database: Database, settings: AccessSettings, membership: Membership | None = None
    ) -> None:
        """`membership`: the collections of a file. Without it, a rule for a collection holds only for those
        who ask in that collection."""
        self._default = settings.default
        self._membership = membership
        self._book = Recent(database, self._read)

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        book = self._book.get()
        if book is None:  # nobody knows what is allowed
            return UNKNOWN
        return book.decide(reader, collection, line, clock.now(), self._membership)

    def explain(self, reader: Reader, collection: Collection, line: CdxLine) -> Explanation:
        book = self._book.get()
        if book is None:
            raise Unavailable(message("The rules cannot be read at the moment. Try again in a minute."))
        return book.explain(reader, collection, line, clock.now(), self._membership)

    def _read(self, connection: Connection, edition: int, known: RuleBook | None) -> RuleBook:
        if known is None:
            return RuleBook(queries.not_ended(connection), self._default)
        return known.with_changed(queries.changed_since(connection, edition))
