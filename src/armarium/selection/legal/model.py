"""What brings a site into the scope of legal deposit, how it was found out, and its titles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.model import lines, notes


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
    "record.scope-noted": message("Legal scope assessed"),
}
WORDS: dict[str, Message] = {
    "criterion": message("Criterion"),
    "meets": message("Met"),
    "text": message("Text"),
}
VALUES: dict[str, dict[str, Message]] = {
    "criterion": {one.value: text for one, text in CRITERIA.items()},
}


# What names and addresses say. The facts are given


LONGEST_TEXT = 10_000


def by_name(host: str, national: Sequence[str]) -> Found:
    """Whether the name ends in one of the country’s."""
    endings = [one.strip(".").lower() for one in national]
    ending = next((one for one in endings if host == one or host.endswith(f".{one}")), None)
    text = (
        say(message("The name %(host)s ends in .%(ending)s.", host=host, ending=ending))
        if ending
        else say(message("The name %(host)s ends in none of the country’s domains.", host=host))
    )
    return Found(
        Criterion.NAME, ending is not None, text, {"host": host, "national_domains": ", ".join(endings)}
    )


def by_servers(host: str, located: Sequence[Located], national: Sequence[str]) -> Found:
    """Whether one of its servers stands in the country."""
    wanted = {one.upper() for one in national}
    inside = sorted({one.country for one in located if one.country in wanted})
    places = ", ".join(f"{one.address} ({one.country or '?'})" for one in located)
    if not located:
        text = say(message("The DNS has no address for %(host)s.", host=host))
    elif inside:
        text = say(
            message("Servers of %(host)s stand in %(countries)s.", host=host, countries=", ".join(inside))
        )
    else:
        text = say(message("No server of %(host)s is known to stand in the country.", host=host))
    return Found(Criterion.SERVER, bool(inside), text, {"host": host, "addresses": places})


def check_text(text: str) -> str:
    if not lines(text):
        raise Refused(message("Describe what you found, and where."), field="text")
    return notes(text, "text", LONGEST_TEXT)
