"""Write what was done to a file, in the transaction in which it was done."""

from collections.abc import Mapping

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.storage.backends.place import Sums
from armarium.storage.files import queries
from armarium.storage.files.model import EventKind
from armarium.storage.model import AuditKind, CheckOutcome

SHA256 = "sha256"


def note(
    connection: Connection,
    kind: EventKind | str,
    *,
    file: int | None = None,
    replica: int | None = None,
    actor: str = SYSTEM.name,
    details: Mapping[str, object] | None = None,
) -> None:
    """An event: never changed afterwards."""
    values = {
        "at": clock.now(),
        "file": file,
        "replica": replica,
        "kind": str(kind),
        "actor": actor,
        "details": dict(details or {}),
    }
    queries.add_event(connection, values)


def note_check(
    connection: Connection,
    file: int,
    replica: int,
    outcome: CheckOutcome,
    sums: Sums | None = None,
    *,
    audit: int | None = None,
) -> None:
    """Every byte of a copy was read and compared; `sums` is what came."""
    values = {
        "file": file,
        "replica": replica,
        "audit": audit,
        "at": clock.now(),
        "kind": AuditKind.CHECKSUM.value,
        "outcome": outcome.value,
        "algorithm": SHA256 if sums else "",
        "found": sums.sha256 if sums else "",
        "size": sums.size if sums else 0,
    }
    queries.add_check(connection, values)
