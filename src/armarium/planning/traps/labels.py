"""What entries about lists of traps and extended fields in the audit log say."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "trap-list.created": message("List of traps made"),
    "trap-list.changed": message("List of traps changed"),
    "extended-field.created": message("Extended field made"),
    "extended-field.changed": message("Extended field changed"),
}
WORDS: dict[str, Message] = {
    "trap-list": message("List of traps"),
    "expressions": message("Expressions"),
    "extended-field": message("Extended field"),
    "choices": message("Choices"),
    "default_value": message("Default"),
    "help": message("Help"),
    "mandatory": message("Mandatory"),
    "place": message("Place"),
}
