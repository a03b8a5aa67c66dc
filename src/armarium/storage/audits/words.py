"""What entries about audits in the audit log say, and the words of their kinds, states and outcomes."""

from armarium.core.message import Message, message
from armarium.storage.model import AuditKind, CheckOutcome, RunState

ACTIONS: dict[str, Message] = {
    "audit.cancelled": message("Audit cancelled"),
    "audit.started": message("Audit asked for"),
}
WORDS: dict[str, Message] = {
    "kind": message("Kind"),
    "older_than": message("Only copies last read before"),
    "replica": message("Replica"),
    "storage audit": message("Audit"),
}
KINDS: dict[AuditKind, Message] = {
    AuditKind.PRESENCE: message("presence"),
    AuditKind.CHECKSUM: message("checksum"),
}
#: With the tone of its badge.
STATES: dict[RunState, tuple[str, Message]] = {
    RunState.WAITING: ("waiting", message("waiting")),
    RunState.RUNNING: ("busy", message("running")),
    RunState.FINISHED: ("good", message("finished")),
    RunState.CANCELLED: ("neutral", message("cancelled")),
    RunState.FAILED: ("bad", message("failed")),
}
OUTCOMES: dict[CheckOutcome, tuple[str, Message]] = {
    CheckOutcome.OK: ("good", message("well")),
    CheckOutcome.MISSING: ("bad", message("missing")),
    CheckOutcome.CORRUPT: ("bad", message("other bytes")),
    CheckOutcome.UNREADABLE: ("bad", message("unreadable")),
    CheckOutcome.AWAY: ("warning", message("replica away")),
}
