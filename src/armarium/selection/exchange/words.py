"""What entries of imports in the audit log say."""

from armarium.core.message import Message, message
from armarium.selection.exchange.model import ImportState

ACTIONS: dict[str, Message] = {"records.imported": message("Records imported from a file")}
WORDS: dict[str, Message] = {
    "record_import": message("Import of records"),
    "lines": message("Lines"),
    "created": message("Made"),
    "changed": message("Changed"),
    "unchanged": message("Unchanged"),
    "refused": message("Refused"),
}
STATES: dict[ImportState, tuple[str, Message]] = {
    ImportState.WAITING: ("waiting", message("Waiting")),
    ImportState.RUNNING: ("busy", message("Running")),
    ImportState.TRIED: ("neutral", message("Tried")),
    ImportState.IMPORTED: ("good", message("Imported")),
    ImportState.REFUSED: ("warning", message("Not imported")),
    ImportState.FAILED: ("bad", message("Failed")),
}
