"""Changing collections as people do: from what they typed, and only those that are theirs to change."""

import re
from dataclasses import replace

from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning
from armarium.index.chain.collections import Collections
from armarium.index.chain.model import Choice, Collection
from armarium.index.chain.service import Chain
from armarium.index.collections import queries
from armarium.index.imports import IMPORTED
from armarium.web.paging import number_in

MOST_CHOSEN = 10_000
LONGEST_TITLE = 200
_BETWEEN = re.compile(r"[\s,;]+")


class CollectionEditing:
    """Made where it is needed: it has nothing of its own."""

    def __init__(self, database: Database, collections: Collections) -> None:
        self._database = database
        self._collections = collections

    @classmethod
    def of(cls, services: Services) -> "CollectionEditing":
        return cls(services.get(Database), services.get(Chain).collections)

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[Collection], int]:
        return self._collections.page(limit=limit, offset=offset)

    def get(self, number: int) -> Collection:
        return self._collections.get(number)

    figures = reading(queries.figures)
    made = reading(queries.made)
    origins = reading(queries.origins)

    def add(self, actor: Actor, name: str, choice: Choice) -> Collection:
        _check(choice)
        if is_imported(name):
            raise Refused(message("Names that begin with “import-” are for imported indexes."), field="name")
        return self._collections.add(actor, name, choice)

    def change(self, actor: Actor, number: int, choice: Choice, edition: int | None = None) -> Collection:
        """`edition`: the one that was seen; None: whatever is there."""
        before = self.get(number)
        if is_imported(before.name):
            raise Refused(message("An imported index cannot be changed: import it again."))
        _check(choice)
        return self._collections.change(actor, number, before.edition if edition is None else edition, choice)

    def set_active(self, actor: Actor, number: int, active: bool) -> Collection:
        """One that is not active has no lines any more, and gets none; made active again it gets all."""
        return self.change(actor, number, replace(self.get(number).choice, active=active))


def is_imported(name: str) -> bool:
    return name.startswith(IMPORTED)


def is_ours(collection: Collection) -> bool:
    """Whether people may change it: neither that of everything nor an imported one."""
    return not collection.everything and not is_imported(collection.name)


def numbers_in(text: str, field: str) -> list[int]:
    """Numbers with commas, blanks or line ends between them."""
    words = [word for word in _BETWEEN.split(text.strip()) if word]
    found = {word: number_in(word.removeprefix("#")) for word in words[: MOST_CHOSEN + 1]}
    for word, number in found.items():
        if not number:
            told = message("“%(word)s” is no number of a harvest or accession.", word=word[:40])
            raise Refused(told, field=field)
    return sorted({number for number in found.values() if number})


def _check(chosen: Choice) -> None:
    if len(chosen.title) > LONGEST_TITLE:
        raise Refused(message("The title is too long."), field="title")
    if not chosen.harvests and not chosen.accessions:
        raise Refused(message("Choose at least one harvest or accession."), field="harvests")
    if len(chosen.harvests) + len(chosen.accessions) > MOST_CHOSEN:
        raise Refused(message("That are too many harvests and accessions."), field="harvests")
