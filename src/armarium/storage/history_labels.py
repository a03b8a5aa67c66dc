"""What happened, in words, and as templates read it."""

from collections.abc import Mapping
from typing import Any

from armarium.core.message import Message, message
from armarium.storage.history import Event, EventKind, Occurrence
from armarium.storage.model import CheckOutcome

EVENTS: dict[str, Message] = {
    EventKind.REGISTERED: message("Registered"),
    EventKind.REFUSED: message("Another file under this name refused"),
    EventKind.STORED: message("Stored in every replica"),
    EventKind.LOST: message("Lost before any replica had it"),
    EventKind.ADDED: message("Copied into a further replica"),
    EventKind.NOT_ACCEPTED: message("Copy read back and not accepted"),
    EventKind.READ_FAILED: message("Copy could not be read"),
    EventKind.WITHDRAWN: message("Withdrawn"),
    EventKind.RESTORED: message("Given out again"),
    EventKind.CLEANED: message("Arrived file cleared away"),
    EventKind.AWAY: message("Replica did not answer"),
    EventKind.AWAY_LONG: message("People were told that the replica does not answer"),
    EventKind.BACK: message("Replica answered again"),
    EventKind.STRANGE: message("Object that the register does not know"),
    EventKind.REBUILT: message("Entered from what the replicas have"),
    EventKind.REPAIR_PROPOSED: message("Damage found"),
    EventKind.REPAIR_APPROVED: message("Repair approved"),
    EventKind.REPAIR_REFUSED: message("Repair refused"),
    EventKind.REPAIR_BEGUN: message("Repair begun"),
    EventKind.REPAIR_FAILED: message("Repair failed"),
    EventKind.REPAIR_VOID: message("Copy turned out well"),
    EventKind.REPAIR_UNDECIDED: message("A person was called"),
    EventKind.REPAIRED: message("Copy repaired, read back and accepted"),
    EventKind.MOVED_ASIDE: message("Bad copy moved aside"),
    EventKind.DECIDED: message("Content decided"),
    EventKind.CONTENT_CONFIRMED: message("Content confirmed after the rebuild"),
    EventKind.CONTENT_DECIDED: message("Register changed by a decision"),
}


OUTCOMES: Mapping[str, tuple[str, Message]] = {
    CheckOutcome.OK: ("good", message("Copy checked and well")),
    CheckOutcome.MISSING: ("bad", message("Copy not found")),
    CheckOutcome.CORRUPT: ("bad", message("Copy has other bytes")),
    CheckOutcome.UNREADABLE: ("bad", message("Copy cannot be read")),
    CheckOutcome.AWAY: ("neutral", message("Replica did not answer")),
}


EVENT_TONES: Mapping[str, str] = {
    EventKind.STORED: "good",
    EventKind.RESTORED: "good",
    EventKind.BACK: "good",
    EventKind.REFUSED: "warning",
    EventKind.LOST: "bad",
    EventKind.NOT_ACCEPTED: "bad",
    EventKind.READ_FAILED: "bad",
    EventKind.AWAY: "warning",
    EventKind.AWAY_LONG: "warning",
    EventKind.WITHDRAWN: "neutral",
}


def shown_occurrence(one: Occurrence) -> dict[str, Any]:
    if not one.kind:
        tone, title = OUTCOMES[one.outcome]
    else:
        tone, title = EVENT_TONES.get(one.kind, ""), EVENTS.get(one.kind, Message(one.kind))
    return {
        "at": one.at,
        "file": None,
        "tone": tone,
        "title": title,
        "replica": one.replica,
        "actor": one.actor,
        "audit": one.audit,
        "details": [] if one.outcome == CheckOutcome.OK else shown_details_of(one.details),
    }


def shown_event(event: Event) -> dict[str, Any]:
    """An event on the page of its replica."""
    about = Occurrence(event.at, event.kind, actor=event.actor, details=event.details)
    return {**shown_occurrence(about), "file": event.file}


def shown_details_of(details: Mapping[str, object]) -> list[tuple[str, str]]:
    """Values as they were noted; what belongs to no one reader, such as the votes, is on other pages."""
    return [
        (name, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for name, value in details.items()
        if value not in (None, "", []) and not isinstance(value, dict)
    ]


SHORT_OUTCOMES: dict[CheckOutcome, tuple[str, Message]] = {
    CheckOutcome.OK: ("good", message("well")),
    CheckOutcome.MISSING: ("bad", message("missing")),
    CheckOutcome.CORRUPT: ("bad", message("other bytes")),
    CheckOutcome.UNREADABLE: ("bad", message("unreadable")),
    CheckOutcome.AWAY: ("warning", message("replica away")),
}
