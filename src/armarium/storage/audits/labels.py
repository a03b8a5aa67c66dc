"""Audits in words and as a picture, for people, templates and the audit log."""

from collections.abc import Sequence
from dataclasses import dataclass

from armarium.core.message import Message, message
from armarium.storage.audits.model import Age
from armarium.storage.model import AuditKind, RunState

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


# How long ago the bytes of a replica were last read, as one bar


WIDTH, HEIGHT = 600, 24
LEAST = 3  # units of width: what is there is seen, however little it is


@dataclass(frozen=True)
class Stretch:
    """A part of the bar."""

    shade: str  # of the style: young … old, never
    label: Message
    bytes: int
    files: int
    share: float  # percent
    x: float
    width: float


SHADES = ("within-30", "within-90", "within-180", "within-365", "longer", "never")
LABELS = (
    message("within 30 days"),
    message("within 90 days"),
    message("within half a year"),
    message("within a year"),
    message("longer ago"),
    message("never"),
)


def bar(ages: Sequence[Age]) -> list[Stretch]:
    """The stretches that are not empty, from the freshest to what was never read; by bytes."""
    total = sum(age.bytes for age in ages)
    there = [
        (shade, label, age) for shade, label, age in zip(SHADES, LABELS, ages, strict=False) if age.bytes
    ]
    room = WIDTH - LEAST * len(there)
    drawn, x = [], 0.0
    for shade, label, age in there:
        width = LEAST + room * age.bytes / total
        share = 100 * age.bytes / total
        drawn.append(Stretch(shade, label, age.bytes, age.files, share, round(x, 2), round(width, 2)))
        x += width
    return drawn
