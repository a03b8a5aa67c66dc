"""What entries about accreditations in the audit log say, and the words of their states."""

from armarium.access.reading.accreditation.model import State
from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "accreditation.added": message("Reader accredited"),
    "accreditation.changed": message("Accreditation changed"),
    "accreditation.ended": message("Accreditation ended"),
}
WORDS: dict[str, Message] = {
    "accreditation": message("Accreditation"),
    "first_day": message("First day"),
    "last_day": message("Last day"),
    "note": message("Note"),
}
#: With the tone of its badge.
STATES: dict[State, tuple[str, Message]] = {
    State.VALID: ("good", message("valid")),
    State.SOON: ("warning", message("ends soon")),
    State.COMING: ("waiting", message("to come")),
    State.EXPIRED: ("neutral", message("over")),
    State.ENDED: ("neutral", message("ended by staff")),
}
