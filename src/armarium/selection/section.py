"""What selection puts on the site."""

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.selection import words as room_words
from armarium.selection.bulk import api as bulk_api
from armarium.selection.bulk import pages as bulk_pages
from armarium.selection.bulk import words as bulk_words
from armarium.selection.collections import api as collections_api
from armarium.selection.collections import matrix_api, matrix_pages
from armarium.selection.collections import pages as collections_pages
from armarium.selection.collections import pages_parts as collections_parts
from armarium.selection.digests import pages as digests_pages
from armarium.selection.entry import api as entry_api
from armarium.selection.entry import pages as entry_pages
from armarium.selection.entry import words as entry_words
from armarium.selection.exchange import api as exchange_api
from armarium.selection.exchange import export_api, export_pages
from armarium.selection.exchange import pages as exchange_pages
from armarium.selection.exchange import words as exchange_words
from armarium.selection.findings import api as findings_api
from armarium.selection.findings import pages as findings_pages
from armarium.selection.findings import words as findings_words
from armarium.selection.legal import api as legal_api
from armarium.selection.legal import pages as legal_pages
from armarium.selection.legal import words as legal_words
from armarium.selection.nominations import api as nominations_api
from armarium.selection.nominations import pages as nominations_pages
from armarium.selection.nominations import words as nominations_words
from armarium.selection.nominations.public_pages import public_pages
from armarium.selection.overview import OVERVIEW
from armarium.selection.records import api as records_api
from armarium.selection.records import pages as records_pages
from armarium.selection.records import pages_decisions as decisions_pages
from armarium.selection.records import tray_api, tray_pages
from armarium.selection.search import api as search_api
from armarium.selection.search import pages as search_pages
from armarium.selection.search import pages_saved as saved_pages
from armarium.selection.search import showing as search_showing
from armarium.selection.search import words as search_words
from armarium.selection.transfer import api as transfer_api
from armarium.selection.transfer import pages as transfer_pages
from armarium.selection.transfer import pages_mapping as mapping_pages
from armarium.selection.transfer import words as transfer_words
from armarium.web.sections import Counted, Entry, Section, joined

P = Permission

#: The parts of the room. Order counts where an address of one could be taken for that of another.
PAGES = (
    transfer_pages,
    mapping_pages,
    findings_pages,
    legal_pages,
    nominations_pages,
    digests_pages,
    collections_pages,
    collections_parts,
    matrix_pages,
    entry_pages,
    tray_pages,
    search_pages,
    bulk_pages,
    records_pages,
    decisions_pages,
    exchange_pages,
    export_pages,
)
APIS = (
    transfer_api,
    findings_api,
    legal_api,
    nominations_api,
    collections_api,
    matrix_api,
    entry_api,
    tray_api,
    search_api,
    bulk_api,
    records_api,
    exchange_api,
    export_api,
)
WORDS = (
    room_words,
    transfer_words,
    findings_words,
    entry_words,
    nominations_words,
    legal_words,
    exchange_words,
    search_words,
    bulk_words,
)


def _actions() -> dict[str, Message]:
    return {name: text for module in WORDS for name, text in module.ACTIONS.items()}


def _words() -> dict[str, Message]:
    return {name: text for module in WORDS for name, text in module.WORDS.items()}


#: In the order of a librarian's day; what administrators set up comes after what is done every day.
SELECTION = Section(
    title=message("Selection"),
    order=10,
    entries=(
        Entry(
            message("In-tray"),
            tray_pages.ADDRESS,
            P.SELECTION_EDIT,
            message(
                "What waits for a decision, what was refused, what others said of your records, and findings."
            ),
            Counted(tray_pages.in_tray),
        ),
        Entry(
            message("Enter addresses"),
            entry_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("Look at addresses as the crawler would see them, and make records of them."),
        ),
        Entry(
            message("Records"),
            search_showing.ADDRESS,
            P.SELECTION_VIEW,
            message("Find records by any of their fields, and change many at once."),
        ),
        Entry(
            message("Saved searches"),
            saved_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("Yours, and those that others share."),
        ),
        Entry(
            message("Nominations"),
            nominations_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("Sites that readers and partners propose."),
            Counted(nominations_pages.waiting),
        ),
        Entry(
            message("Findings"),
            findings_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("What harvests and people observed of the sites that were chosen."),
            Counted(findings_pages.open_findings),
        ),
        Entry(
            message("Import"),
            exchange_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("Records from a spreadsheet: tried first, with every bad line named, then taken in."),
        ),
        Entry(
            message("Export"),
            export_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("Records as a file for a spreadsheet: all of them, or what a search finds."),
        ),
        Entry(
            message("Collections"),
            collections_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("What the library collects, by whom, and what may be chosen in each collection."),
        ),
        Entry(
            message("Matrix"),
            matrix_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("Which budgets, frequencies and depths go together, and why others do not."),
        ),
        Entry(
            message("Transfer"),
            transfer_pages.ADDRESS,
            P.SELECTION_TRANSFER,
            message("What would change in planning now, and what was handed over."),
        ),
        Entry(
            message("Mapping"),
            mapping_pages.ADDRESS,
            P.SELECTION_TRANSFER,
            message(
                "What planning is told for each budget, frequency and depth, and which harvest takes it."
            ),
        ),
        Entry(
            message("Digest by mail"),
            digests_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("What waits for you, gathered into one mail."),
        ),
    ),
    overview=OVERVIEW,
    pages=joined(public_pages, *(module.pages for module in PAGES)),
    api=joined(*(module.api for module in APIS)),
    actions=_actions(),
    words=_words(),
)
