"""Sections of the site: each room declares its own, the shell shows those that the visitor may see."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import urlsplit

from armarium.accounts.model import Identity, Permission
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import number
from armarium.web.finding import Finder
from armarium.web.overview import Asked, Contribution, waiting
from armarium.web.routes import Router


@dataclass(frozen=True)
class Counted:
    """How much waits behind an entry for the one who looks; asked for on every page, so it must be quick."""

    of: Callable[[Services, Identity], int]
    most: int = 999  # a larger figure is shown as “999+”


class Place(Enum):
    """What the menu unfolds: the work of a person, in the order of the walk of the data."""

    SELECT = message("Select")
    PLAN = message("Plan")
    HARVEST = message("Harvest")
    ARCHIVE = message("Archive")
    READ = message("Read")
    ADMINISTER = message("Administer")

    @property
    def icon(self) -> str:
        """Its drawing in icons.svg."""
        return self.name.lower()


@dataclass(frozen=True)
class Entry:
    """A page that people go to by itself: a line of the menu, or only of the search box."""

    title: Message
    href: str
    permission: Permission | None  # None: everybody who is signed in
    help: Message  # a sentence for the overview
    counted: Counted | None = None
    menu: Permission | None = None  # who has it in the menu; None: whoever may see it
    rare: bool = False  # other pages lead there; not in the menu


@dataclass(frozen=True, eq=False)  # each is one of its kind, and a key of what is made of it
class Section:
    """What a room puts on the site: entries of the menu, its pages, its part of the API."""

    title: Message
    place: Place
    order: int  # the walk of the data: selection first, administration last
    entries: Sequence[Entry]
    pages: Router
    api: Router | None = None
    actions: Mapping[str, Message] = field(default_factory=dict)  # what its entries in the audit log say
    words: Mapping[str, Message] = field(default_factory=dict)  # its things and their values in that log
    bodies: Mapping[str, int] = field(default_factory=dict)  # paths below which requests may be so many bytes
    overview: Contribution | None = None  # what it says on the page after sign-in
    finders: Sequence[Finder] = ()  # what the search box finds in it
    for_readers: str = ""  # where accounts come first that may do nothing on this site


def contributions(sections: Iterable[Section]) -> list[Contribution]:
    """What the rooms tell on the page after sign-in, in the order of the walk of the data."""
    ordered = sorted(sections, key=lambda section: section.order)
    return [section.overview for section in ordered if section.overview]


def speaking_of(action: str, sections: Iterable[Section]) -> list[Section]:
    """The room that does the action first: others may mean something else by the names of its values."""
    return sorted(sections, key=lambda section: action not in section.actions)


@dataclass(frozen=True)
class Item:
    """An entry as one visitor sees it."""

    label: Message
    href: str
    help: Message
    current: bool
    count: str  # as it is read; empty: nothing waits
    in_menu: bool


@dataclass(frozen=True)
class Group:
    """A place of the menu with what this visitor may see of it."""

    place: Place
    entries: tuple[Item, ...]
    told: bool = False  # the home page tells of something that waits there

    @property
    def label(self) -> Message:
        return self.place.value

    @property
    def current(self) -> Item | None:
        return next((item for item in self.entries if item.current), None)

    @property
    def menu(self) -> tuple[Item, ...]:
        return tuple(item for item in self.entries if item.in_menu or item.current)

    @property
    def waits(self) -> bool:
        return self.told or any(item.count for item in self.entries)


def places_that_wait(sections: Sequence[Section], asked: Asked) -> frozenset[Place]:
    """Where something waits for this person, as the home page tells it."""
    places = {entry.href: section.place for section in sections for entry in section.entries}
    found = set()
    for one in waiting(contributions(sections), asked):
        path = urlsplit(one.href).path
        if under := [href for href in places if _lies_under(path, href)]:
            found.add(places[max(under, key=len)])
    return frozenset(found)


def navigation(
    sections: Iterable[Section],
    identity: Identity,
    path: str,
    services: Services | None = None,
    waits: Container[Place] = (),
) -> list[Group]:
    """The places and entries that this visitor may see, the entry of the present page marked.

    `services`: where to ask how much waits; without them nothing is counted. `waits`: `places_that_wait`.
    """
    allowed: dict[Place, list[Entry]] = {place: [] for place in Place}
    for section in sorted(sections, key=lambda section: section.order):
        allowed[section.place] += _allowed(section, identity)
    under = [entry.href for entries in allowed.values() for entry in entries if _lies_under(path, entry.href)]
    current = max(under, key=len, default=None)
    groups = (
        Group(place, tuple(_item(entry, current, identity, services) for entry in entries), place in waits)
        for place, entries in allowed.items()
    )
    return [group for group in groups if group.menu]


def _allowed(section: Section, identity: Identity) -> list[Entry]:
    return [e for e in section.entries if e.permission is None or identity.may(e.permission)]


def _item(entry: Entry, current: str | None, identity: Identity, services: Services | None) -> Item:
    count = ""
    if entry.counted and services and (waiting := entry.counted.of(services, identity)):
        count = _figure(entry.counted, waiting)
    in_menu = not entry.rare and (entry.menu is None or identity.may(entry.menu))
    return Item(entry.title, entry.href, entry.help, entry.href == current, count, in_menu)


def _figure(counted: Counted, waiting: int) -> str:
    return f"{number(counted.most)}+" if waiting > counted.most else number(waiting)


def _lies_under(path: str, href: str) -> bool:
    return path == href or path.startswith(href.rstrip("/") + "/")
