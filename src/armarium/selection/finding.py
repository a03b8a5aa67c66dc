"""What the search box finds in the room: records, collections, saved searches."""

from collections.abc import Sequence
from contextlib import suppress

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.core.services import Services
from armarium.selection.collections.service import Collections
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.selection.search.model import Question
from armarium.selection.search.service import Search, Searches
from armarium.web.finding import MOST, Finder, Found, fits
from armarium.web.numbers import number_in


def records(services: Services, _: Identity, words: str) -> Sequence[Found]:
    """By title, address, keywords and notes, as their list searches; or by the number."""
    found = services.get(Search).page(Question(q=words, order="-number"), limit=MOST + 1)
    if number := number_in(words):
        with suppress(NotFound):  # no record has it: it may stand in a title
            found.insert(0, services.get(Records).get(number))
    return [_shown(one) for one in {one.id: one for one in found}.values()]


def _shown(record: Record) -> Found:
    about = record.address if record.title else record.collection_name
    return Found(record.name, f"/selection/records/{record.id}", about)


def collections(services: Services, _: Identity, words: str) -> Sequence[Found]:
    return [
        Found(one.name, f"/selection/collections/{one.id}", one.description[:120])
        for one in services.get(Collections).all()
        if fits(words, one.name)
    ]


def searches(services: Services, identity: Identity, words: str) -> Sequence[Found]:
    return [
        Found(one.name, f"/selection/records?{one.query}", one.owner_name)
        for one in services.get(Searches).visible(editor_of(identity))
        if fits(words, one.name)
    ]


VIEW = Permission.SELECTION_VIEW
FINDERS = (
    Finder(message("Records"), VIEW, records, more="/selection/records?q="),
    Finder(message("Collections"), VIEW, collections),
    Finder(message("Saved searches"), VIEW, searches),
)
