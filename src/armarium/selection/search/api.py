"""The API of the search and of saved searches."""

from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from armarium.accounts.model import Permission
from armarium.selection.permissions import editor_of
from armarium.selection.record_views.api import RECORD
from armarium.selection.records.model import Record
from armarium.selection.search.fields import Choices, Several, YesNo
from armarium.selection.search.labels import LABELS
from armarium.selection.search.model import KINDS, ORDERS, Question, Saved, Shared, Sharing
from armarium.selection.search.service import Search, Searches
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import AtHundred, Id, Listing, Number
from armarium.web.routes import Router, joined
from armarium.web.services import service

records_api = Router(prefix="/records", tags=["records"])
searches_api = Router(prefix="/searches", tags=["searches"])

SearchService = Annotated[Search, Depends(service(Search))]
SearchesService = Annotated[Searches, Depends(service(Searches))]
VIEW = operation(Permission.SELECTION_VIEW)


def _parameters() -> list[dict[str, Any]]:
    """Every field of a question, as OpenAPI describes parameters."""
    found = []
    for name, kind in KINDS.items():
        for parameter in kind.parameters(name):
            schema: dict[str, Any] = {"type": "string"}
            if isinstance(kind, Choices):
                schema["enum"] = [one.value for one in kind.words]
            if isinstance(kind, YesNo):
                schema["enum"] = ["yes", "no"]
            if isinstance(kind, Several):
                schema = {"type": "array", "items": schema}
            label = str(LABELS[name])
            found.append({"name": parameter, "in": "query", "description": f"{label}.", "schema": schema})
    order = "By what they are ordered, with a minus before it the other way round: " + ", ".join(ORDERS) + "."
    return [*found, {"name": "order", "in": "query", "description": order, "schema": {"type": "string"}}]


FINDING: dict[str, Any] = {**VIEW, "openapi_extra": {**VIEW["openapi_extra"], "parameters": _parameters()}}


@records_api.get(
    "", summary="Find records by any of their fields", response_model=schemas.listing(RECORD), **FINDING
)
def find_records(request: Request, visitor: Visitor, search: SearchService, at: AtHundred) -> Listing[Record]:
    question = Question.parse(request.url.query)
    me = visitor.account.id
    found = search.page(question, me, limit=at.limit, offset=at.place)
    return at.listing(found, search.count(question, me))


SHOWN = schemas.shown(
    Saved,
    "SearchShown",
    first=("id", "name"),
    without=("collection_name",),
    query=Annotated[str, Field(description="The parameters of GET /api/records.")],
)


class SearchGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=100)
    query: str = Field("", max_length=100_000, description="The parameters of GET /api/records.")
    shared: Shared = Shared.NOBODY
    collection: Id | None = Field(None, description="The collection whose members may use it.")

    def sharing(self) -> Sharing:
        return Sharing(self.shared, self.collection)


class Receiver(BaseModel):
    model_config = ConfigDict(extra="forbid")

    to: str = Field(max_length=200, description="The name of an account.")


@searches_api.get(
    "", summary="List saved searches, yours first", response_model=schemas.several(SHOWN), **VIEW
)
def list_searches(visitor: Visitor, searches: SearchesService) -> list[Saved]:
    return searches.visible(editor_of(visitor))


@searches_api.post("", status_code=201, summary="Save a search", response_model=SHOWN, **VIEW)
def save_search(given: SearchGiven, visitor: Visitor, searches: SearchesService) -> Saved:
    question = Question.parse(given.query)
    return searches.save(editor_of(visitor), given.name, question, given.sharing())


@searches_api.get("/{number}", summary="Show a saved search", response_model=SHOWN, **VIEW)
def read_search(number: Number, visitor: Visitor, searches: SearchesService) -> Saved:
    return searches.get(editor_of(visitor), number)


@searches_api.put("/{number}", summary="Change a saved search of yours", response_model=SHOWN, **VIEW)
def change_search(number: Number, given: SearchGiven, visitor: Visitor, searches: SearchesService) -> Saved:
    question = Question.parse(given.query)
    sharing = given.sharing()
    editor = editor_of(visitor)
    return searches.change(editor, number, name=given.name, question=question, sharing=sharing)


@searches_api.post(
    "/{number}/copy",
    status_code=201,
    summary="Copy a shared search for yourself",
    response_model=SHOWN,
    **VIEW,
)
def copy_search(number: Number, visitor: Visitor, searches: SearchesService) -> Saved:
    return searches.copy(editor_of(visitor), number)


@searches_api.post(
    "/{number}/hand-over", summary="Transfer a search to another account", response_model=SHOWN, **VIEW
)
def hand_over_search(number: Number, given: Receiver, visitor: Visitor, searches: SearchesService) -> Saved:
    return searches.hand_over(editor_of(visitor), number, given.to)


@searches_api.delete("/{number}", status_code=204, summary="Delete a saved search of yours", **VIEW)
def delete_search(number: Number, visitor: Visitor, searches: SearchesService) -> None:
    searches.delete(editor_of(visitor), number)


api = joined(records_api, searches_api)
