"""What entries about files in the audit log say, and the words of their states and events."""

from armarium.core.message import Message, message
from armarium.storage.files.model import EventKind
from armarium.storage.model import CopyState, FileState, Origin

ACTIONS: dict[str, Message] = {
    "file.withdrawn": message("File withdrawn"),
    "file.restored": message("File given out again"),
}
WORDS: dict[str, Message] = {
    "file": message("File"),
    "reason": message("Reason"),
    "state": message("State"),
}
FILE_STATES: dict[FileState, Message] = {
    FileState.STORING: message("being stored"),
    FileState.STORED: message("stored"),
    FileState.LOST: message("lost on its way"),
    FileState.WITHDRAWN: message("withdrawn"),
}
LOST = message(
    "It was altered in the folder of arrivals before any replica had it, and nobody will send it again: its "
    "job has ended without it. What came of it lies where it arrived. If its collector has put the file "
    "aside, import it from there."
)
COPY_STATES: dict[CopyState, Message] = {
    CopyState.WAITING: message("waiting"),
    CopyState.UPLOADING: message("being uploaded"),
    CopyState.UPLOADED: message("uploaded, not yet read back"),
    CopyState.ACCEPTED: message("accepted"),
    CopyState.FAILED: message("failed, is tried again"),
    CopyState.MISSING: message("missing"),
    CopyState.CORRUPT: message("damaged"),
    CopyState.REPAIRING: message("being repaired"),
}
ORIGINS: dict[Origin, Message] = {
    Origin.COLLECTOR: message("from a collector"),
    Origin.IMPORT: message("imported"),
    Origin.REBUILD: message("found in the replicas"),
}
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
}
