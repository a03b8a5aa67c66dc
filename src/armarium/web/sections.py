"""Sections of the site: each room declares its own, the shell shows those that the visitor may see."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from armarium.accounts.model import Identity, Permission
from armarium.core.message import Message
from armarium.core.services import Services
from armarium.languages.speech import number
from armarium.web.overview import Contribution
from armarium.web.routes import Router


@dataclass(frozen=True)
class Counted:
    """How much waits behind an entry for the one who looks; asked for on every page, so it must be quick."""

    of: Callable[[Services, Identity], int]
    most: int = 999  # a larger figure is shown as “999+”


@dataclass(frozen=True)
class Entry:
    """One line of the navigation."""

    title: Message
    href: str
    permission: Permission | None  # None: everybody who is signed in
    help: Message  # a sentence for the overview
    counted: Counted | None = None


@dataclass(frozen=True, eq=False)  # each is one of its kind, and a key of what is made of it
class Section:
    """What a room puts on the site: a heading with entries, its pages, its part of the API."""

    title: Message
    order: int  # the walk of the data: selection first, administration last
    entries: Sequence[Entry]
    pages: Router
    api: Router | None = None
    actions: Mapping[str, Message] = field(default_factory=dict)  # what its entries in the audit log say
    words: Mapping[str, Message] = field(default_factory=dict)  # its things and their values in that log
    bodies: Mapping[str, int] = field(default_factory=dict)  # paths below which requests may be so many bytes
    overview: Contribution | None = None  # what it says on the page after sign-in
    for_readers: str = ""  # where accounts come first that may do nothing on this site


def contributions(sections: Iterable[Section]) -> list[Contribution]:
    """What the rooms tell on the page after sign-in, in the order of the walk of the data."""
    ordered = sorted(sections, key=lambda section: section.order)
    return [section.overview for section in ordered if section.overview]


def speaking_of(action: str, sections: Iterable[Section]) -> list[Section]:
    """The room that does the action first: others may mean something else by the names of its values."""
    return sorted(sections, key=lambda section: action not in section.actions)


def navigation(
    sections: Iterable[Section], identity: Identity, path: str, services: Services | None = None
) -> list[dict[str, Any]]:
    """The sections and entries that this visitor may see, the one of the present page marked.

    `services`: where to ask how much waits; without them nothing is counted.
    """
    shown = []
    for section in sorted(sections, key=lambda section: section.order):
        allowed = _allowed(section, identity)
        current = max((e.href for e in allowed if _lies_under(path, e.href)), key=len, default=None)
        items = [_shown(entry, entry.href == current, identity, services) for entry in allowed]
        if items:
            shown.append({"label": section.title, "items": items})
    return shown


def _allowed(section: Section, identity: Identity) -> list[Entry]:
    return [e for e in section.entries if e.permission is None or identity.may(e.permission)]


def _shown(entry: Entry, current: bool, identity: Identity, services: Services | None) -> dict[str, Any]:
    count = ""
    if entry.counted and services and (waiting := entry.counted.of(services, identity)):
        count = _figure(entry.counted, waiting)
    return {"label": entry.title, "href": entry.href, "current": current, "count": count, "help": entry.help}


def _figure(counted: Counted, waiting: int) -> str:
    return f"{number(counted.most)}+" if waiting > counted.most else number(waiting)


def _lies_under(path: str, href: str) -> bool:
    return path == href or path.startswith(href.rstrip("/") + "/")
