"""The first act: accounts, collections, and profiles that may crawl the small web."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from armarium.accounts.model import Account, Identity, Profile, Role
from armarium.accounts.rules import permissions_of
from armarium.accounts.service import Accounts
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.core.crawl_order import merged
from armarium.core.errors import NotFound, Unavailable
from armarium.core.message import Message
from armarium.core.services import Services
from armarium.demo.calendar import Calendar
from armarium.demo.cast import GATHERINGS, PEOPLE, Gathering, Person, sites_of
from armarium.demo.folder import DemoFolder, Ports
from armarium.demo.furnishing import CRAWLING, fetching
from armarium.demo.living import LivingHouse
from armarium.demo.stage import Step, counted
from armarium.planning.profiles.service import Profiles
from armarium.selection.collections.model import Choices
from armarium.selection.collections.service import Collections
from armarium.selection.permissions import Editor, editor_of

# --- What every act needs: the house, who acts in it, and patience.


T = TypeVar("T")

LOOK = 0.2  # seconds between two looks
PATIENCE = 300.0  # seconds for one thing to happen; a step that needs longer has failed


@dataclass
class World:
    folder: DemoFolder
    ports: Ports
    living: LivingHouse
    services: Services
    calendar: Calendar
    accounts: dict[str, Account] = field(default_factory=dict)  # by name
    collections: dict[str, int] = field(default_factory=dict)  # numbers, by name
    records: int = 0
    harvested: frozenset[str] = frozenset()  # hosts of the records that were validated

    def get(self, kind: type[T]) -> T:
        """A service of the house."""
        return self.services.get(kind)

    def actor(self, name: str) -> Actor:
        """One of the people; the audit log says that it was done at a terminal, which is true."""
        return Actor(name, Via.COMMAND, self.accounts[name].id)

    def editor(self, name: str) -> Editor:
        """The same, in selection, with the rights of their roles and no others."""
        account = self.accounts[name]
        editor = editor_of(Identity(account, permissions_of(account.roles)))
        return replace(editor, actor=self.actor(name))

    @property
    def log(self) -> str:
        """For whoever wants to know why something went wrong."""
        return str(self.folder.log)

    def wait(self, condition: Callable[[], bool], late: Message) -> None:
        """Until it is so. `late`: what is said if it never is."""
        until = time.monotonic() + PATIENCE
        while not condition():
            self.living.check()
            if time.monotonic() > until:
                raise Unavailable(late)
            time.sleep(LOOK)


# --- The first act: accounts, collections, and profiles that may crawl the small web.


ADDRESS = "127.0.0.1"
WHY = "The small web of the demonstration is on this machine, and does not mind being asked quickly."


def settle_in(world: World, password: str, step: Step) -> None:
    for number, person in enumerate(PEOPLE):
        step.show(f"{person.full_name}, {person.role.value}", number, len(PEOPLE))
        world.accounts[person.name] = _account(world.get(Accounts), person, password)
    for gathering in GATHERINGS:
        world.collections[gathering.name] = _collection(world, gathering)
    _open_profiles(world)
    people = counted(len(PEOPLE), "person", "people")
    step.end(f"{people}, one for each role; {counted(len(GATHERINGS), 'collection')}")


def _account(accounts: Accounts, person: Person, password: str) -> Account:
    """The first by the link that a new house prints, the others by links of their own."""
    profile = Profile(
        person.name, f"{person.full_name} ({person.role.value})", "", "", frozenset({person.role})
    )
    if person.role is Role.ADMINISTRATOR:
        return _first(accounts, profile, password)
    made = accounts.create(SYSTEM, profile)
    return accounts.use_link(accounts.password_link(SYSTEM, made.id).key, password, ADDRESS)


def _first(accounts: Accounts, profile: Profile, password: str) -> Account:
    while True:
        link = accounts.first_link()
        assert link is not None, "a new house has no administrator"
        try:
            return accounts.use_link(link.key, password, ADDRESS, first=profile)
        except NotFound:  # the house has just made its own link, by which ours died
            if accounts.has_administrator():
                raise


def _collection(world: World, gathering: Gathering) -> int:
    collections, administrator = world.get(Collections), world.actor("administrator")
    choices = Choices(
        gathering.name,
        gathering.description,
        default_frequency=gathering.frequency,
        open_to_nominations=gathering.open_to_nominations,
    )
    themes = sorted({site.theme for site in sites_of(gathering)})
    made = collections.create(administrator, choices, themes=themes)
    collections.set_members(administrator, made.id, [world.accounts[gathering.librarian].id])
    return made.id


def _open_profiles(world: World) -> None:
    """A new version of each that came with Armarium: the loopback is closed to crawls otherwise."""
    profiles = world.get(Profiles)
    opened = {**CRAWLING, "fetching": fetching(world.ports)}
    for profile in profiles.active():
        document = merged(profile.document, opened)
        profiles.new_version(world.actor("engineer"), profile.id, document, WHY)
