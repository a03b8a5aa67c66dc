"""The API of the matrix."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.api import RULES, VIEW, CollectionsService
from armarium.selection.collections.blocks import EVERYTHING, in_words
from armarium.selection.collections.model import Matrix
from armarium.selection.collections.rules import LONGEST_REASON
from armarium.selection.model import Budget, Combination, Depth, Frequency
from armarium.web.guard import Visitor

api = APIRouter(prefix="/matrix", tags=["collections"])


class Refusal(BaseModel):
    """A combination that cannot be chosen."""

    model_config = ConfigDict(extra="forbid")

    budget: Budget
    frequency: Frequency
    depth: Depth
    reason: str = Field(max_length=LONGEST_REASON, description="What librarians are told.")


class MatrixShown(BaseModel):
    refused: list[Refusal]
    mark: str = Field(description="Changes with the matrix.")


class MatrixGiven(BaseModel):
    """PUT replaces: what is not named may be chosen."""

    model_config = ConfigDict(extra="forbid")

    refused: list[Refusal] = Field(max_length=len(EVERYTHING))
    mark: str | None = Field(None, description="That was read: refused if somebody changed the matrix since.")


def shown(matrix: Matrix) -> MatrixShown:
    return MatrixShown(
        refused=[
            Refusal(budget=one.budget, frequency=one.frequency, depth=one.depth, reason=matrix.refused[one])
            for one in EVERYTHING
            if one in matrix.refused
        ],
        mark=matrix.mark,
    )


@api.get("", summary="Show which combinations cannot be chosen", **VIEW)
def show_matrix(collections: CollectionsService) -> MatrixShown:
    return shown(collections.matrix())


@api.put("", summary="Replace the matrix", **RULES)
def change_matrix(given: MatrixGiven, visitor: Visitor, collections: CollectionsService) -> MatrixShown:
    refused: dict[Combination, str] = {}
    for one in given.refused:
        combination = Combination(one.budget, one.frequency, one.depth)
        if refused.setdefault(combination, one.reason) != one.reason:
            raise Refused(
                message("%(combination)s is there with two reasons.", combination=in_words(combination)),
                field="refused",
            )
    return shown(collections.set_matrix(visitor.actor, refused, seen=given.mark))
