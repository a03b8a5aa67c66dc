"""What entries about batches in the audit log say, and the words of batches."""

from armarium.core.message import Message, message
from armarium.storage.batches.model import ResultState, SelectionKind
from armarium.storage.model import RunState

ACTIONS: dict[str, Message] = {
    "batch.started": message("Batch started"),
    "batch.cancelled": message("Batch cancelled"),
}
WORDS: dict[str, Message] = {
    "batch": message("Batch"),
    "function": message("Function"),
    "arguments": message("Arguments"),
    "selection": message("Files chosen"),
    "files": message("Files"),
    "files_total": message("Files in all"),
}
STATES: dict[RunState, tuple[str, Message]] = {
    RunState.WAITING: ("waiting", message("Waiting")),
    RunState.RUNNING: ("busy", message("Running")),
    RunState.FINISHED: ("good", message("Finished")),
    RunState.CANCELLED: ("neutral", message("Cancelled")),
    RunState.FAILED: ("bad", message("Failed")),
}
RESULTS: dict[ResultState, tuple[str, Message]] = {
    ResultState.FAILED: ("bad", message("Error")),
    ResultState.DONE: ("good", message("Done")),
    ResultState.WAITING: ("waiting", message("Waiting")),
}
SELECTIONS: dict[SelectionKind, Message] = {
    SelectionKind.ALL: message("All files"),
    SelectionKind.JOB: message("Files of a job"),
    SelectionKind.HARVEST: message("Files of a harvest"),
    SelectionKind.ACCESSION: message("Files of an accession"),
    SelectionKind.NAME: message("Files by their name"),
}
