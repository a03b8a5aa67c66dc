"""Bulk edits in words."""

from collections.abc import Mapping

from armarium.core.message import Message, message
from armarium.selection.bulk.model import BulkState, Verdict

STATES: Mapping[BulkState, Message] = {
    BulkState.JUDGING: message("Preview is being made"),
    BulkState.READY: message("Preview"),
    BulkState.APPLYING: message("Being done"),
    BulkState.DONE: message("Done"),
    BulkState.UNDOING: message("Being undone"),
    BulkState.UNDONE: message("Undone"),
    BulkState.FAILED: message("Failed"),
}
TONES: Mapping[BulkState, str] = {
    BulkState.JUDGING: "waiting",
    BulkState.READY: "neutral",
    BulkState.APPLYING: "waiting",
    BulkState.DONE: "good",
    BulkState.UNDOING: "waiting",
    BulkState.UNDONE: "neutral",
    BulkState.FAILED: "bad",
}
REFUSALS: Mapping[Verdict, Message] = {
    Verdict.NOT_YOURS: message("Of a collection that is not yours"),
    Verdict.COMBINATION: message("Budget, frequency and depth do not go together"),
    Verdict.THEME: message("The theme is one of another collection"),
    Verdict.KNOWN: message("The collection has the address already"),
    Verdict.NOT_SEEN: message("The address was not seen to answer"),
    Verdict.CLOSED: message("The collection takes no new records"),
    Verdict.TEXT: message("A text would be too long"),
}
FIELDS: Mapping[str, Message] = {
    "collection": message("Collection"),
    "theme": message("Theme"),
    "budget": message("Budget"),
    "frequency": message("Frequency"),
    "depth": message("Depth"),
    "responsible": message("Responsible"),
    "language": message("Language"),
    "keywords": message("Keywords"),
    "keywords_add": message("Keywords to add"),
    "keywords_remove": message("Keywords to remove"),
    "active": message("Active"),
    "content_notes": message("Notes on the content"),
    "technical_notes": message("Technical notes"),
    "state": message("State"),
    "state_reason": message("Reason"),
    "reason": message("Reason"),
}

ACTIONS: dict[str, Message] = {
    "bulk.applied": message("Bulk edit done"),
    "bulk.undone": message("Bulk edit undone"),
    "record.restored": message("Change of a record undone"),
}
WORDS: dict[str, Message] = {
    "bulk": message("Bulk edit"),
    "keywords_add": message("Keywords to add"),
    "keywords_remove": message("Keywords to remove"),
    "reason": message("Reason"),
    "changed": message("Records changed"),
    "passed_over": message("Records passed over"),
    "restored": message("Records restored"),
    "kept": message("Records kept"),
}
