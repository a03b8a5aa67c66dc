"""A nomination, and what becomes of it, with its titles."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from armarium.core.message import Message, message


class NominationState(StrEnum):
    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"


@dataclass(frozen=True)
class Proposal:
    """What somebody fills in."""

    address: str
    title: str = ""
    reason: str = ""
    name: str = ""
    mail: str = ""
    collection: int | None = None


@dataclass(frozen=True)
class Nomination(Proposal):
    id: int = 0
    at: datetime | None = None
    key: str = ""
    language: str = ""
    state: NominationState = NominationState.WAITING
    answer: str = ""
    decided_at: datetime | None = None
    decided_by: str = ""
    record: int | None = None
    collection_name: str = ""  # empty: none was named

    @property
    def subject_name(self) -> str:
        return self.title or self.address

    def described(self) -> dict[str, object]:
        """The values that the audit log keeps: nothing about the person, who may want to be forgotten."""
        return {
            "address": self.address,
            "title": self.title,
            "collection": self.collection_name,
            "state": self.state.value,
            "answer": self.answer,
            "record": self.record,
        }


# Titles, and words of the audit log


STATES: Mapping[NominationState, Message] = {
    NominationState.WAITING: message("Waiting"),
    NominationState.ACCEPTED: message("Accepted"),
    NominationState.DECLINED: message("Declined"),
}
TONES: Mapping[NominationState, str] = {
    NominationState.WAITING: "waiting",
    NominationState.ACCEPTED: "good",
    NominationState.DECLINED: "neutral",
}
ACTIONS: dict[str, Message] = {
    "nomination.made": message("Site nominated"),
    "nomination.read": message("Nomination read"),
    "nomination.accepted": message("Nomination accepted"),
    "nomination.declined": message("Nomination declined"),
}
WORDS: dict[str, Message] = {
    "nomination": message("Nomination"),
    "answer": message("Answer"),
}
