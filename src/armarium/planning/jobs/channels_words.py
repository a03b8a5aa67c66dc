"""What entries about channels in the audit log say."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "channel.created": message("Channel made"),
    "channel.changed": message("Channel changed"),
}
WORDS: dict[str, Message] = {
    "channel": message("Channel"),
    "priority": message("Priority"),
    "default_for": message("Default for"),
}
