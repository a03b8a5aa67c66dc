"""What entries about profiles in the audit log say."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "profile.created": message("Profile made"),
    "profile.changed": message("Profile changed"),
    "profile.version_made": message("New version of a profile"),
}
WORDS: dict[str, Message] = {
    "profile": message("Profile"),
    "version": message("Version"),
    "reason": message("Reason"),
    "description": message("Description"),
    "active": message("Active"),
}
