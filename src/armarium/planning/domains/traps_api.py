"""The API of crawler traps for all domains."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.domains.traps import TrapLists
from armarium.planning.domains.traps_trial import MOST_ADDRESSES, tried
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.services import service

api = APIRouter(prefix="/traps", tags=["traps"])

Lists = Annotated[TrapLists, Depends(service(TrapLists))]
VIEW = operation(Permission.PLANNING_VIEW)
RULES = operation(Permission.PLANNING_RULES)


class TrapListGiven(BaseModel):
    """PUT replaces: what is not said is as here."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=100)
    description: str = Field("", max_length=30_000)
    active: bool = True
    expressions: list[str] = Field(max_length=1000)


class TrapListShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    description: str
    active: bool
    expressions: list[str]


class Addresses(BaseModel):
    model_config = ConfigDict(extra="forbid")

    urls: list[str] = Field(max_length=MOST_ADDRESSES)


class VerdictShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    url: str
    list_name: str
    expression: str = Field(description="The first that finds the address; empty: it is followed.")


@api.get("", summary="List the lists of crawler traps for all domains", **VIEW)
def list_lists(lists: Lists, at: At) -> Listing[TrapListShown]:
    found, total = lists.page(limit=at.limit, offset=at.place)
    return at.listing([TrapListShown.model_validate(one) for one in found], total)


@api.post("", status_code=201, summary="Create a list of crawler traps", **RULES)
def create_list(visitor: Visitor, given: TrapListGiven, lists: Lists) -> TrapListShown:
    made = lists.create(
        visitor.actor, given.name, given.expressions, description=given.description, active=given.active
    )
    return TrapListShown.model_validate(made)


@api.post("/try", summary="Which expression of the active lists finds an address", **VIEW)
def try_addresses(given: Addresses, lists: Lists) -> list[VerdictShown]:
    verdicts = tried(lists.active_lists(), "\n".join(given.urls))
    return [VerdictShown.model_validate(one) for one in verdicts]


@api.get("/{number}", summary="Read a list of crawler traps", **VIEW)
def read_list(number: Number, lists: Lists) -> TrapListShown:
    return TrapListShown.model_validate(lists.get(number))


@api.put("/{number}", summary="Replace a list of crawler traps", **RULES)
def replace_list(number: Number, visitor: Visitor, given: TrapListGiven, lists: Lists) -> TrapListShown:
    changed = lists.change(
        visitor.actor,
        number,
        name=given.name,
        expressions=given.expressions,
        description=given.description,
        active=given.active,
    )
    return TrapListShown.model_validate(changed)
