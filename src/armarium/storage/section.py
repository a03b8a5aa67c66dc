"""What storage puts on the site."""

from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.storage.audits import api as audits_api
from armarium.storage.audits import model as audits_words
from armarium.storage.audits import pages as audits_pages
from armarium.storage.batches import api as batches_api
from armarium.storage.batches import model as batches_words
from armarium.storage.batches import pages as batches_pages
from armarium.storage.files import api as files_api
from armarium.storage.files import labels as files_words
from armarium.storage.files import pages as files_pages
from armarium.storage.finding import FINDERS
from armarium.storage.intake import api as intake_api
from armarium.storage.intake import model as intake_words
from armarium.storage.intake import pages as intake_pages
from armarium.storage.overview import OVERVIEW
from armarium.storage.rebuild import model as rebuild_words
from armarium.storage.repairs import api as repairs_api
from armarium.storage.repairs import pages as repairs_pages
from armarium.storage.repairs import transitions as repairs_words
from armarium.storage.replicas import api as places_api
from armarium.storage.replicas import model as places_words
from armarium.storage.replicas import pages as places_pages
from armarium.web.routes import joined
from armarium.web.sections import Entry, Place, Section

VIEW = Permission.STORAGE_VIEW

PAGES = (files_pages, places_pages, audits_pages, repairs_pages, intake_pages, batches_pages)
APIS = (files_api, places_api, audits_api, repairs_api, intake_api, batches_api)
WORDS = (
    files_words,
    places_words,
    audits_words,
    repairs_words,
    intake_words,
    batches_words,
    rebuild_words,
)


STORAGE = Section(
    title=message("Storage"),
    place=Place.ARCHIVE,
    order=50,
    entries=(
        Entry(
            message("Files"),
            files_pages.ADDRESS,
            VIEW,
            message("Every file in the archive, and its copies."),
        ),
        Entry(
            message("Replicas"),
            places_pages.ADDRESS,
            VIEW,
            message("The places that hold a copy of every file."),
        ),
        Entry(
            message("Audits"),
            audits_pages.ADDRESS,
            VIEW,
            message("Whether every copy is intact, and when it was last verified."),
        ),
        Entry(
            message("Repairs"),
            repairs_pages.ADDRESS,
            VIEW,
            message("Damaged copies, and what is done about them."),
        ),
        Entry(message("Imports"), intake_pages.ADDRESS, VIEW, message("W/ARC files from elsewhere.")),
        Entry(
            message("Batches"),
            batches_pages.ADDRESS,
            VIEW,
            message("Functions run over many files."),
            menu=Permission.STORAGE_MANAGE,
        ),
    ),
    overview=OVERVIEW,
    finders=FINDERS,
    pages=joined(*(module.pages for module in PAGES)),
    api=joined(*(module.api for module in APIS)),
    actions={name: text for module in WORDS for name, text in module.ACTIONS.items()},
    words={name: text for module in WORDS for name, text in module.WORDS.items()},
)
