"""The API of collections."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict

from armarium.accounts.model import Permission
from armarium.selection.collections.service import Collections
from armarium.selection.model import Budget, Depth, Frequency
from armarium.web.api import operation
from armarium.web.services import service

api = APIRouter(prefix="/collections", tags=["collections"])

CollectionsService = Annotated[Collections, Depends(service(Collections))]
VIEW = operation(Permission.SELECTION_VIEW)


class CollectionShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    description: str
    active: bool
    budgets: list[Budget]
    frequencies: list[Frequency]
    depths: list[Depth]


@api.get("", summary="List collections", **VIEW)
def list_collections(collections: CollectionsService) -> list[CollectionShown]:
    return [CollectionShown.model_validate(one) for one in collections.all()]
