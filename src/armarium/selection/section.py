"""What selection puts on the site."""

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.selection import words as room_words
from armarium.selection.collections import api as collections_api
from armarium.selection.collections import pages as collections_pages
from armarium.selection.records import api as records_api
from armarium.selection.records import pages as records_pages
from armarium.selection.records import pages_decisions as decisions_pages
from armarium.selection.records import tray_api, tray_pages
from armarium.selection.records.writing import TOPIC
from armarium.web.sections import Counted, Entry, Section, joined

P = Permission

#: The parts of the room. Order counts where an address of one could be taken for that of another.
PAGES = (collections_pages, tray_pages, records_pages, decisions_pages)
APIS = (collections_api, tray_api, records_api)
WORDS = (room_words,)


def _actions() -> dict[str, Message]:
    return {name: text for module in WORDS for name, text in module.ACTIONS.items()}


def _words() -> dict[str, Message]:
    return {name: text for module in WORDS for name, text in module.WORDS.items()}


SELECTION = Section(
    title=message("Selection"),
    order=10,
    entries=(
        Entry(
            message("In-tray"),
            tray_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("What waits for a decision, what was refused, and what others said about your records."),
            Counted(tray_pages.in_tray, TOPIC, message("Proposals, refusals and comments for you")),
        ),
        Entry(
            message("Collections"),
            collections_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("What the library collects, by whom, and what may be chosen in each collection."),
        ),
    ),
    pages=joined(*(module.pages for module in PAGES)),
    api=joined(*(module.api for module in APIS)),
    actions=_actions(),
    words=_words(),
)
