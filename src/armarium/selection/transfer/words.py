"""The transfer in words."""

from collections.abc import Mapping

from armarium.core.message import Message, message
from armarium.selection.transfer.model import Kind, TransferState

KINDS: Mapping[Kind, Message] = {
    Kind.MADE: message("Made"),
    Kind.CHANGED: message("Changed"),
    Kind.TAKEN_OUT: message("Taken out"),
    Kind.CONFLICT: message("Conflict"),
    Kind.UNABLE: message("Not possible"),
    Kind.FAILED: message("Failed"),
}
TONES: Mapping[Kind, str] = {
    Kind.MADE: "good",
    Kind.CHANGED: "busy",
    Kind.TAKEN_OUT: "waiting",
    Kind.CONFLICT: "warning",
    Kind.UNABLE: "warning",
    Kind.FAILED: "bad",
}
STATES: Mapping[TransferState, tuple[str, Message]] = {
    TransferState.WAITING: ("waiting", message("Waiting")),
    TransferState.RUNNING: ("busy", message("Running")),
    TransferState.DONE: ("good", message("Done")),
    TransferState.FAILED: ("bad", message("Failed")),
}
FIELDS: Mapping[str, Message] = {
    "name": message("Configuration"),
    "seeds": message("Seeds"),
    "profile": message("Profile"),
    "max_objects": message("Objects at most"),
    "max_bytes": message("Bytes at most"),
    "overrides": message("Overrides"),
    "active": message("Active"),
    "harvest": message("Harvest"),
}

ACTIONS: dict[str, Message] = {
    "mapping.rule_changed": message("Rule of the mapping changed"),
    "mapping.target_changed": message("Harvest of a collection changed"),
    "transfer.started": message("Transfer to planning begun"),
    "transfer.done": message("Transfer to planning done"),
    "transfer.settled": message("Conflict with planning settled"),
}
WORDS: dict[str, Message] = {
    "mapping": message("Mapping"),
    "transfer": message("Transfer"),
    "pattern": message("Name of the configuration"),
    "automatic": message("Before each run"),
    "made": message("Made"),
    "changed": message("Changed"),
    "taken_out": message("Taken out"),
    "conflict": message("Conflicts"),
    "unable": message("Not possible"),
    "failed": message("Failed"),
    "side": message("Whose value stands"),
    "fields": message("Fields"),
}
