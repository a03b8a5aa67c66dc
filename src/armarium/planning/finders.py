"""What the search box finds in planning: domains by the beginning of their name, the rest by a part of it."""

from collections.abc import Callable, Sequence

from armarium.accounts.model import Identity, Permission
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.planning.domains.service import Domains
from armarium.planning.harvests.labels import shown_harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.profiles.service import Profiles
from armarium.planning.schedules.model import in_words
from armarium.planning.schedules.service import Schedules
from armarium.planning.traps.service import TrapLists
from armarium.web.finding import MOST, Finder, Found

ASKED = MOST + 1


def domains(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found = services.get(Domains).beginning(words, ASKED)
    return [Found(name, f"/planning/domains/{number}") for number, name in found]


def harvests(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found, _total = services.get(Harvests).matching(words, limit=ASKED)
    return [Found(one.name, f"/planning/harvests/{one.id}", shown_harvest(one)["title"]) for one in found]


def profiles(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found, _total = services.get(Profiles).matching(words, limit=ASKED)
    return [Found(one.name, f"/planning/profiles/{one.id}", one.description) for one in found]


def schedules(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found, _total = services.get(Schedules).matching(words, limit=ASKED)
    return [Found(one.name, f"/planning/schedules/{one.id}", in_words(one)) for one in found]


def traps(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found, _total = services.get(TrapLists).matching(words, limit=ASKED)
    return [Found(one.name, f"/planning/traps/{one.id}", one.description) for one in found]


def _finder(title: Message, find: Callable[[Services, Identity, str], Sequence[Found]], more: str) -> Finder:
    return Finder(title, Permission.PLANNING_VIEW, find, more)


FINDERS = (
    _finder(message("Domains"), domains, "/planning/domains?q="),
    _finder(message("Harvests"), harvests, "/planning/harvests?q="),
    _finder(message("Profiles"), profiles, "/planning/profiles?q="),
    _finder(message("Schedules"), schedules, "/planning/schedules?q="),
    _finder(message("Crawler traps"), traps, "/planning/traps?q="),
)
