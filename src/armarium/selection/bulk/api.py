"""The API of bulk edits: preview, apply, undo."""

from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.languages.speech import say
from armarium.selection.bulk.model import MOST, Bulk, BulkRow, Changes, Verdict
from armarium.selection.bulk.service import BulkEdits
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.permissions import editor_of
from armarium.selection.search.model import Question
from armarium.web import schemas
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


BULK = schemas.shown(
    Bulk,
    "BulkShown",
    only=(
        *("id", "actor", "query", "changes", "state", "found", "changing", "same", "refused", "changed"),
        *("passed_over", "restored", "kept", "done", "total", "problem"),
        *("made_at", "applied_at", "undone_at", "undone_by"),
    ),
    changes=dict[str, Any],
)


ROW = schemas.shown(
    BulkRow,
    "RowShown",
    only=("record", "name", "collection", "verdict", "why", "before", "after", "outcome"),
    collection=str,
    why=str,
)


def shown(bulk: Bulk) -> dict[str, Any]:
    return {**vars(bulk), "changes": bulk.changes.document()}


@api.get("", summary="List bulk edits, newest first", response_model=schemas.listing(BULK), **VIEW)
def list_bulk_edits(bulk: BulkService, at: AtHundred) -> Listing[dict[str, Any]]:
    found, total = bulk.page(limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post(
    "", status_code=201, summary="Preview a bulk edit; nothing is changed yet", response_model=BULK, **EDIT
)
def preview_bulk_edit(given: BulkGiven, visitor: Visitor, bulk: BulkService) -> dict[str, Any]:
    return shown(bulk.preview(editor_of(visitor), given.question(), given.changes()))


@api.get("/{number}", summary="Show a bulk edit and how far it is", response_model=BULK, **VIEW)
def read_bulk_edit(number: Number, bulk: BulkService) -> dict[str, Any]:
    return shown(bulk.get(number))


@api.get(
    "/{number}/records",
    summary="List the records of a bulk edit",
    response_model=schemas.several(ROW),
    **VIEW,
)
def read_bulk_records(
    number: Number,
    bulk: BulkService,
    verdict: Annotated[Verdict | None, Query(description="Only these.")] = None,
    *,
    at: AtHundred,
) -> list[dict[str, Any]]:
    found = bulk.records(bulk.get(number).id, verdict=verdict, limit=at.limit, offset=at.place)
    at.next()  # a plain array: only the Link header says that there are more
    return [
        {**vars(row), "collection": row.collection_name, "why": say(row.why) if row.why else ""}
        for row in found
    ]


@api.post("/{number}/apply", summary="Change the records of the preview", response_model=BULK, **EDIT)
def apply_bulk_edit(number: Number, visitor: Visitor, bulk: BulkService) -> dict[str, Any]:
    return shown(bulk.apply(editor_of(visitor), number))


@api.post("/{number}/undo", summary="Undo a bulk edit", response_model=BULK, **EDIT)
def undo_bulk_edit(number: Number, visitor: Visitor, bulk: BulkService) -> dict[str, Any]:
    return shown(bulk.undo(editor_of(visitor), number))
