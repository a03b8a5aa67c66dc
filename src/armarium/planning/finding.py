"""What the search box finds: jobs by number, domains by how their name begins, the rest by a part of it."""

import re
from collections.abc import Callable, Iterator, Sequence

from armarium.accounts.model import Identity, Permission
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.planning.channels.service import Channels
from armarium.planning.collectors.service import Collectors
from armarium.planning.domains.service import Domains
from armarium.planning.harvests.labels import shown_harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.jobs.service import Jobs
from armarium.planning.labels import STATES
from armarium.planning.profiles.service import Profiles
from armarium.planning.schedules.model import in_words
from armarium.planning.schedules.service import Schedules
from armarium.planning.traps.service import TrapLists
from armarium.web.finding import MOST, Finder, Found, fits

JOB = re.compile(r"(?:[^\W\d]+[ -]*)?#?(\d{1,18})")  # 12, #12, job 12, job-12, Auftrag 12


def find_job(services: Services, _: Identity, words: str) -> Sequence[Found]:
    number = JOB.fullmatch(words)
    title = services.get(Jobs).title(int(number[1])) if number else None
    if number is None or title is None:
        return []
    state, harvest = title
    about = message("%(state)s · %(harvest)s", state=say(STATES[state][0]), harvest=harvest)
    return [Found(message("Job %(id)s", id=number[1]), f"/harvesting/jobs/{number[1]}", about)]


def find_collectors(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found = services.get(Collectors).called(words, MOST + 1)
    return [Found(name, f"/harvesting/collectors/{number}") for number, name in found]


def find_channels(services: Services, _: Identity, words: str) -> Sequence[Found]:
    return list(_channels(services.get(Channels), words))


def _channels(channels: Channels, words: str) -> Iterator[Found]:
    for one in channels.all():
        if fits(words, one.name, one.description):
            yield Found(one.name, f"/harvesting/channels/{one.id}", one.description)


HARVESTING_FINDERS = (
    Finder(message("Jobs"), Permission.PLANNING_VIEW, find_job),
    Finder(message("Collectors"), Permission.JOBS_MANAGE, find_collectors, more="/harvesting/collectors?q="),
    Finder(message("Channels"), Permission.JOBS_MANAGE, find_channels),
)

# --- What is planned

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


PLANNING_FINDERS = (
    _finder(message("Domains"), domains, "/planning/domains?q="),
    _finder(message("Harvests"), harvests, "/planning/harvests?q="),
    _finder(message("Profiles"), profiles, "/planning/profiles?q="),
    _finder(message("Schedules"), schedules, "/planning/schedules?q="),
    _finder(message("Crawler traps"), traps, "/planning/traps?q="),
)
