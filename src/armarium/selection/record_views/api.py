"""The API of records and the in-tray."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.entry.pages import ChecksService
from armarium.selection.model import Budget, Combination, Depth, Frequency, Origin, RecordState
from armarium.selection.permissions import editor_of
from armarium.selection.record_views.page_parts import RecordsService, TrayService
from armarium.selection.records.model import Comment, Draft, Further, Record
from armarium.selection.records.service import Destination
from armarium.selection.records.tray import News, Waiting
from armarium.selection.records.writing import Entered
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, At, Id, Listing, Number
from armarium.web.routes import Router

api = Router(prefix="/records", tags=["records"])

VIEW = operation(Permission.SELECTION_VIEW)
EDIT = operation(Permission.SELECTION_EDIT)
VALIDATE = operation(Permission.SELECTION_VALIDATE)


class FurtherGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    address: str = Field(max_length=2000)
    note: str = Field("", max_length=500)


FURTHER = schemas.shown(
    Further,
    "FurtherShown",
    first=(),
    checked_at=Annotated[datetime | None, Field(description="When it was last seen to answer.")],
)


class RecordGiven(BaseModel):
    """PUT replaces: what is not said is as here. Another collection moves the record."""

    model_config = ConfigDict(extra="forbid")

    collection: Id
    address: str = Field(max_length=2000, description="Such as https://example.org/ or example.org.")
    theme: Id = Field(description="The number of a theme of the collection.")
    budget: Budget
    frequency: Frequency
    depth: Depth
    title: str = Field("", max_length=500)
    language: str = Field("", max_length=50, description="A code such as fr, de or pt-BR.")
    keywords: list[str] = Field([], max_length=100)
    content_notes: str = Field("", max_length=20_000)
    technical_notes: str = Field("", max_length=20_000)
    responsible: Id | None = Field(None, description="The number of an account.")
    active: bool = Field(True, description="Nothing of an inactive record is handed to planning.")
    further: list[FurtherGiven] = Field([], max_length=100, description="Of the same site, as a sitemap.")

    def draft(self) -> Draft:
        values = {name: getattr(self, name) for name in Draft.__dataclass_fields__}
        further = tuple(Further(one.address, one.note) for one in self.further)
        return Draft(**{**values, "keywords": tuple(self.keywords), "further": further})


class RecordChanged(RecordGiven):
    edition: int | None = Field(
        None, ge=1, description="The edition that was read; another one meanwhile refuses the change."
    )


RECORD = schemas.shown(
    Record,
    "RecordShown",
    only=(
        *("id", "collection", "collection_name", "address", "host", "domain", "title", "theme", "theme_name"),
        *("budget", "frequency", "depth", "language", "keywords", "content_notes", "technical_notes"),
        *("responsible", "responsible_name", "active", "further", "state", "state_reason", "stated_at"),
        *("stated_by", "origin", "checked_at", "created_at", "created_by", "modified_at", "modified_by"),
        *("harvested_at", "harvested_job", "harvested_objects", "harvested_bytes", "harvested_stop"),
        "edition",
    ),
    without=(),
    further=schemas.several(FURTHER),
    checked_at=Annotated[datetime | None, Field(description="When its address was last seen to answer.")],
)


class Reason(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: str = Field(max_length=2000)


class Said(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=10_000)


COMMENT = schemas.shown(Comment, "CommentShown", without=("record",))


class Move(BaseModel):
    """Budget, frequency and depth are said together, where the record's own are not offered there."""

    model_config = ConfigDict(extra="forbid")

    collection: Id
    theme: Id
    budget: Budget | None = None
    frequency: Frequency | None = None
    depth: Depth | None = None

    def destination(self) -> Destination:
        if self.budget and self.frequency and self.depth:
            combination = Combination(self.budget, self.frequency, self.depth)
            return Destination(self.collection, self.theme, combination)
        if self.budget or self.frequency or self.depth:
            raise Refused(message("Say budget, frequency and depth together, or none of them."))
        return Destination(self.collection, self.theme)


@api.post("", status_code=201, summary="Create a record", response_model=RECORD, **EDIT)
def create_record(
    visitor: Visitor, given: RecordGiven, records: RecordsService, checks: ChecksService
) -> Record:
    """It is proposed, and its addresses are looked at: once all were seen to answer it can be validated."""
    made = records.create(editor_of(visitor), Entered(given.draft(), Origin.API))
    checks.see(editor_of(visitor), made)
    return made


