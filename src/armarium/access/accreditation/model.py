"""Accreditations, and what people enter about them."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from armarium.core.errors import Refused
from armarium.core.message import Message, message

SOON = timedelta(days=30)
LONGEST = timedelta(days=3660)
LONGEST_NOTE = 500


class State(StrEnum):
    VALID = "valid"
    SOON = "soon"  # valid, but not for long
    COMING = "coming"
    EXPIRED = "expired"
    ENDED = "ended"  # by staff, before its last day


@dataclass(frozen=True)
class Period:
    """Both days are included."""

    first_day: date
    last_day: date

    def checked(self) -> "Period":
        if self.last_day < self.first_day:
            raise Refused(message("The last day lies before the first."), field="last_day")
        if self.last_day - self.first_day > LONGEST:
            raise Refused(message("An accreditation lasts ten years at most."), field="last_day")
        return self


@dataclass(frozen=True)
class Accreditation:
    id: int
    account: int
    name: str  # of the account
    display_name: str
    active: bool  # the account can be used
    first_day: date
    last_day: date
    note: str
    created_at: datetime
    created_by: str
    ended_at: datetime | None
    ended_by: str

    def state(self, today: date) -> State:
        if self.ended_at is not None:
            return State.ENDED
        if self.last_day < today:
            return State.EXPIRED
        if self.first_day > today:
            return State.COMING
        return State.SOON if self.last_day - today < SOON else State.VALID

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        return {
            "first_day": self.first_day.isoformat(),
            "last_day": self.last_day.isoformat(),
            "note": self.note,
        }


@dataclass(frozen=True)
class AccreditationFilter:
    """Which accreditations to list; an empty field asks nothing."""

    text: str = ""
    state: State | None = None


def checked_note(note: str) -> str:
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        raise Refused(message("The note is too long."), field="note")
    return note


# --- What entries about accreditations in the audit log say, and the words of their states.


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
