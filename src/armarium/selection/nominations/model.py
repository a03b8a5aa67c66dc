"""A nomination, and what becomes of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
