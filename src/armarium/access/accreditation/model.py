"""Accreditations, what people enter about them, and their words on pages and in the audit log."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from armarium.core.errors import Refused
from armarium.core.message import Message, message

SOON = timedelta(days=30)
LONGEST = timedelta(days=3660)
LONGEST_NOTE = 500


class AccreditationState(StrEnum):
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
            raise Refused(message("The last day is before the first."), field="last_day")
        if self.last_day - self.first_day > LONGEST:
            raise Refused(message("An accreditation lasts at most ten years."), field="last_day")
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

    def state(self, today: date) -> AccreditationState:
        if self.ended_at is not None:
            return AccreditationState.ENDED
        if self.last_day < today:
            return AccreditationState.EXPIRED
        if self.first_day > today:
            return AccreditationState.COMING
        return AccreditationState.SOON if self.last_day - today < SOON else AccreditationState.VALID

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
    state: AccreditationState | None = None


def checked_note(note: str) -> str:
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        raise Refused(message("The note is too long."), field="note")
    return note


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
STATES: dict[AccreditationState, tuple[str, Message]] = {
    AccreditationState.VALID: ("good", message("valid")),
    AccreditationState.SOON: ("warning", message("ends soon")),
    AccreditationState.COMING: ("waiting", message("planned")),
    AccreditationState.EXPIRED: ("neutral", message("expired")),
    AccreditationState.ENDED: ("neutral", message("ended by staff")),
}
