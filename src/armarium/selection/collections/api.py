"""The API of collections and the matrix."""

from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import (
    EVERYTHING,
    Choices,
    Collection,
    Matrix,
    MemberChange,
    Theme,
    ThemeGiven,
    in_words,
)
from armarium.selection.collections.queries import NOTHING, Figures
from armarium.selection.collections.rules import LONGEST_REASON, LONGEST_THEME, MOST_THEMES
from armarium.selection.collections.service import Collections
from armarium.selection.model import Budget, Combination, Depth, Frequency
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Id, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/collections", tags=["collections"])

CollectionsService = Annotated[Collections, Depends(service(Collections))]
VIEW = operation(Permission.SELECTION_VIEW)
RULES = operation(Permission.SELECTION_RULES)
MOST_MEMBERS = 10_000


class ThemeSaid(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=LONGEST_THEME)
    id: Id | None = Field(None, description="Of a theme that there is: another name renames it.")
    active: bool = True


class CollectionGiven(BaseModel):
    """PUT replaces: what is not said is as here, except the themes."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=100)
    description: str = Field("", max_length=10_000)
    active: bool = True
    budgets: list[Budget] = list(Budget)
    frequencies: list[Frequency] = list(Frequency)
    depths: list[Depth] = list(Depth)
    default_budget: Budget = Budget.SMALL
    default_frequency: Frequency = Frequency.ANNUAL
    default_depth: Depth = Depth.HOST
    open_to_nominations: bool = False
    themes: list[ThemeSaid | str] | None = Field(
        None,
        max_length=MOST_THEMES,
        description="In their order; those that are not named go out of use. Without it: as they were.",
    )
    default_theme: str | None = Field(
        None, max_length=LONGEST_THEME, description="Name of the usual theme; empty: none."
    )
    edition: int | None = Field(None, description="That was read: refused if somebody changed it since.")

    def choices(self) -> Choices:
        chosen: dict[str, Any] = {"budgets": Budget, "frequencies": Frequency, "depths": Depth}
        plain = {name: getattr(self, name) for name in Choices.__dataclass_fields__ if name not in chosen}
        ordered: dict[str, Any] = {
            name: tuple(one for one in kind if one in getattr(self, name)) for name, kind in chosen.items()
        }
        return Choices(**plain, **ordered)

    def given(self) -> list[ThemeGiven | str] | None:
        if self.themes is None:
            return None
        return [
            one if isinstance(one, str) else ThemeGiven(one.name, one.id, one.active) for one in self.themes
        ]


THEME = schemas.shown(Theme, "ThemeShown", without=("collection", "place"))


FIGURES = schemas.shown(
    Figures,
    "FiguresShown",
    only=("records", "proposed", "validated", "refused", "inactive", "members", "groups"),
    records=int,
)


COLLECTION = schemas.shown(
    Collection,
    "CollectionShown",
    only=(
        *("id", "name", "description", "active", "budgets", "frequencies", "depths"),
        *("default_budget", "default_frequency", "default_depth", "open_to_nominations"),
        *("themes", "default_theme", "edition", "figures"),
    ),
    without=(),
    themes=schemas.several(THEME),
    default_theme=str,
    figures=FIGURES,
)


class Members(BaseModel):
    """PUT replaces all of them."""

    model_config = ConfigDict(extra="forbid")

    accounts: list[str] = Field([], max_length=MOST_MEMBERS, description="Names of accounts.")
    groups: list[str] = Field([], max_length=MOST_MEMBERS, description="Groups as the directory names them.")


def shown(collection: Collection, figures: Figures = NOTHING) -> dict[str, Any]:
    usual = collection.theme(collection.default_theme) if collection.default_theme else None
    return {**vars(collection), "default_theme": usual.name if usual else "", "figures": figures}


@api.get("", summary="List collections", response_model=schemas.several(COLLECTION), **VIEW)
def list_collections(collections: CollectionsService) -> list[dict[str, Any]]:
    figures = collections.figures()
    return [shown(one, figures.get(one.id, NOTHING)) for one in collections.all()]


@api.post("", summary="Create a collection", status_code=201, response_model=COLLECTION, **RULES)
def create_collection(
    given: CollectionGiven, visitor: Visitor, collections: CollectionsService
) -> dict[str, Any]:
    if given.edition is not None:
        raise Refused(message("A new collection has no edition yet."), field="edition")
    made = collections.create(
        visitor.actor, given.choices(), themes=given.given() or (), default_theme=given.default_theme or ""
    )
    return shown(made)


@api.get("/{number}", summary="Show a collection", response_model=COLLECTION, **VIEW)
def show_collection(number: Number, collections: CollectionsService) -> dict[str, Any]:
    return shown(collections.get(number), collections.figures_of(number)[0])


@api.put("/{number}", summary="Replace a collection’s rules", response_model=COLLECTION, **RULES)
def change_collection(
    number: Number, given: CollectionGiven, visitor: Visitor, collections: CollectionsService
) -> dict[str, Any]:
    made = collections.change(
        visitor.actor,
        number,
        given.choices(),
        themes=given.given(),
        default_theme=given.default_theme,
        seen=given.edition,
    )
    return shown(made, collections.figures_of(number)[0])


@api.get("/{number}/members", summary="List the members of a collection", **VIEW)
def list_members(number: Number, collections: CollectionsService) -> Members:
    collections.get(number)
    return Members(
        accounts=[name for _, name, _ in collections.members(number)],
        groups=collections.member_groups(number),
    )


@api.put("/{number}/members", summary="Replace the members of a collection", **RULES)
def change_members(
    number: Number, given: Members, visitor: Visitor, collections: CollectionsService
) -> Members:
    kept = {name.lower() for name in given.accounts}
    known = collections.members(number)
    change = MemberChange(
        add=tuple(kept - {name.lower() for _, name, _ in known}),
        remove=tuple(one for one, name, _ in known if name.lower() not in kept),
        add_groups=tuple(given.groups),
        remove_groups=tuple(set(collections.member_groups(number)) - set(given.groups)),
    )
    collections.change_members(visitor.actor, number, change)
    return list_members(number, collections)


matrix_api = Router(prefix="/matrix", tags=["collections"])


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


def matrix_shown(matrix: Matrix) -> MatrixShown:
    return MatrixShown(
        refused=[Refusal(**vars(one), reason=reason) for one, reason in matrix.ordered],
        mark=matrix.mark,
    )


@matrix_api.get("", summary="Show the combinations that are not allowed", **VIEW)
def show_matrix(collections: CollectionsService) -> MatrixShown:
    return matrix_shown(collections.matrix())


@matrix_api.put("", summary="Replace the combinations that are not allowed", **RULES)
def change_matrix(given: MatrixGiven, visitor: Visitor, collections: CollectionsService) -> MatrixShown:
    refused: dict[Combination, str] = {}
    for one in given.refused:
        combination = Combination(one.budget, one.frequency, one.depth)
        if refused.setdefault(combination, one.reason) != one.reason:
            raise Refused(
                message("%(combination)s is listed with two reasons.", combination=in_words(combination)),
                field="refused",
            )
    return matrix_shown(collections.set_matrix(visitor.actor, refused, seen=given.mark))
