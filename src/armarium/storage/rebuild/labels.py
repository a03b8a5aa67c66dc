"""What entries about the rebuild in the audit log say."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "archive.adopted": message("Replicas of another archive adopted"),
    "register.rebuilt": message("Register made anew from the replicas"),
}
WORDS: dict[str, Message] = {
    "archive": message("Archive"),
    "register": message("Register"),
    "clear": message("Entered"),
    "undecided": message("Undecided"),
    "damaged": message("Damaged copies"),
}
