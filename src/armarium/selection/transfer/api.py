"""The API of the transfer and its mapping."""

from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.db.stretches import counted_off
from armarium.languages.speech import say
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.transfer.mapping_service import TransferMappings
from armarium.selection.transfer.model import Change, Entry, Rule, Target, Transfer, TransferKind
from armarium.selection.transfer.service import Conflicts, Side, Transfers
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, AtHundred, Id, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(tags=["transfer"])

TransfersService = Annotated[Transfers, Depends(service(Transfers))]
ConflictsService = Annotated[Conflicts, Depends(service(Conflicts))]
MappingsService = Annotated[TransferMappings, Depends(service(TransferMappings))]
VIEW = operation(Permission.SELECTION_VIEW)
TRANSFER = operation(Permission.SELECTION_TRANSFER)
RULES = operation(Permission.SELECTION_RULES)
Collection = Annotated[int | None, Query(ge=1, description="Only this collection.")]


CHANGE = schemas.shown(Change, "ChangeShown", first=())


ENTRY = schemas.shown(Entry, "EntryShown", first=(), changes=schemas.several(CHANGE), reason=str)


SHOWN = schemas.shown(Transfer, "TransferShown", without=("run", "after"))


class TransferGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    collection: Id | None = Field(None, description="Only this collection.")


class RuleGiven(BaseModel):
    """What is not said is left to rules that name fewer choices."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    budget: Budget | None = None
    frequency: Frequency | None = None
    depth: Depth | None = None
    profile: str = Field("", max_length=100)
    max_objects: int | None = Field(None, ge=0, le=LARGEST, description="0: no limit.")
    max_bytes: int | None = Field(None, ge=0, le=LARGEST, description="0: no limit.")
    overrides: dict[str, Any] = Field(default_factory=dict)
    pattern: str = Field("", max_length=100, description="Name of the configuration, with {record} in it.")


class TargetGiven(BaseModel):
    model_config = ConfigDict(extra="forbid", from_attributes=True)

    collection: Id
    frequency: Frequency
    harvest: int | None = Field(None, ge=1, le=LARGEST, description="Empty: one is made.")
    name: str = Field("", max_length=100)
    schedule: str = Field("", max_length=100)
    automatic: bool = Field(True, description="Transfer before each run of the harvest.")


class GapShown(BaseModel):
    collections: list[str]
    budget: Budget | None
    frequency: Frequency
    depth: Depth | None
    reason: str


class MappingShown(BaseModel):
    rules: list[RuleGiven]
    targets: list[TargetGiven]
    gaps: list[GapShown]


@api.get(
    "/transfers/preview",
    summary="Show what a transfer would do",
    response_model=schemas.listing(ENTRY),
    **VIEW,
)
def preview(
    transfers: TransfersService,
    collection: Collection = None,
    kind: TransferKind | None = None,
    *,
    at: AtHundred,
) -> Listing[dict[str, Any]]:
    found = [one for one in transfers.preview(collection).entries if kind in (None, one.kind)]
    first = counted_off(at.limit, at.place, len(found))
    return at.listing([one.document() for one in found[first : first + at.limit]], len(found))


@api.get("/transfers", summary="List transfers", response_model=schemas.listing(SHOWN), **VIEW)
def list_transfers(transfers: TransfersService, at: AtHundred) -> Listing[Transfer]:
    found, total = transfers.page(limit=at.limit, offset=at.place)
    return at.listing(found, total)


@api.post(
    "/transfers", summary="Transfer records to planning", status_code=202, response_model=SHOWN, **TRANSFER
)
def start(visitor: Visitor, transfers: TransfersService, given: TransferGiven) -> Transfer:
    return transfers.start(visitor.actor, given.collection)


@api.get("/transfers/{number}", summary="Show a transfer", response_model=SHOWN, **VIEW)
def get_transfer(number: Number, transfers: TransfersService) -> Transfer:
    return transfers.get(number)


@api.get(
    "/transfers/{number}/lines",
    summary="Show what a transfer did",
    response_model=schemas.listing(ENTRY),
    **VIEW,
)
def get_lines(
    number: Number, transfers: TransfersService, kind: TransferKind | None = None, *, at: AtHundred
) -> Listing[dict[str, Any]]:
    counts = transfers.get(number).counts
    found = transfers.lines(number, kind, limit=at.limit, offset=at.place)
    total = counts[kind] if kind else sum(counts.values())
    return at.listing([one.document() for one in found], total)


@api.post("/transfers/records/{number}/settle", summary="Settle a record's conflicts", **TRANSFER)
def settle(number: Number, side: Side, visitor: Visitor, conflicts: ConflictsService) -> int:
    """How many fields it was about."""
    return conflicts.settle(visitor.actor, number, side)


@api.get("/mapping", summary="Show the transfer rules and their gaps", **VIEW)
def get_mapping(mappings: MappingsService) -> MappingShown:
    ground, gaps = mappings.ground(), mappings.gaps()
    return MappingShown(
        rules=[RuleGiven.model_validate(one) for one in ground.mapping.rules],
        targets=[TargetGiven.model_validate(one) for _, one in ground.targets()],
        gaps=[
            GapShown(
                collections=list(one.collections),
                budget=one.combination.budget if one.combination else None,
                frequency=one.frequency,
                depth=one.combination.depth if one.combination else None,
                reason=say(one.reason),
            )
            for one in gaps
        ],
    )


@api.put("/mapping/rules", summary="Set the rule for some choices", **RULES)
def put_rule(visitor: Visitor, mappings: MappingsService, given: RuleGiven) -> RuleGiven:
    """The rule for exactly these choices is made, or replaced."""
    wanted = Rule(**given.model_dump())
    known = mappings.rule_for(wanted)
    made = mappings.put_rule(visitor.actor, Rule(**given.model_dump(), id=known.id if known else 0))
    return RuleGiven.model_validate(made)


@api.put("/mapping/targets", summary="Set the harvest of a collection and a frequency", **RULES)
def put_target(visitor: Visitor, mappings: MappingsService, given: TargetGiven) -> TargetGiven:
    return TargetGiven.model_validate(mappings.put_target(visitor.actor, Target(**given.model_dump())))
