"""What entries about accessions in the audit log say, and the words of intake."""

from armarium.core.message import Message, message
from armarium.storage.intake.model import Outcome

ACTIONS: dict[str, Message] = {
    "accession.begun": message("Accession begun"),
    "accession.taken": message("Files taken into the archive"),
    "accession.looked": message("Watched folders looked into"),
}
WORDS: dict[str, Message] = {
    "accession": message("Accession"),
    "taken": message("Taken"),
    "waiting": message("Waiting"),
    "known": message("Known before"),
    "unpacked": message("WACZ taken apart"),
    "refused": message("Refused"),
    "foreign": message("No W/ARC file"),
    "unreadable": message("Unreadable"),
    "passed": message("Passed over"),
    "source": message("Where from"),
    "note": message("Note"),
    "prefix": message("Before every name"),
    "rename": message("Renamed by rule"),
    "damaged": message("Damaged files too"),
    "pass_over": message("Need not be taken"),
}
OUTCOMES: dict[Outcome, tuple[str, Message]] = {
    Outcome.REFUSED: ("bad", message("Refused")),
    Outcome.UNREADABLE: ("bad", message("Unreadable")),
    Outcome.FOREIGN: ("warning", message("No W/ARC file")),
    Outcome.WAITING: ("busy", message("Waiting")),
    Outcome.TAKEN: ("good", message("Taken")),
    Outcome.KNOWN: ("neutral", message("Known before")),
    Outcome.UNPACKED: ("neutral", message("WACZ taken apart")),
    Outcome.PASSED: ("neutral", message("Passed over")),
}