@api.get("/{number}", summary="Read a record", response_model=RECORD, **VIEW)
def read_record(number: Number, records: RecordsService) -> Record:
    return records.get(number)


@api.put("/{number}", summary="Replace a record", response_model=RECORD, **EDIT)
def replace_record(
    number: Number, visitor: Visitor, given: RecordChanged, records: RecordsService, checks: ChecksService
) -> Record:
    """With an address that it had not, it is proposed again, and that address is looked at."""
    changed = records.change(editor_of(visitor), number, given.draft(), seen=given.edition)
    checks.see(editor_of(visitor), changed)
    return changed


@api.post("/{number}/validate", summary="Validate a record", response_model=RECORD, **VALIDATE)
def validate_record(number: Number, visitor: Visitor, records: RecordsService) -> Record:
    records.decide(editor_of(visitor), [number], RecordState.VALIDATED)
    return records.get(number)


@api.post("/{number}/refuse", summary="Reject a record, with the reason", response_model=RECORD, **VALIDATE)
def refuse_record(number: Number, visitor: Visitor, given: Reason, records: RecordsService) -> Record:
    records.decide(editor_of(visitor), [number], RecordState.REFUSED, given.reason)
    return records.get(number)


@api.post("/{number}/propose", summary="Propose a record again", response_model=RECORD, **EDIT)
def propose_record(number: Number, visitor: Visitor, records: RecordsService) -> Record:
    records.decide(editor_of(visitor), [number], RecordState.PROPOSED)
    return records.get(number)


@api.post("/{number}/move", summary="Move a record to another collection", response_model=RECORD, **EDIT)
def move_record(number: Number, visitor: Visitor, given: Move, records: RecordsService) -> Record:
    return records.move(editor_of(visitor), number, given.destination())


@api.get(
    "/{number}/comments",
    summary="List the comments on a record",
    response_model=schemas.several(COMMENT),
    **VIEW,
)
def read_comments(number: Number, records: RecordsService) -> list[Comment]:
    records.get(number)
    return list(records.comments(number))


@api.post(
    "/{number}/comments", status_code=201, summary="Comment on a record", response_model=COMMENT, **VIEW
)
def comment_on_record(number: Number, visitor: Visitor, given: Said, records: RecordsService) -> Comment:
    return records.comment(editor_of(visitor), number, given.text)


tray_api = Router(prefix="/tray", tags=["records"])


MOST = 1000


PROPOSAL = schemas.shown(Waiting, "ProposalShown", first=(), record=RECORD, comments=schemas.several(COMMENT))


NEWS = schemas.shown(News, "NewsShown", first=(), record=RECORD, comments=schemas.several(COMMENT))


class Decision(BaseModel):
    """About all of these records, or, where one cannot be decided, about none."""

    model_config = ConfigDict(extra="forbid")

    records: list[Id] = Field(min_length=1, max_length=MOST)
    state: RecordState
    reason: str = Field("", max_length=2000)


@tray_api.get(
    "/proposals",
    summary="Proposals that wait for a decision, oldest first",
    response_model=schemas.listing(PROPOSAL),
    **VALIDATE,
)
def read_proposals(
    visitor: Visitor,
    tray: TrayService,
    collection: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    *,
    at: At,
) -> Listing[Waiting]:
    found = tray.proposals(editor_of(visitor), collection=collection, limit=at.limit, offset=at.place)
    return at.listing(list(found.items), found.total)


@tray_api.get(
    "/refused", summary="List your rejected records", response_model=schemas.several(RECORD), **EDIT
)
def read_refused(visitor: Visitor, tray: TrayService) -> list[Record]:
    return list(tray.refused(editor_of(visitor)))


@tray_api.get(
    "/comments",
    summary="List new comments on your records",
    response_model=schemas.several(NEWS),
    **EDIT,
)
def read_news(visitor: Visitor, tray: TrayService) -> list[News]:
    return list(tray.news(editor_of(visitor)))


@tray_api.post(
    "/decide", summary="Decide about many records at once", response_model=schemas.several(RECORD), **VALIDATE
)
def decide(visitor: Visitor, given: Decision, records: RecordsService) -> list[Record]:
    return list(records.decide(editor_of(visitor), given.records, given.state, given.reason))
