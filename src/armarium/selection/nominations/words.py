"""The states of nominations in words, and what entries about them in the audit log say."""

from collections.abc import Mapping

from armarium.core.message import Message, message
from armarium.selection.nominations.model import NominationState

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
