"""Who acts in the demonstration, and what they collect."""

import secrets
from dataclasses import dataclass

from armarium.accounts.model import Role
from armarium.demo.web import SITES, Site
from armarium.selection.model import Frequency

R = Role


@dataclass(frozen=True)
class Person:
    name: str  # for signing in
    full_name: str
    role: Role
    does: str


PEOPLE = (
    Person("administrator", "Paul", R.ADMINISTRATOR, "looks after the system"),
    Person("librarian", "Ada", R.LIBRARIAN, "chooses sites of public life"),
    Person("librarian2", "Belle", R.LIBRARIAN, "chooses the other sites"),
    Person("curator", "Grace", R.CURATOR, "decides what is collected, and when"),
    Person("engineer", "Alan", R.ENGINEER, "runs the harvests"),
    Person("preservation", "Hypatia", R.PRESERVATION, "keeps the copies whole"),
    Person("manager", "Gabriel", R.MANAGER, "follows the figures"),
    Person("researcher", "Mary", R.RESEARCHER, "works with the archive as data"),
    Person("reader", "Jorge", R.READER, "reads"),
)


@dataclass(frozen=True)
class Gathering:
    """A collection, as its librarian thinks of it."""

    name: str
    description: str
    librarian: str
    frequency: Frequency
    themes: frozenset[str]  # of the small web; empty: all that no other collection takes
    open_to_nominations: bool = False


GATHERINGS = (
    Gathering(
        "Public life",
        "News, government, travel, sport, and what is on.",
        "librarian",
        Frequency.WEEKLY,
        frozenset({"News", "Government", "Travel", "Events", "Sport"}),
    ),
    Gathering(
        "Arts and learning",
        "Museums, music, film, letters and science.",
        "librarian2",
        Frequency.MONTHLY,
        frozenset(
            {"Art", "Film and sound", "Museums and libraries", "Learning", "Science", "Languages", "Writing"}
        ),
        open_to_nominations=True,
    ),
    Gathering(
        "Everyday life",
        "Shops, clubs, kitchens, home pages: what nobody thinks of keeping.",
        "librarian2",
        Frequency.MONTHLY,
        frozenset(),
        open_to_nominations=True,
    ),
)

WORDS = str.split(
    "amber anchor apple arrow autumn barley basket birch bridge button candle canvas cedar cherry "
    "copper cotton feather fiddle garden ginger hammer harbour hazel honey island ivory jasmine "
    "juniper kettle ladder lantern lemon linen lobster maple marble meadow mirror needle nutmeg "
    "olive orchard oyster paper pebble pepper pewter pillow quartz ribbon river saddle saffron "
    "silver sparrow spindle thistle thunder timber turnip umbrella velvet walnut willow window "
    "winter"
)


def new_password() -> str:
    """One for all: easy to type, and good enough for what only this machine reaches."""
    return "-".join(secrets.choice(WORDS) for _ in range(4))


def sites_of(gathering: Gathering) -> list[Site]:
    elsewhere = frozenset().union(*(one.themes for one in GATHERINGS))
    return [
        site
        for site in SITES
        if site.theme in gathering.themes or (not gathering.themes and site.theme not in elsewhere)
    ]
