"""What selection puts on the site."""

from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.selection import collection_views, model
from armarium.selection.bulk import api as bulk_api
from armarium.selection.bulk import model as bulk
from armarium.selection.bulk import pages as bulk_pages
from armarium.selection.collections import api as collections_api
from armarium.selection.collections import pages as collections_pages
from armarium.selection.digests import pages as digests_pages
from armarium.selection.entry import api as entry_api
from armarium.selection.entry import model as entry
from armarium.selection.entry import pages as entry_pages
from armarium.selection.exchange import api as exchange_api
from armarium.selection.exchange import model as exchange
from armarium.selection.exchange import pages as exchange_pages
from armarium.selection.finding import FINDERS
from armarium.selection.findings import api as findings_api
from armarium.selection.findings import model as findings
from armarium.selection.findings import pages as findings_pages
from armarium.selection.legal import api as legal_api
from armarium.selection.legal import model as legal
from armarium.selection.legal import pages as legal_pages
from armarium.selection.nominations import api as nominations_api
from armarium.selection.nominations import model as nominations
from armarium.selection.nominations import pages as nominations_pages
from armarium.selection.nominations.pages import public_pages
from armarium.selection.overview import OVERVIEW
from armarium.selection.record_views import api as records_api
from armarium.selection.record_views import decisions, tray_pages
from armarium.selection.record_views import pages as records_pages
from armarium.selection.search import api as search_api
from armarium.selection.search import labels as search
from armarium.selection.search import pages as search_pages
from armarium.selection.search import saved_pages
from armarium.selection.transfer import api as transfer_api
from armarium.selection.transfer import labels as transfer
from armarium.selection.transfer import mapping_pages
from armarium.selection.transfer import pages as transfer_pages
from armarium.web.routes import joined
from armarium.web.sections import Counted, Entry, Place, Section

P = Permission

#: The parts of the room. Order counts where an address of one could be taken for that of another.
PAGES = (
    public_pages,
    transfer_pages.pages,
    mapping_pages.pages,
    mapping_pages.rule_pages,
    findings_pages.pages,
    legal_pages.pages,
    nominations_pages.pages,
    digests_pages.pages,
    collections_pages.pages,
    collection_views.pages,
    collections_pages.matrix_pages,
    entry_pages.pages,
    tray_pages.pages,
    search_pages.pages,
    saved_pages.pages,
    bulk_pages.pages,
    records_pages.pages,
    decisions.pages,
    exchange_pages.pages,
    exchange_pages.export_pages,
)
APIS = (
    transfer_api.api,
    findings_api.api,
    legal_api.api,
    nominations_api.api,
    collections_api.api,
    collections_api.matrix_api,
    entry_api.api,
    records_api.tray_api,
    search_api.api,
    bulk_api.api,
    records_api.api,
    exchange_api.api,
    exchange_api.export_api,
)
#: Whose actions and words the audit log shows.
LOGGED = (model, transfer, findings, entry, nominations, legal, exchange, search, bulk)


#: In the order of a librarian's day; what administrators set up comes after what is done every day.
SELECTION = Section(
    title=message("Selection"),
    place=Place.SELECT,
    order=10,
    entries=(
        Entry(
            message("Inbox"),
            tray_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("What waits for your decision, what was rejected, comments and findings."),
            Counted(tray_pages.in_tray),
        ),
        Entry(
            message("Add sites"),
            entry_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("Check addresses as the crawler sees them, and turn them into records."),
        ),
        Entry(
            message("Records"),
            search_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("Find records by any field, and edit many at once."),
        ),
        Entry(
            message("Saved searches"),
            saved_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("Yours, and those that others share."),
            rare=True,
        ),
        Entry(
            message("Nominations"),
            nominations_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("Sites that readers and partners suggest."),
            Counted(nominations_pages.waiting),
        ),
        Entry(
            message("Findings"),
            findings_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("What harvests and people noticed about selected sites."),
            Counted(findings_pages.open_findings),
        ),
        Entry(
            message("Import records"),
            exchange_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("Records from a spreadsheet, checked line by line before anything is saved."),
            rare=True,
        ),
        Entry(
            message("Export records"),
            exchange_pages.EXPORT_ADDRESS,
            P.SELECTION_VIEW,
            message("Records as a spreadsheet: all of them, or what a search finds."),
            rare=True,
        ),
        Entry(
            message("Collections"),
            collections_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("What the library collects, who works on it, and which settings are allowed."),
        ),
        Entry(
            message("Allowed combinations"),
            collections_pages.MATRIX,
            P.SELECTION_VIEW,
            message("Which budgets, frequencies and depths go together, and why others do not."),
            menu=P.SELECTION_RULES,
        ),
        Entry(
            message("Transfer"),
            transfer_pages.ADDRESS,
            P.SELECTION_TRANSFER,
            message("What a transfer to planning would change now, and earlier transfers."),
        ),
        Entry(
            message("Transfer rules"),
            mapping_pages.ADDRESS,
            P.SELECTION_TRANSFER,
            message("Which harvest and limits each budget, frequency and depth leads to."),
            menu=P.SELECTION_RULES,
        ),
        Entry(
            message("Mail digest"),
            digests_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("What waits for you, in one mail."),
            rare=True,
        ),
    ),
    overview=OVERVIEW,
    finders=FINDERS,
    pages=joined(*PAGES),
    api=joined(*APIS),
    actions={name: text for one in LOGGED for name, text in one.ACTIONS.items()},
    words={name: text for one in LOGGED for name, text in one.WORDS.items()},
)
