"""What brings a site into the scope of legal deposit, and how it was found out; with titles."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from armarium.core.message import Message, message


class Criterion(StrEnum):
    NAME = "name"  # the ending of the host name is the country's
    SERVER = "server"  # its servers stand in the country
    POSTAL = "postal-address"  # the site gives a postal address there
    PUBLISHER = "publisher"  # who publishes it lives or resides there
    CONTENT = "content"  # it is about the country or for its people
    PERMISSION = "permission"  # whoever publishes it has agreed
    OTHER = "other"


@dataclass(frozen=True)
class Found:
    """One finding, before it is kept."""

    criterion: Criterion
    meets: bool
    text: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class ScopeNote(Found):
    id: int = 0
    record: int = 0
    at: datetime | None = None
    author: str = ""


def in_scope(notes: list[ScopeNote]) -> bool | None:
    """By the newest note of each criterion: one that is met is enough. None: nobody has looked."""
    newest: dict[Criterion, ScopeNote] = {}
    for note in sorted(notes, key=lambda note: note.id):
        newest[note.criterion] = note
    return any(note.meets for note in newest.values()) if newest else None


@dataclass(frozen=True)
class Located:
    address: str
    country: str  # two letters; empty: the database does not say


# Titles, and words of the audit log


CRITERIA: Mapping[Criterion, Message] = {
    Criterion.NAME: message("Ending of the name"),
    Criterion.SERVER: message("Place of the servers"),
    Criterion.POSTAL: message("Postal address on the site"),
    Criterion.PUBLISHER: message("Residence of the publisher"),
    Criterion.CONTENT: message("About the country, or for its people"),
    Criterion.PERMISSION: message("Permission of the publisher"),
    Criterion.OTHER: message("Another reason"),
}
EVIDENCE: Mapping[str, Message] = {
    "host": message("Host"),
    "national_domains": message("Domains of the country"),
    "addresses": message("Addresses"),
}
ACTIONS: dict[str, Message] = {
    "record.scope-noted": message("Legal scope looked at"),
}
WORDS: dict[str, Message] = {
    "criterion": message("Criterion"),
    "meets": message("Met"),
    "text": message("Text"),
}
VALUES: dict[str, dict[str, Message]] = {
    "criterion": {one.value: text for one, text in CRITERIA.items()},
}
