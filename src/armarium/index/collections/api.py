"""The API of collections."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.core.entities import edited
from armarium.index.chain.model import Choice, Collection
from armarium.index.collections.pages import EditingService
from armarium.index.collections.service import CollectionEditing, is_imported
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Id, Listing, Number
from armarium.web.routes import Router

api = Router(prefix="/index/collections", tags=["index"])

Numbers = Annotated[list[Id], Field(max_length=10_000)]


class CollectionShown(BaseModel):
    id: int
    name: str
    title: str
    everything: bool
    imported: bool
    active: bool
    harvests: list[int]
    accessions: list[int]
    edition: int
    files: int
    lines: int


class NewCollection(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=60)]
    title: Annotated[str, Field(max_length=200)] = ""
    harvests: Numbers = []
    accessions: Numbers = []


class CollectionPart(BaseModel):
    """PATCH: only what shall change. `edition`: refuse it if somebody else was faster."""

    model_config = ConfigDict(extra="forbid")

    title: Annotated[str, Field(max_length=200)] | None = None
    harvests: Numbers | None = None
    accessions: Numbers | None = None
    active: bool | None = None
    edition: int | None = None


def shown(editing: CollectionEditing, collections: list[Collection]) -> list[CollectionShown]:
    figures = editing.figures(collections)
    return [
        CollectionShown(
            **{**vars(one), "imported": is_imported(one.name)},
            files=figures[one.id].files,
            lines=figures[one.id].lines,
        )
        for one in collections
    ]


@api.get("", summary="List access collections", **operation(Permission.INDEX_VIEW))
def list_collections(editing: EditingService, at: At) -> Listing[CollectionShown]:
    found, total = editing.page(limit=at.limit, offset=at.place)
    return at.listing(shown(editing, found), total)


@api.post(
    "",
    status_code=201,
    summary="Create an access collection of harvests and imports",
    **operation(Permission.INDEX_MANAGE),
)
def add_collection(visitor: Visitor, given: NewCollection, editing: EditingService) -> CollectionShown:
    choice = Choice(given.title, given.harvests, given.accessions)
    return shown(editing, [editing.add(visitor.actor, given.name, choice)])[0]


@api.get("/{number}", summary="Read an access collection", **operation(Permission.INDEX_VIEW))
def read_collection(number: Number, editing: EditingService) -> CollectionShown:
    return shown(editing, [editing.get(number)])[0]


@api.patch(
    "/{number}",
    summary="Change an access collection; its index is built again if its files change",
    **operation(Permission.INDEX_MANAGE),
)
def change_collection(
    number: Number, visitor: Visitor, given: CollectionPart, editing: EditingService
) -> CollectionShown:
    choice = edited(editing.get(number).choice, **given.model_dump(exclude={"edition"}))
    changed = editing.change(visitor.actor, number, choice, given.edition)
    return shown(editing, [changed])[0]
