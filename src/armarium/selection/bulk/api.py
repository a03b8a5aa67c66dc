"""The API of bulk edits: preview, apply, undo."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.languages.speech import say
from armarium.selection.bulk.model import MOST, Bulk, BulkState, Changes, Verdict
from armarium.selection.bulk.service import BulkEdits
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.permissions import editor_of
from armarium.selection.search.model import Question
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Amount, AtHundred, Id, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/bulk", tags=["bulk edits"])

BulkService = Annotated[BulkEdits, Depends(service(BulkEdits))]
VIEW = operation(Permission.SELECTION_VIEW)
EDIT = operation(Permission.SELECTION_EDIT)


class BulkGiven(BaseModel):
    """Of which records, and what is to be changed. What is not said stays as it is."""

    model_config = ConfigDict(extra="forbid")

    query: str | None = Field(None, max_length=100_000, description="All that GET /api/records finds by it.")
    records: list[Id] = Field([], max_length=MOST, description="Or the numbers of records.")
    collection: Id | None = None
    theme: Id | None = None
    budget: Budget | None = None
    frequency: Frequency | None = None
    depth: Depth | None = None
    responsible: Amount | None = Field(None, description="The number of an account; 0: nobody.")
    language: str | None = Field(None, max_length=50)
    keywords_add: list[str] = Field([], max_length=100)
    keywords_remove: list[str] = Field([], max_length=100)
    active: bool | None = None
    content_notes: str = Field("", max_length=20_000, description="Added below the notes that there are.")
    technical_notes: str = Field("", max_length=20_000, description="Added below the notes that there are.")
    state: RecordState | None = None
    reason: str = Field("", max_length=2000)

    def question(self) -> Question:
        """An empty list of records is no question: it must not mean all of them."""
        if self.query is not None and not self.records:
            return Question.parse(self.query)
        return Question(number=tuple(sorted(set(self.records))) or (2**63 - 1,))

    def changes(self) -> Changes:
        given = self.model_dump(exclude={"query", "records"})
        several = {name: tuple(given[name]) for name in ("keywords_add", "keywords_remove")}
        return Changes(**{**given, **several})


class BulkShown(BaseModel):
    id: int
    actor: str
    query: str
    changes: dict[str, Any]
    state: BulkState
    found: int
    changing: int
    same: int
    refused: int
    changed: int
    passed_over: int
    restored: int
    kept: int
    done: int
    total: int
    problem: str
    made_at: datetime
    applied_at: datetime | None
    undone_at: datetime | None
    undone_by: str


class RowShown(BaseModel):
    record: int
    name: str
    collection: str
    verdict: Verdict
    why: str
    before: dict[str, Any]
    after: dict[str, Any]
    outcome: str


def shown(bulk: Bulk) -> BulkShown:
    return BulkShown(**{**vars(bulk), "changes": bulk.changes.document()})


@api.get("", summary="List bulk edits, newest first", **VIEW)
def list_bulk_edits(bulk: BulkService, at: AtHundred) -> Listing[BulkShown]:
    found, total = bulk.page(limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post("", status_code=201, summary="Preview a bulk edit; nothing is changed yet", **EDIT)
def preview_bulk_edit(given: BulkGiven, visitor: Visitor, bulk: BulkService) -> BulkShown:
    return shown(bulk.preview(editor_of(visitor), given.question(), given.changes()))


@api.get("/{number}", summary="Show a bulk edit and how far it is", **VIEW)
def read_bulk_edit(number: Number, bulk: BulkService) -> BulkShown:
    return shown(bulk.get(number))


@api.get("/{number}/records", summary="What a bulk edit does to each record", **VIEW)
def read_bulk_records(
    number: Number,
    bulk: BulkService,
    verdict: Annotated[Verdict | None, Query(description="Only these.")] = None,
    *,
    at: AtHundred,
) -> list[RowShown]:
    found = bulk.records(bulk.get(number).id, verdict=verdict, limit=at.limit, offset=at.place)
    at.next()  # a plain array: only the Link header says that there are more
    return [
        RowShown(
            record=row.record,
            name=row.name,
            collection=row.collection_name,
            verdict=row.verdict,
            why=say(row.why) if row.why else "",
            before=dict(row.before),
            after=dict(row.after),
            outcome=row.outcome,
        )
        for row in found
    ]


@api.post("/{number}/apply", summary="Change the records of the preview", **EDIT)
def apply_bulk_edit(number: Number, visitor: Visitor, bulk: BulkService) -> BulkShown:
    return shown(bulk.apply(editor_of(visitor), number))


@api.post("/{number}/undo", summary="Give the records back what stood there before", **EDIT)
def undo_bulk_edit(number: Number, visitor: Visitor, bulk: BulkService) -> BulkShown:
    return shown(bulk.undo(editor_of(visitor), number))
