"""What planning puts on the site."""

from collections.abc import Iterable

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.planning import labels as job_labels
from armarium.planning.channels import pages as channels_pages
from armarium.planning.channels import service as channels
from armarium.planning.collector_api import BODIES, collector_api
from armarium.planning.collectors import api as collectors_api
from armarium.planning.collectors import pages as collectors_pages
from armarium.planning.collectors import service as collectors
from armarium.planning.domains import api as domains_api
from armarium.planning.domains import configuration_pages
from armarium.planning.domains import pages as domains_pages
from armarium.planning.domains import service as domains
from armarium.planning.domains import summary_pages as domain_summary
from armarium.planning.fields import pages as fields_pages
from armarium.planning.finding import HARVESTING_FINDERS, PLANNING_FINDERS
from armarium.planning.generation import labels as generation_labels
from armarium.planning.generation import pages as generation_pages
from armarium.planning.harvests import api as harvests_api
from armarium.planning.harvests import calendar_pages, member_pages, run_pages, summary_pages
from armarium.planning.harvests import labels as harvest_labels
from armarium.planning.harvests import pages as harvests_pages
from armarium.planning.history import api as history_api
from armarium.planning.history import pages as history_pages
from armarium.planning.jobs import api as jobs_api
from armarium.planning.jobs import job_pages, progress_pages
from armarium.planning.jobs import pages as jobs_pages
from armarium.planning.overview import OVERVIEW
from armarium.planning.profiles import api as profiles_api
from armarium.planning.profiles import pages as profiles_pages
from armarium.planning.profiles import service as profiles
from armarium.planning.schedules import api as schedules_api
from armarium.planning.schedules import model as schedule_labels
from armarium.planning.schedules import pages as schedules_pages
from armarium.planning.traps import pages as traps_pages
from armarium.planning.traps import service as traps
from armarium.web.routes import joined
from armarium.web.sections import Entry, Place, Section


def _entry(title: Message, href: str, about: Message, menu: Permission | None = None) -> Entry:
    return Entry(title, href, Permission.PLANNING_VIEW, about, menu=menu)


def _gathered(tables: Iterable[dict[str, Message]]) -> dict[str, Message]:
    return {name: text for table in tables for name, text in table.items()}


#: Addresses of one word before those with a number: the first that fits is taken.
PLANNING_PAGES = (
    traps_pages.pages,
    fields_pages.pages,
    configuration_pages.pages,
    domains_pages.domain_pages,
    domain_summary.pages,
    domains_pages.alias_pages,
    domains_pages.import_pages,
    profiles_pages.pages,
    schedules_pages.pages,
    generation_pages.pages,
    harvests_pages.pages,
    member_pages.events_pages,
    summary_pages.pages,
    member_pages.pages,
    run_pages.pages,
    calendar_pages.pages,
)
HARVESTING_PAGES = (
    channels_pages.pages,
    jobs_pages.pages,
    progress_pages.running_pages,
    progress_pages.pages,
    job_pages.pages,
    history_pages.pages,
    collectors_pages.pages,
)
PLANNING_APIS = (
    traps_pages,
    fields_pages,
    domains_api,
    profiles_api,
    schedules_api,
    generation_pages,
    harvests_api,
)
HARVESTING_APIS = (channels_pages, jobs_api, history_api, collectors_api)
#: Who says in its own words what entries of the audit log are about. The last one prevails.
PLANNING_WORDS = (traps, domains, profiles, schedule_labels, generation_labels, harvest_labels)
HARVESTING_WORDS = (channels, job_labels, collectors)

PLANNING = Section(
    title=message("Planning"),
    place=Place.PLAN,
    order=30,
    entries=(
        _entry(
            message("Harvests"), "/planning/harvests", message("What is harvested, when, and how it went.")
        ),
        _entry(
            message("Calendar"),
            "/planning/calendar",
            message("The harvests of the year and what they are expected to bring."),
        ),
        _entry(
            message("Domains"),
            "/planning/domains",
            message("Every domain with its seeds, its limits and its history."),
        ),
        _entry(
            message("Profiles"),
            "/planning/profiles",
            message("How a crawl behaves: scope, politeness, limits, in versions."),
            Permission.PLANNING_RULES,
        ),
        _entry(
            message("Schedules"),
            "/planning/schedules",
            message("How often harvests run."),
            Permission.PLANNING_RULES,
        ),
        _entry(
            message("Crawler traps"),
            "/planning/traps",
            message("Addresses that no job may follow, in lists for all domains."),
            Permission.PLANNING_RULES,
        ),
        _entry(
            message("Custom fields"),
            "/planning/fields",
            message("What your institution wants to record about domains and harvests."),
            Permission.PLANNING_RULES,
        ),
    ),
    finders=PLANNING_FINDERS,
    overview=OVERVIEW,
    pages=joined(*PLANNING_PAGES),
    api=joined(*(module.api for module in PLANNING_APIS)),
    actions=_gathered(module.ACTIONS for module in PLANNING_WORDS),
    words=_gathered(module.WORDS for module in PLANNING_WORDS),
)

HARVESTING = Section(
    title=message("Harvesting"),
    place=Place.HARVEST,
    order=40,
    entries=(
        _entry(message("Running jobs"), "/harvesting/running", message("What is being harvested now.")),
        _entry(message("Jobs"), "/harvesting/jobs", message("All jobs and their results.")),
        _entry(
            message("Collectors"),
            "/harvesting/collectors",
            message("Machines that crawl."),
            Permission.JOBS_MANAGE,
        ),
        _entry(
            message("Channels"),
            "/harvesting/channels",
            message("Which collectors run which harvests, and which come first."),
            Permission.JOBS_MANAGE,
        ),
    ),
    pages=joined(*HARVESTING_PAGES),
    api=joined(*(module.api for module in HARVESTING_APIS), collector_api),
    actions=_gathered(module.ACTIONS for module in HARVESTING_WORDS),
    words=_gathered(module.WORDS for module in HARVESTING_WORDS),
    bodies=BODIES,
    finders=HARVESTING_FINDERS,
)
