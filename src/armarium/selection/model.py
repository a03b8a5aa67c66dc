"""In which words librarians say how a site is to be harvested, with their titles."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from armarium.core.errors import Refused
from armarium.core.message import Message, message


class Budget(StrEnum):
    """How much of a site is taken at most; what it means in objects and bytes is said by the transfer."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class Frequency(StrEnum):
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    QUARTERLY = "quarterly"
    HALF_YEARLY = "half-yearly"
    ANNUAL = "annual"
    ONCE = "once"


class Depth(StrEnum):
    PAGE = "page"
    PAGE_1 = "page+1"
    PAGE_2 = "page+2"
    PATH = "path"
    HOST = "host"
    DOMAIN = "domain"


class RecordState(StrEnum):
    """Of a record: only validated, active ones are handed to planning."""

    PROPOSED = "proposed"
    VALIDATED = "validated"
    REFUSED = "refused"


class Origin(StrEnum):
    """How a record came into the collection."""

    ENTRY = "entry"
    IMPORT = "import"
    NOMINATION = "nomination"
    API = "api"


@dataclass(frozen=True)
class Combination:
    """What is chosen together. Some combinations make no sense, or cost too much: see the matrix."""

    budget: Budget
    frequency: Frequency
    depth: Depth


# Titles, and words of the audit log


BUDGETS: Mapping[Budget, Message] = {
    Budget.SMALL: message("Small"),
    Budget.MEDIUM: message("Medium"),
    Budget.LARGE: message("Large"),
}
FREQUENCIES: Mapping[Frequency, Message] = {
    Frequency.DAILY: message("Daily"),
    Frequency.WEEKLY: message("Weekly"),
    Frequency.MONTHLY: message("Monthly"),
    Frequency.QUARTERLY: message("Every three months"),
    Frequency.HALF_YEARLY: message("Twice a year"),
    Frequency.ANNUAL: message("Annual"),
    Frequency.ONCE: message("Once"),
}
DEPTHS: Mapping[Depth, Message] = {
    Depth.PAGE: message("Page"),
    Depth.PAGE_1: message("Page and what it links to"),
    Depth.PAGE_2: message("Page and two steps of links"),
    Depth.PATH: message("Path"),
    Depth.HOST: message("Host"),
    Depth.DOMAIN: message("Domain"),
}
STATES: Mapping[RecordState, Message] = {
    RecordState.PROPOSED: message("Proposed"),
    RecordState.VALIDATED: message("Validated"),
    RecordState.REFUSED: message("Rejected"),
}
ORIGINS: Mapping[Origin, Message] = {
    Origin.ENTRY: message("Entered by hand"),
    Origin.IMPORT: message("Imported"),
    Origin.NOMINATION: message("Nominated"),
    Origin.API: message("By the API"),
}

ACTIONS: dict[str, Message] = {
    "selection.denied": message("Attempt without permission denied"),
    "collection.created": message("Collection created"),
    "collection.changed": message("Collection changed"),
    "matrix.changed": message("Allowed combinations changed"),
    "record.created": message("Record created"),
    "record.changed": message("Record changed"),
    "record.moved": message("Record moved to another collection"),
    "record.validated": message("Record validated"),
    "record.refused": message("Record rejected"),
    "record.proposed": message("Record proposed again"),
    "record.commented": message("Comment on a record"),
}
WORDS: dict[str, Message] = {
    "collection": message("Collection"),
    "record": message("Record"),
    "matrix": message("Allowed combinations"),
    "deed": message("Attempt"),
    "address": message("Address"),
    "addresses": message("Further addresses"),
    "title": message("Title"),
    "theme": message("Theme"),
    "themes": message("Themes"),
    "budget": message("Budget"),
    "budgets": message("Budgets"),
    "frequency": message("Frequency"),
    "frequencies": message("Frequencies"),
    "depth": message("Depth"),
    "depths": message("Depths"),
    "default_budget": message("Default budget"),
    "default_frequency": message("Default frequency"),
    "default_depth": message("Default depth"),
    "default_theme": message("Default theme"),
    "open_to_nominations": message("Open to nominations"),
    "members": message("Members"),
    "member_groups": message("Member groups"),
    "description": message("Description"),
    "language": message("Language"),
    "keywords": message("Keywords"),
    "content_notes": message("Notes on the content"),
    "technical_notes": message("Technical notes"),
    "state": message("State"),
    "state_reason": message("Reason"),
    "responsible": message("Responsible"),
    "active": message("Active"),
    "comment": message("Comment"),
}

#: Words for values of which the audit log keeps the name that programs use.
VALUES: Mapping[str, Mapping[str, Message]] = {
    name: {one.value: text for one, text in table.items()}
    for names, table in (
        (("budget", "budgets", "default_budget"), BUDGETS),
        (("frequency", "frequencies", "default_frequency"), FREQUENCIES),
        (("depth", "depths", "default_depth"), DEPTHS),
        (("state",), STATES),
        (("origin",), ORIGINS),
    )
    for name in names
}


LONGEST_NAME = 100
LINE_END = re.compile(r"\r\n?")
#: Control characters, halves of surrogates, and what turns the direction of all that follows it on a page.
#: Not all that is unprintable: a no-break space stands before French marks, a joiner inside Persian words.
UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def line(text: str, field: str, most: int) -> str:
    """The text on one line, or a refusal that names the field."""
    kept = " ".join(text.split())
    if len(kept) > most or not kept.isprintable():
        raise Refused(
            message("This has at most %(most)s characters, all of them printable.", most=most), field=field
        )
    return kept


def lines(text: str) -> str:
    """The text with its line ends, without what is unfit; how long it may be says whoever keeps it."""
    return UNFIT.sub("", LINE_END.sub("\n", text)).strip()


def checked_name(text: str) -> str:
    """The name of something that people make, on one line."""
    name = " ".join(text.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused(
            message("A name has 1 to %(most)s printable characters.", most=LONGEST_NAME), field="name"
        )
    return name


def notes(text: str, field: str, most: int) -> str:
    kept = lines(text)
    if len(kept) > most:
        raise Refused(message("Notes have at most %(most)s characters.", most=most), field=field)
    return kept
