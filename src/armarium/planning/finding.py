"""What the search box finds of the harvesting: jobs by number, collectors and channels by name."""

import re
from collections.abc import Iterator, Sequence

from armarium.accounts.model import Identity, Permission
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.planning.channels.service import Channels
from armarium.planning.collectors.service import Collectors
from armarium.planning.jobs.service import Jobs
from armarium.planning.labels import STATES
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


FINDERS = (
    Finder(message("Jobs"), Permission.PLANNING_VIEW, find_job),
    Finder(message("Collectors"), Permission.JOBS_MANAGE, find_collectors, more="/harvesting/collectors?q="),
    Finder(message("Channels"), Permission.JOBS_MANAGE, find_channels),
)
