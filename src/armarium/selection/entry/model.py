"""Addresses that somebody entered, with what was seen of each, and its titles."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from armarium.core.message import Message, message
from armarium.selection.entry.checker import PictureState, RobotsSays, Step, Trouble, Way
from armarium.selection.model import Budget, Depth, Frequency

MOST_LINES = 500


class LineState(StrEnum):
    WAITING = "waiting"
    CHECKING = "checking"
    FINE = "fine"
    REDIRECTS = "redirects"
    INVALID = "invalid"
    KNOWN = "known"  # the collection has a record of it
    TWICE = "twice"  # it stands further up in the same list


#: Nothing more will happen to them by themselves.
ENDED = frozenset(LineState) - {LineState.WAITING, LineState.CHECKING}
#: What a record may be made of.
SELECTABLE = frozenset({LineState.FINE, LineState.REDIRECTS})


@dataclass(frozen=True)
class Batch:
    """What was entered at once."""

    id: int
    collection: int
    collection_name: str
    record: int | None  # it is this record's address that is looked at again
    account: int | None
    created_at: datetime
    created_by: str


@dataclass(frozen=True)
class Check:
    """One line, and what was seen when its address was looked at. Its picture is asked for on its own."""

    id: int
    batch: int
    collection: int
    line: int
    typed: str
    address: str  # empty: the text is none
    key: str
    state: LineState
    twin: int  # the line that has the same address; 0: none
    trouble: Trouble
    steps: tuple[Step, ...]
    robots: RobotsSays
    robots_rule: str
    title: str
    language: str
    media_type: str
    size: int
    whole: bool
    tls_problem: str
    seconds: float
    picture_state: PictureState
    checked_at: datetime | None
    record: int | None  # that was made of it, or of which it is a further check

    @property
    def final(self) -> str:
        return self.steps[-1].url if self.steps else self.address

    @property
    def status(self) -> int:
        """The last status of HTTP; 0: there was none."""
        return self.steps[-1].status if self.steps else 0

    @property
    def addresses(self) -> tuple[str, ...]:
        """Those of which one may be chosen: every step of the way, each once."""
        if self.state not in SELECTABLE:
            return ()
        return tuple(dict.fromkeys(step.url for step in self.steps))

    @property
    def host_addresses(self) -> tuple[str, ...]:
        return self.steps[-1].addresses if self.steps else ()


@dataclass(frozen=True)
class Neighbour:
    """A record that is there already, as far as one who enters an address must know it."""

    id: int
    name: str
    address: str
    key: str
    host: str
    domain: str
    collection: int
    collection_name: str


@dataclass(frozen=True)
class Line:
    """A check beside what the collections have at this moment."""

    check: Check
    here: Mapping[str, Neighbour]  # addresses of its way that this collection has, each with its record
    elsewhere: tuple[Neighbour, ...]  # the same address in other collections
    beside: tuple[Neighbour, ...]  # other addresses of the same host or domain
    follows: int = 0  # the line further up that leads to the same address; 0: none

    @property
    def choices(self) -> tuple[str, ...]:
        """The addresses of which a record can be made now."""
        if self.check.record is not None:
            return ()
        return tuple(one for one in self.check.addresses if one not in self.here)

    @property
    def preferred(self) -> str:
        """The one that is offered first: where the address leads."""
        return self.choices[-1] if self.choices else ""

    @property
    def ticked(self) -> bool:
        """Taken unless the person says otherwise: what answers, is new under every address of its way, and
        does not lead where a line further up leads."""
        return bool(self.choices) and not self.here and not self.follows

    @property
    def state(self) -> LineState:
        """As it is now: somebody may have made the record meanwhile."""
        if self.check.state in SELECTABLE and self.here and not self.choices and self.check.record is None:
            return LineState.KNOWN
        return self.check.state


@dataclass(frozen=True)
class CommonValues:
    """What all records of a batch are given."""

    theme: int
    budget: Budget
    frequency: Frequency
    depth: Depth
    responsible: int | None = None


@dataclass(frozen=True)
class ChosenLine:
    """A line of which a record is to be made."""

    check: int
    address: str = ""  # one of its way; empty: where it leads
    title: str | None = None  # None: as the page has it
    language: str | None = None


# Titles, and words of the audit log


#: The words and the tone of each state.
STATES: Mapping[LineState, tuple[Message, str]] = {
    LineState.WAITING: (message("Waiting"), "waiting"),
    LineState.CHECKING: (message("Being checked"), "busy"),
    LineState.FINE: (message("Answers"), "good"),
    LineState.REDIRECTS: (message("Redirects"), "warning"),
    LineState.INVALID: (message("Invalid"), "bad"),
    LineState.KNOWN: (message("Known"), "neutral"),
    LineState.TWICE: (message("Twice"), "neutral"),
}

TROUBLES: Mapping[Trouble, Message] = {
    Trouble.NONE: message("No trouble"),
    Trouble.NO_ADDRESS: message("This is no address of a web site. Write it as https://example.org/."),
    Trouble.NO_NAME: message("The DNS gives no address for this name. Look for a typing error."),
    Trouble.DENIED: message(
        "This leads into a network that crawlers do not visit, such as the library’s own. Enter an address "
        "that the whole web can reach."
    ),
    Trouble.UNREACHABLE: message("The server gives no connection, or breaks it off."),
    Trouble.TOO_SLOW: message("The server did not answer in time. Try again later."),
    Trouble.STATUS: message("The server answers with an error."),
    Trouble.ASTRAY: message("Its redirects lead in a circle, on and on, or nowhere."),
}

WAYS: Mapping[Way, Message] = {
    Way.ASKED: message("As entered"),
    Way.REDIRECT: message("Redirect"),
    Way.REFRESH: message("Redirect in the page"),
}

ROBOTS: Mapping[RobotsSays, Message] = {
    RobotsSays.UNKNOWN: message("Not asked"),
    RobotsSays.ALLOWED: message("Allows it"),
    RobotsSays.FORBIDDEN: message("Forbids it"),
    RobotsSays.ABSENT: message("There is none"),
    RobotsSays.OUT_OF_REACH: message("Out of reach: a crawler that obeys takes nothing meanwhile"),
}

PICTURES: Mapping[PictureState, Message] = {
    PictureState.NONE: message("No picture: there is no page."),
    PictureState.TAKEN: message("The page as a browser shows it"),
    PictureState.NO_BROWSER: message("No picture: no Chromium is installed where the check runs."),
    PictureState.SWITCHED_OFF: message("No picture: the settings switch them off."),
    PictureState.FAILED: message("No picture: the browser could not take one."),
}

ACTIONS: dict[str, Message] = {
    "check.entered": message("Addresses added to be checked"),
    "check.resumed": message("Check of added addresses resumed"),
    "check.repeated": message("Address of a record checked again"),
}
WORDS: dict[str, Message] = {"lines": message("Lines")}
