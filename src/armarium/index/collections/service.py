"""Changing collections as people do: from what they typed, and only those that are theirs to change."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning
from armarium.index.chain.collections import Collections
from armarium.index.chain.model import Choice, Collection, IndexState, Kind, Level, RunState
from armarium.index.chain.service import Chain
from armarium.index.imports import IMPORTED
from armarium.index.tables import index_collection, index_file, index_membership, index_run
from armarium.web.paging import number_in


@dataclass(frozen=True)
class Figures:
    files: int = 0
    lines: int = 0
    bytes: int = 0  # of its own runs


@dataclass(frozen=True)
class Origin:
    """A harvest or an accession, and what the index has of it."""

    harvest: int | None
    accession: int | None
    files: int
    lines: int


MOST_ORIGINS = 100
C, F, M, R = index_collection.c, index_file.c, index_membership.c, index_run.c
LIVE = R.state == RunState.LIVE


def figures(connection: Connection, of: Sequence[Collection]) -> dict[int, Figures]:
    """Files, lines and the size of its own runs of each; lines are told by the few runs, not by all files."""
    collections = [one.id for one in of]
    mine = M.collection.in_(collections) & (M.kind == Kind.CDX)
    held = sa.select(M.collection, sa.func.count()).where(mine).group_by(M.collection)
    files: dict[int, int] = {row[0]: row[1] for row in connection.execute(held)}
    fresh = (
        sa.select(M.collection, sa.func.sum(R.lines))
        .join(index_run, R.id == M.run)
        .where(mine, LIVE, R.level == Level.FILE)
        .group_by(M.collection)
    )
    lines: dict[int, int] = {row[0]: int(row[1]) for row in connection.execute(fresh)}
    own = (
        sa.select(R.collection, sa.func.sum(R.lines), sa.func.sum(R.bytes))
        .where(R.collection.in_(collections), R.kind == Kind.CDX, LIVE, R.level != Level.FILE)
        .group_by(R.collection)
    )
    runs = {row[0]: (int(row[1]), int(row[2])) for row in connection.execute(own)}
    return {
        number: Figures(
            files.get(number, 0),
            lines.get(number, 0) + runs.get(number, (0, 0))[0],
            runs.get(number, (0, 0))[1],
        )
        for number in collections
    }


def made(connection: Connection, collection: int) -> tuple[datetime, str]:
    """When, and by whom."""
    row = connection.execute(sa.select(C.created_at, C.created_by).where(C.id == collection)).one()
    return row.created_at, row.created_by


def origins(connection: Connection, most: int = MOST_ORIGINS) -> list[Origin]:
    """Harvests and accessions of which the index has files, those with most files first."""
    counted = (
        sa.select(F.harvest, F.accession, sa.func.count().label("files"), sa.func.sum(F.lines).label("lines"))
        .where(F.state == IndexState.INDEXED, F.harvest.is_not(None) | F.accession.is_not(None))
        .group_by(F.harvest, F.accession)
        .order_by(sa.desc("files"), F.harvest, F.accession)
        .limit(most)
    )
    return [Origin(*row) for row in connection.execute(counted)]


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

    figures = reading(figures)
    made = reading(made)
    origins = reading(origins)

    def add(self, actor: Actor, name: str, choice: Choice) -> Collection:
        _check(choice)
        if is_imported(name):
            raise Refused(
                message("Names starting with “import-” are reserved for imported indexes."), field="name"
            )
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
            told = message("“%(word)s” is not the number of a harvest or import.", word=word[:40])
            raise Refused(told, field=field)
    return sorted({number for number in found.values() if number})


def _check(chosen: Choice) -> None:
    if len(chosen.title) > LONGEST_TITLE:
        raise Refused(message("The title is too long."), field="title")
    if not chosen.harvests and not chosen.accessions:
        raise Refused(message("Enter at least one harvest or import."), field="harvests")
    if len(chosen.harvests) + len(chosen.accessions) > MOST_CHOSEN:
        raise Refused(message("Too many harvests and imports."), field="harvests")
