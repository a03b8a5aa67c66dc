"""Write down what was found of a copy, in the caller's transaction: the history, and the copy's new state."""

from sqlalchemy import Connection

from armarium.core import clock
from armarium.storage.audits import queries
from armarium.storage.audits.model import AUDITED, DAMAGE, Finding
from armarium.storage.files.queries import add_check, change_copy
from armarium.storage.model import AuditKind, CheckOutcome, CopyState, moved


def note(connection: Connection, replica: int, finding: Finding, audit: int | None = None) -> bool:
    """False: the finding is void, because something was done to the copy since it was looked at."""
    copy = queries.locked_copy(connection, finding.subject.file, replica)
    if copy is None or copy["state"] not in AUDITED or copy["changed_at"] > finding.began:
        return False
    write(connection, replica, finding, audit)
    state = _state(CopyState(copy["state"]), finding)
    if state is not copy["state"]:
        changed = {"state": moved(copy["state"], state), "changed_at": clock.now(), "error": ""}
        change_copy(connection, finding.subject.file, replica, **changed)
    return True


def write(connection: Connection, replica: int, finding: Finding, audit: int | None = None) -> None:
    """The row of history, and the copy's last check; its state stays."""
    now = clock.now()
    file = finding.subject.file
    row = {
        "file": file,
        "replica": replica,
        "audit": audit,
        "at": now,
        "kind": finding.kind.value,
        "outcome": finding.outcome.value,
        "algorithm": finding.algorithm,
        "found": finding.found,
        "size": finding.size,
    }
    add_check(connection, row)
    values: dict[str, object] = {"outcome": finding.outcome.value}
    if finding.outcome is not CheckOutcome.MISSING:
        values["seen_at"] = now
    if finding.kind is AuditKind.CHECKSUM:
        values |= {"checked_at": now, "found_sha256": finding.sha256}
    change_copy(connection, file, replica, **values)


def _state(present: CopyState, finding: Finding) -> CopyState:
    if finding.outcome is not CheckOutcome.OK:
        return DAMAGE[finding.outcome]
    # That a copy is there, with its size, does not make one well that was found bad.
    return CopyState.ACCEPTED if finding.kind is AuditKind.CHECKSUM else present
