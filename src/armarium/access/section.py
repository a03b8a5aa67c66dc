"""What the reading room puts on the staff site."""

from armarium.access.accreditation import api as readers_api
from armarium.access.accreditation import model as readers_words
from armarium.access.accreditation import pages as readers_pages
from armarium.access.overview import OVERVIEW
from armarium.access.policy import pages as policy_pages
from armarium.access.readers import staff_entry
from armarium.access.rules import api as policy_api
from armarium.access.rules import labels as policy_words
from armarium.access.statistics import api as use_api
from armarium.access.statistics import pages as use_pages
from armarium.access.viewings import api as viewer_api
from armarium.access.viewings import labels as viewer_words
from armarium.access.viewings import pages as viewer_pages
from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.web.sections import Entry, Section, joined

WORDS = (policy_words, readers_words, viewer_words)


ACCESS = Section(
    title=message("Access"),
    order=70,
    entries=(
        Entry(
            message("Readers’ site"),
            "/access/go",
            None,
            message("See the archive as readers do; you need not sign in again."),
        ),
        Entry(
            message("Rules"),
            "/access/rules",
            Permission.ACCESS_VIEW,
            message("Who may read what, what is under embargo, and what was taken down."),
        ),
        Entry(
            message("Readers"),
            "/access/readers",
            Permission.ACCESS_READERS,
            message("Whom the library has accredited, and for how long."),
        ),
        Entry(
            message("Viewings"),
            "/access/viewings",
            Permission.VIEWER_USE,
            message("Look at what some jobs brought, and hand on what is missing."),
        ),
        Entry(
            message("Use"),
            "/access/use",
            Permission.ACCESS_VIEW,
            message("How much is read, from where and of what; nothing says who."),
        ),
    ),
    overview=OVERVIEW,
    pages=joined(
        staff_entry.pages, policy_pages.pages, readers_pages.pages, viewer_pages.pages, use_pages.pages
    ),
    api=joined(policy_api.api, readers_api.api, viewer_api.api, use_api.api),
    actions={name: text for module in WORDS for name, text in module.ACTIONS.items()},
    words={name: text for module in WORDS for name, text in module.WORDS.items()},
    for_readers=staff_entry.WELCOME,
)
