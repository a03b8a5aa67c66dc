"""What selection puts on the site."""

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.selection import words as room_words
from armarium.selection.collections import api as collections_api
from armarium.selection.collections import pages as collections_pages
from armarium.selection.exchange import api as exchange_api
from armarium.selection.exchange import pages as exchange_pages
from armarium.selection.exchange import words as exchange_words
from armarium.web.sections import Entry, Section, joined

P = Permission

#: The parts of the room. Order counts where an address of one could be taken for that of another.
PAGES = (collections_pages, exchange_pages)
APIS = (collections_api, exchange_api)
WORDS = (room_words, exchange_words)


def _actions() -> dict[str, Message]:
    return {name: text for module in WORDS for name, text in module.ACTIONS.items()}


def _words() -> dict[str, Message]:
    return {name: text for module in WORDS for name, text in module.WORDS.items()}


SELECTION = Section(
    title=message("Selection"),
    order=10,
    entries=(
        Entry(
            message("Collections"),
            collections_pages.ADDRESS,
            P.SELECTION_VIEW,
            message("What the library collects, by whom, and what may be chosen in each collection."),
        ),
        Entry(
            message("Import"),
            exchange_pages.ADDRESS,
            P.SELECTION_EDIT,
            message("Records from a spreadsheet: tried first, with every bad line named, then taken in."),
        ),
    ),
    pages=joined(*(module.pages for module in PAGES)),
    api=joined(*(module.api for module in APIS)),
    actions=_actions(),
    words=_words(),
)
