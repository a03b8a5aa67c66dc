"""Repairs in words, for people and the audit log."""

from armarium.core.message import Message, message
from armarium.storage.model import RepairState
from armarium.storage.repairs import transitions
from armarium.storage.repairs.rules import Outcome, Worth

ACTIONS: dict[str, Message] = {
    "repair.approved": message("Repair approved"),
    "repair.decided": message("Content of a file decided"),
    "repair.refused": message("Repair refused"),
}
WORDS: dict[str, Message] = {
    "reason": message("Reason"),
    "repair": message("Repair"),
    "sha256": message("SHA-256"),
}
S = RepairState
#: With the tone of its badge.
STATES: dict[RepairState, tuple[str, Message]] = {
    S.PROPOSED: ("waiting", message("waits for approval")),
    S.APPROVED: ("busy", message("approved")),
    S.RUNNING: ("busy", message("being repaired")),
    S.DONE: ("good", message("repaired")),
    S.REFUSED: ("neutral", message("refused")),
    S.UNDECIDED: ("bad", message("waits for a decision")),
    S.FAILED: ("warning", message("failed, is tried again")),
    S.VOID: ("good", message("turned out well")),
}
VERDICTS: dict[Outcome, Message] = {
    Outcome.CLEAR: message("It is clear what the file is, by the votes and by what can be read."),
    **transitions.WHY,
}
#: Of the content of a copy, with the tone of its badge.
CONTENTS: dict[Worth, tuple[str, Message]] = {
    Worth.WHOLE: ("good", message("reads to its end")),
    Worth.DAMAGED: ("bad", message("damaged")),
    Worth.NOTHING: ("bad", message("no W/ARC")),
}
