"""The first act: accounts, collections, and profiles that may crawl the small web."""

from armarium.accounts.model import Account, Profile, Role
from armarium.accounts.service import Accounts
from armarium.core.actor import SYSTEM
from armarium.core.crawl_order import merged
from armarium.core.errors import NotFound
from armarium.demo.acts.world import World
from armarium.demo.cast import GATHERINGS, PEOPLE, Gathering, Person, sites_of
from armarium.demo.furnishing import CRAWLING, fetching
from armarium.demo.stage import Step, counted
from armarium.planning.profiles.service import Profiles
from armarium.selection.collections.model import Choices
from armarium.selection.collections.service import Collections

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
