"""What selection puts on the site."""

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.selection import words as room_words
from armarium.selection.collections import api as collections_api
from armarium.selection.collections import matrix_api, matrix_pages
from armarium.selection.collections import pages as collections_pages
from armarium.selection.collections import pages_parts as collections_parts
from armarium.web.sections import Entry, Section, joined

P = Permission

#: The parts of the room. Order counts where an address of one could be taken for that of another.
PAGES = (collections_pages, collections_parts, matrix_pages)
APIS = (collections_api, matrix_api)
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
    ),
    pages=joined(*(module.pages for module in PAGES)),
    api=joined(*(module.api for module in APIS)),
    actions=_actions(),
    words=_words(),
)
