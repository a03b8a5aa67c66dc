"""What the index puts on the site."""

from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.index.captures import api as captures_api
from armarium.index.captures import pages as captures_pages
from armarium.index.collections import api as collections_api
from armarium.index.collections import pages as collections_pages
from armarium.index.finding import FINDERS
from armarium.index.overview import OVERVIEW
from armarium.index.upkeep import api as upkeep_api
from armarium.index.upkeep import labels
from armarium.index.upkeep import pages as upkeep_pages
from armarium.web.routes import joined
from armarium.web.sections import Entry, Place, Section

VIEW = Permission.INDEX_VIEW


INDEX = Section(
    title=message("Index"),
    place=Place.ARCHIVE,
    order=60,
    entries=(
        Entry(
            message("Find captures"),
            captures_pages.ADDRESS,
            VIEW,
            message("What the archive holds of an address, a host or a domain."),
        ),
        Entry(
            message("Index status"),
            upkeep_pages.ADDRESS,
            VIEW,
            message("Which files are indexed, which are waiting, and which failed."),
            menu=Permission.SYSTEM_VIEW,
        ),
        Entry(
            message("Access collections"),
            collections_pages.ADDRESS,
            VIEW,
            message("Harvests and imports that readers can browse by themselves."),
            menu=Permission.SYSTEM_VIEW,
        ),
    ),
    overview=OVERVIEW,
    finders=FINDERS,
    pages=joined(captures_pages.pages, upkeep_pages.pages, upkeep_pages.file_pages, collections_pages.pages),
    api=joined(captures_api.api, upkeep_api.api, collections_api.api),
    actions=labels.ACTIONS,
    words=labels.WORDS,
)
