"""What entries about collectors in the audit log say."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "collector.changed": message("Collector changed"),
    "collector.code_made": message("Code for a new collector made"),
    "collector.enrolled": message("Collector enrolled"),
    "collector.revoked": message("Collector revoked"),
    "collector.started": message("Collector may take work again"),
    "collector.stopped": message("Collector stopped"),
}
WORDS: dict[str, Message] = {
    "address": message("Address"),
    "by": message("By"),
    "channels": message("Channels"),
    "collector": message("Collector"),
    "expires_at": message("Expires"),
    "jobs": message("Jobs"),
    "slots": message("Slots"),
}
