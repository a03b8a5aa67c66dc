"""The verbs of the search: records by any of their fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning
from armarium.selection.records.model import Record
from armarium.selection.search import queries
from armarium.selection.search.model import Question


@dataclass(frozen=True)
class Found:
    records: list[Record]
    total: int
    facets: Mapping[str, Mapping[Any, int]]  # how many have each value, by the field of the question


class Search:
    def __init__(self, database: Database) -> None:
        self._database = database

    def found(self, question: Question, me: int | None = None, *, limit: int, offset: Beginning = 0) -> Found:
        """A page of what answers, how many there are, and how they are divided.

        `me`: the account of whoever asks, for what they are responsible for.
        """
        with self._database.transaction() as connection:
            among = queries.answering(connection, question, me)
            total, facets = queries.facets(connection, question, me, among)
            if not total:
                return Found([], 0, facets)
            page = queries.page(connection, question, me, limit=limit, offset=offset, among=among)
        return Found(page, total, facets)

    page = reading(queries.page)
    count = reading(queries.count)
    numbers = reading(queries.numbers)
