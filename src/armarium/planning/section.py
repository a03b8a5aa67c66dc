"""What planning puts on the site."""

from collections.abc import Iterable

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.planning import labels as jobs_words
from armarium.planning.channels import api as channels_api
from armarium.planning.channels import pages as channels_pages
from armarium.planning.channels import service
from armarium.planning.collector_api import BODIES
from armarium.planning.collectors import api as collectors_api
from armarium.planning.collectors import pages as collectors_pages
from armarium.planning.collectors import service as collectors_words
from armarium.planning.domains import api as aliases_api
from armarium.planning.domains import api as domains_api
from armarium.planning.domains import labels as domains_words
from armarium.planning.domains import pages as domains_pages
from armarium.planning.fields import api as fields_api
from armarium.planning.fields import pages as fields_pages
from armarium.planning.generation import api as generation_api
from armarium.planning.generation import labels as generation_words
from armarium.planning.generation import pages as generation_pages
from armarium.planning.harvests import api as harvests_api
from armarium.planning.harvests import labels as harvests_words
from armarium.planning.harvests import pages as harvests_pages
from armarium.planning.jobs import api as jobs_api
from armarium.planning.jobs import pages as jobs_pages
from armarium.planning.overview import OVERVIEW
from armarium.planning.profiles import api as profiles_api
from armarium.planning.profiles import pages as profiles_pages
from armarium.planning.profiles import service as profiles_words
from armarium.planning.schedules import api as schedules_api
from armarium.planning.schedules import labels as schedules_labels
from armarium.planning.schedules import pages as schedules_pages
from armarium.planning.traps import api, labels, pages
from armarium.web.sections import Entry, Section, joined

P = Permission


def _gathered(tables: Iterable[dict[str, Message]]) -> dict[str, Message]:
    return {name: text for table in tables for name, text in table.items()}


PAGES = (
    pages,
    fields_pages,
    domains_pages,
    profiles_pages,
    schedules_pages,
    generation_pages,
    harvests_pages,
    channels_pages,
    jobs_pages,
    collectors_pages,
)
APIS = (
    api,
    fields_api,
    aliases_api,
    domains_api,
    profiles_api,
    schedules_api,
    generation_api,
    harvests_api,
    channels_api,
    jobs_api,
    collectors_api,
)
WORDS = (
    labels,
    domains_words,
    profiles_words,
    schedules_labels,
    generation_words,
    harvests_words,
    service,
    jobs_words,
    collectors_words,
)

PLANNING = Section(
    title=message("Planning"),
    order=30,
    entries=(
        Entry(
            message("Harvests"),
            "/planning/harvests",
            P.PLANNING_VIEW,
            message("What is harvested, when, and how it went."),
        ),
        Entry(
            message("Calendar"),
            "/planning/calendar",
            P.PLANNING_VIEW,
            message("The harvests of the year and what they are expected to bring."),
        ),
        Entry(
            message("Domains"),
            "/planning/domains",
            P.PLANNING_VIEW,
            message("Every domain with its seeds, its limits and its history."),
        ),
        Entry(
            message("Profiles"),
            "/planning/profiles",
            P.PLANNING_VIEW,
            message("How a crawl behaves: scope, politeness, limits, in versions."),
        ),
        Entry(
            message("Schedules"),
            "/planning/schedules",
            P.PLANNING_VIEW,
            message("How often harvests run."),
        ),
        Entry(
            message("Crawler traps"),
            "/planning/traps",
            P.PLANNING_VIEW,
            message("Addresses that no job may follow, in lists for all domains."),
        ),
        Entry(
            message("Extended fields"),
            "/planning/fields",
            P.PLANNING_VIEW,
            message("What your institution wants to know about domains and harvests beside the rest."),
        ),
    ),
    overview=OVERVIEW,
    pages=joined(*(module.pages for module in PAGES[:7])),
    api=joined(*(module.api for module in APIS[:8])),
    actions=_gathered(module.ACTIONS for module in WORDS[:6]),
    words=_gathered(module.WORDS for module in WORDS[:6]),
)

HARVESTING = Section(
    title=message("Harvesting"),
    order=40,
    entries=(
        Entry(
            message("Running jobs"),
            "/harvesting/running",
            P.PLANNING_VIEW,
            message("What is being harvested at this moment."),
        ),
        Entry(
            message("Jobs"),
            "/harvesting/jobs",
            P.PLANNING_VIEW,
            message("Every job that was ever made, and what came of it."),
        ),
        Entry(
            message("Collectors"),
            "/harvesting/collectors",
            P.PLANNING_VIEW,
            message("The machines that crawl, and what they are doing."),
        ),
        Entry(
            message("Channels"),
            "/harvesting/channels",
            P.PLANNING_VIEW,
            message("Which collectors serve which harvests first."),
        ),
    ),
    pages=joined(*(module.pages for module in PAGES[7:])),
    api=joined(*(module.api for module in APIS[8:])),
    actions=_gathered(module.ACTIONS for module in WORDS[6:]),
    words=_gathered(module.WORDS for module in WORDS[6:]),
    bodies=BODIES,
)
