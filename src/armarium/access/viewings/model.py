"""Viewings, and the addresses that were asked for in them and are not there; with their words."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from armarium.access.viewings.protocols import Fate
from armarium.accounts.model import Identity, Permission
from armarium.core.message import Message, message

MOST_JOBS = 10_000  # of a viewing
MOST_MISSING = 10_000  # addresses that are noted for a viewing: a hostile page must not fill the table
LONGEST_URL = 2000  # bytes; what is longer fits no index of PostgreSQL
LONGEST_TEXT = 200  # of a title
LONGEST_NOTE = 5000


class MissingKind(StrEnum):
    """What an address looks like, by its ending."""

    PAGE = "page"
    IMAGE = "image"
    STYLE = "style"
    SCRIPT = "script"
    FONT = "font"
    MEDIA = "media"
    DOCUMENT = "document"
    DATA = "data"
    OTHER = "other"


class Standing(StrEnum):
    """Which missing addresses somebody wants to see."""

    OPEN = "open"  # nobody has handed them on
    HANDED = "handed"
    ALL = "all"


@dataclass(frozen=True)
class Person:
    """Who asks for viewings: their owner, or somebody who may see all of them."""

    account: int | None
    everything: bool = False

    @classmethod
    def of(cls, identity: Identity) -> "Person":
        return cls(identity.account.id, identity.may(Permission.ACCESS_EVERYTHING))


#: Whoever has a shell on the server.
OPERATOR = Person(None, everything=True)


@dataclass(frozen=True)
class Chosen:
    """What people decide about a viewing."""

    jobs: tuple[int, ...]
    title: str = ""
    note: str = ""


@dataclass(frozen=True)
class Viewing:
    id: int
    account: int
    owner: str  # the name of the account
    title: str
    jobs: tuple[int, ...]
    recording: bool
    note: str
    by_proxy: bool  # a word for the proxy was made
    passed_over: int
    created_at: datetime
    ended_at: datetime | None
    open: int = 0  # missing addresses that nobody has handed on
    handed: int = 0

    @property
    def name(self) -> str:
        """In addresses of the readers' site."""
        return f"viewing-{self.id}"

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        return {"title": self.title, "jobs": list(self.jobs), "note": self.note}


@dataclass(frozen=True)
class ViewingFilter:
    """Which viewings; an empty field asks nothing."""

    text: str = ""  # part of the title or the note
    ended: bool | None = None


ANY = ViewingFilter()


@dataclass(frozen=True)
class Missing:
    id: int
    viewing: int
    url: str
    key: str
    domain: str
    kind: MissingKind
    referrer: str
    times: int
    first_at: datetime
    last_at: datetime
    harvest: int | None
    handed_at: datetime | None
    handed_by: str


@dataclass(frozen=True)
class MissingFilter:
    """Which missing addresses; an empty field asks nothing."""

    standing: Standing = Standing.OPEN
    domain: str = ""
    kind: MissingKind | None = None
    referrer: str = ""  # part of the address of the page that asked
    text: str = ""  # part of the address


@dataclass(frozen=True)
class Noted:
    """One address that was asked for in vain, on its way into the table."""

    viewing: int
    url: str
    key: str
    referrer: str
    times: int
    first_at: datetime
    last_at: datetime


ACTIONS: dict[str, Message] = {
    "viewing.created": message("Viewing started"),
    "viewing.changed": message("Viewing changed"),
    "viewing.recording": message("Recording of missing addresses started"),
    "viewing.not_recording": message("Recording of missing addresses stopped"),
    "viewing.cleared": message("Missing addresses cleared"),
    "viewing.handed_over": message("Missing addresses added to a harvest"),
    "viewing.proxy_word": message("Proxy password created"),
    "viewing.ended": message("Viewing ended"),
    "viewing.reopened": message("Viewing reopened"),
}
WORDS: dict[str, Message] = {
    "viewing": message("Viewing"),
    "jobs": message("Jobs"),
    "missing": message("Missing addresses"),
}
KINDS: dict[MissingKind, Message] = {
    MissingKind.PAGE: message("Pages"),
    MissingKind.IMAGE: message("Pictures"),
    MissingKind.STYLE: message("Style sheets"),
    MissingKind.SCRIPT: message("Scripts"),
    MissingKind.FONT: message("Fonts"),
    MissingKind.MEDIA: message("Audio and video"),
    MissingKind.DOCUMENT: message("Documents"),
    MissingKind.DATA: message("Data"),
    MissingKind.OTHER: message("Other"),
}
STANDINGS: dict[Standing, Message] = {
    Standing.OPEN: message("Open"),
    Standing.HANDED: message("Added to a harvest"),
    Standing.ALL: message("All"),
}
#: With the tone of its badge.
FATES: dict[Fate, tuple[str, Message]] = {
    Fate.TAKEN: ("good", message("Added")),
    Fate.DUPLICATE: ("neutral", message("Already in the harvest")),
    Fate.REFUSED: ("bad", message("Rejected")),
}
