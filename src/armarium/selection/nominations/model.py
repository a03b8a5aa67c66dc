"""A nomination: what it may say, what becomes of it, and its titles."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.core.text import is_address
from armarium.selection.model import line, lines
from armarium.selection.records.rules import place_of


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


# What it may say. Strangers write it: everything is bounded, nothing is fetched


LONGEST_LINE = 200
LONGEST_TEXT = 4000


def checked(proposal: Proposal) -> Proposal:
    """The proposal with its texts trimmed, or a refusal that names the field."""
    return replace(
        proposal,
        address=place_of(proposal.address).address,
        title=line(proposal.title, "title", LONGEST_LINE),
        reason=_text(proposal.reason, "reason"),
        name=line(proposal.name, "name", LONGEST_LINE),
        mail=_mail(proposal.mail),
    )


def check_answer(text: str) -> str:
    return _text(text, "answer")


def _text(text: str, field: str) -> str:
    kept = lines(text)
    if len(kept) > LONGEST_TEXT:
        raise Refused(message("This has at most %(most)s characters.", most=LONGEST_TEXT), field=field)
    return kept


def _mail(text: str) -> str:
    mail = text.strip()
    if mail and not is_address(mail):
        raise Refused(message("This does not look like a mail address."), field="mail")
    return mail
