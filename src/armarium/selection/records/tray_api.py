"""The API of the in-tray."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.selection.model import State
from armarium.selection.records.api import CommentShown, RecordShown, shown
from armarium.selection.records.service import Records
from armarium.selection.records.tray import Tray
from armarium.selection.rights import editor_of
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, At, Id, Listing
from armarium.web.services import service

api = APIRouter(prefix="/tray", tags=["records"])

RecordsService = Annotated[Records, Depends(service(Records))]
TrayService = Annotated[Tray, Depends(service(Tray))]
EDIT = operation(Permission.SELECTION_EDIT)
VALIDATE = operation(Permission.SELECTION_VALIDATE)
MOST = 1000


class ProposalShown(BaseModel):
    record: RecordShown
    since: datetime
    comments: list[CommentShown]


class NewsShown(BaseModel):
    record: RecordShown
    comments: list[CommentShown]


class Decision(BaseModel):
    """About all of these records, or, where one cannot be decided, about none."""

    model_config = ConfigDict(extra="forbid")

    records: list[Id] = Field(min_length=1, max_length=MOST)
    state: State
    reason: str = Field("", max_length=2000)


@api.get("/proposals", summary="Proposals that wait for a decision, oldest first", **VALIDATE)
def read_proposals(
    visitor: Visitor,
    tray: TrayService,
    collection: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    *,
    at: At,
) -> Listing[ProposalShown]:
    found = tray.proposals(editor_of(visitor), collection=collection, limit=at.limit, offset=at.place)
    items = [
        ProposalShown(
            record=shown(one.record),
            since=one.since,
            comments=[CommentShown.model_validate(said) for said in one.comments],
        )
        for one in found.items
    ]
    return at.listing(items, found.total)


@api.get("/refused", summary="One's own records that were refused", **EDIT)
def read_refused(visitor: Visitor, tray: TrayService) -> list[RecordShown]:
    return [shown(one) for one in tray.refused(editor_of(visitor))]


@api.get("/comments", summary="What others said about one's own records since one looked at them", **EDIT)
def read_news(visitor: Visitor, tray: TrayService) -> list[NewsShown]:
    return [
        NewsShown(
            record=shown(one.record), comments=[CommentShown.model_validate(said) for said in one.comments]
        )
        for one in tray.news(editor_of(visitor))
    ]


@api.post("/decide", summary="Decide about many records at once", **VALIDATE)
def decide(visitor: Visitor, given: Decision, records: RecordsService) -> list[RecordShown]:
    found = records.decide(editor_of(visitor), given.records, given.state, given.reason)
    return [shown(one) for one in found]
