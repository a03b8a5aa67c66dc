"""What the reading room puts on the staff site."""

from armarium.access.accreditation import api as accreditation_api
from armarium.access.accreditation import model as accreditation_labels
from armarium.access.accreditation import pages as accreditation_pages
from armarium.access.finding import FINDERS
from armarium.access.networks import pages as networks_pages
from armarium.access.overview import OVERVIEW
from armarium.access.pictures import pages as pictures_pages
from armarium.access.readers import pages
from armarium.access.rules import api as rules_api
from armarium.access.rules import page_data as rules_labels
from armarium.access.rules import pages as rules_pages
from armarium.access.rules import why_page
from armarium.access.statistics import pages as statistics_pages
from armarium.access.viewings import api as viewings_api
from armarium.access.viewings import job_pages as viewing_job_pages
from armarium.access.viewings import missing_pages as viewing_missing_pages
from armarium.access.viewings import model as viewings_labels
from armarium.access.viewings import pages as viewings_pages
from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.web.routes import joined
from armarium.web.sections import Entry, Place, Section

PAGES = (
    pages,
    rules_pages,
    why_page,
    networks_pages,
    accreditation_pages,
    viewings_pages,
    viewing_job_pages,
    viewing_missing_pages,
    statistics_pages,
    pictures_pages,
)
API = (
    rules_api.api,
    networks_pages.api,
    rules_api.decisions,
    accreditation_api.api,
    viewings_api.api,
    statistics_pages.api,
)
LABELS = (rules_labels, accreditation_labels, viewings_labels)


ACCESS = Section(
    title=message("Access"),
    place=Place.READ,
    order=70,
    entries=(
        Entry(
            message("Access rules"),
            "/access/rules",
            Permission.ACCESS_VIEW,
            message("Who may read what, what is under embargo, and what was taken down."),
        ),
        Entry(
            message("Readers"),
            "/access/readers",
            Permission.ACCESS_READERS,
            message("Readers accredited by the library, and for how long."),
        ),
        Entry(
            message("Quality viewing"),
            "/access/viewings",
            Permission.VIEWER_USE,
            message("View the captures of jobs as readers would, and record what is missing."),
        ),
        Entry(
            message("Reader statistics"),
            "/access/use",
            Permission.ACCESS_VIEW,
            message("How much is read, from where, and what. Never who."),
        ),
        Entry(
            message("Readers’ site"),
            "/access/go",
            None,
            message("See the archive as readers do, without signing in again."),
        ),
    ),
    overview=OVERVIEW,
    finders=FINDERS,
    pages=joined(*(module.pages for module in PAGES)),
    api=joined(*API),
    actions={name: text for module in LABELS for name, text in module.ACTIONS.items()},
    words={name: text for module in LABELS for name, text in module.WORDS.items()},
    for_readers=pages.WELCOME,
)
