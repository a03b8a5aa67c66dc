"""The policy of the running house: the rules of all processes, at most a second old."""

from sqlalchemy import Connection

from armarium.access.model import Collection, Decision, Effect, Reader
from armarium.access.policy import queries
from armarium.access.policy.decisions import Explanation, RuleBook
from armarium.access.policy.editions import Recent
from armarium.access.policy.matching import Membership
from armarium.access.settings import AccessSettings
from armarium.core import clock
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.db.database import Database
from armarium.formats.cdx import CdxLine

UNKNOWN = Decision(Effect.RESTRICTED)


class LivePolicy:
    """Fulfils `armarium.access.protocols.Policy`."""

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
