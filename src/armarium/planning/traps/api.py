"""The API of crawler traps for all domains."""

from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.traps.rules import MOST_ADDRESSES, TrapList, Verdict, tried
from armarium.planning.traps.service import TrapLists
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/traps", tags=["traps"])

Lists = Annotated[TrapLists, Depends(service(TrapLists))]
VIEW, RULES = operation(Permission.PLANNING_VIEW), operation(Permission.PLANNING_RULES)

Given = Annotated[TrapList, schemas.given(TrapList, "TrapListGiven", required=("name", "expressions"))]
SHOWN = schemas.shown(TrapList, "TrapListShown")


class Addresses(BaseModel):
    model_config = ConfigDict(extra="forbid")

    urls: list[str] = Field(max_length=MOST_ADDRESSES)


class VerdictShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    url: str
    list_name: str
    expression: str = Field(description="The first that finds the address; empty: it is followed.")


@api.get(
    "",
    summary="List the lists of crawler traps for all domains",
    response_model=schemas.listing(SHOWN),
    **VIEW,
)
def list_lists(lists: Lists, at: At) -> Listing[TrapList]:
    return at.listing(*lists.page(limit=at.limit, offset=at.place))


@api.post("", status_code=201, summary="Create a list of crawler traps", response_model=SHOWN, **RULES)
def create_list(visitor: Visitor, given: Given, lists: Lists) -> TrapList:
    return lists.create(visitor.actor, given)


@api.post(
    "/try",
    summary="Which expression of the active lists finds an address",
    response_model=list[VerdictShown],
    **VIEW,
)
def try_addresses(given: Addresses, lists: Lists) -> list[Verdict]:
    return tried(lists.active(), "\n".join(given.urls))


@api.get("/{number}", summary="Read a list of crawler traps", response_model=SHOWN, **VIEW)
def read_list(number: Number, lists: Lists) -> TrapList:
    return lists.get(number)


@api.put("/{number}", summary="Replace a list of crawler traps", response_model=SHOWN, **RULES)
def replace_list(number: Number, visitor: Visitor, given: Given, lists: Lists) -> TrapList:
    return lists.change(visitor.actor, number, given)
