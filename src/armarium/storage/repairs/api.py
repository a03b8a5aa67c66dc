"""The API of repairs."""

from typing import Annotated, Any

from fastapi import Depends
from pydantic import AliasChoices, AwareDatetime, BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.storage.model import RepairState
from armarium.storage.repairs.bulk import MOST_AT_ONCE, Deed, Order, do_all
from armarium.storage.repairs.model import Approval, Repair, RepairFilter
from armarium.storage.repairs.service import LONGEST_REASON, Repairs
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

RepairsService = Annotated[Repairs, Depends(service(Repairs))]
#: `why` is what it was called once.
Reason = Annotated[
    str, Field(min_length=1, max_length=LONGEST_REASON, validation_alias=AliasChoices("reason", "why"))
]
#: What was voted later has not been seen: it is neither approved nor decided.
SeenAt = Annotated[AwareDatetime | None, Field(description="When you read the votes.")]

api = Router(prefix="/storage/repairs", tags=["repairs"])


APPROVAL = schemas.shown(Approval, "ApprovalShown", first=(), without=("account",))


REPAIR = schemas.shown(
    Repair,
    "RepairShown",
    only=(
        *("id", "file", "file_name", "replica", "replica_name", "state", "reason", "votes", "good_sha256"),
        *("bad_sha256", "aside", "proposed_at", "decided_by", "approvals", "ended_at", "attempts", "error"),
    ),
    votes=dict[str, Any],  # what was answered when the replicas were last asked
    approvals=schemas.several(APPROVAL),
)


class Refusal(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Reason


class Decision(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    reason: Reason
    seen_at: SeenAt = None


class Approving(BaseModel):
    model_config = ConfigDict(extra="forbid")

    seen_at: SeenAt = None


class ChosenRepairs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    do: Deed
    repairs: Annotated[list[int], Field(max_length=MOST_AT_ONCE)] = []
    all: bool = False  # instead of numbers
    replica: int | None = None
    until: int | None = None
    seen_at: SeenAt = None
    like: str = ""  # decide for the bytes that this replica has; empty: for what is likely right
    majority: bool = False  # or for those of most copies, where nothing but their number speaks for them
    reason: Annotated[str, Field(max_length=LONGEST_REASON)] = ""


class LeftShown(BaseModel):
    repair: int
    why: str


class DoneShown(BaseModel):
    done: int
    left: list[LeftShown]


def shown(repair: Repair) -> dict[str, Any]:
    return {**vars(repair), "votes": repair.ballot.facts() if repair.ballot else {}}


@api.get(
    "", summary="List repairs", response_model=schemas.listing(REPAIR), **operation(Permission.STORAGE_VIEW)
)
def list_repairs(
    repairs: RepairsService,
    state: RepairState | None = None,
    replica: int | None = None,
    file: int | None = None,
    waiting: bool = False,
    *,
    at: At,
) -> Listing[dict[str, Any]]:
    found, total = repairs.page(RepairFilter(state, replica, file, waiting), limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post(
    "/chosen", summary="Approve, decide or reject several repairs", **operation(Permission.REPAIRS_APPROVE)
)
def do_chosen(visitor: Visitor, given: ChosenRepairs, repairs: RepairsService) -> DoneShown:
    """Those with these numbers; or `all` that wait for it, up to 1,000 at a time, no newer than `until`."""
    if bool(given.repairs) == given.all:
        raise Refused(message("Give the numbers of repairs, or choose all."), field="repairs")
    wanted = RepairFilter(replica=given.replica, until=given.until, numbers=tuple(given.repairs))
    order = Order(given.do, given.reason, given.seen_at, given.like, given.majority)
    done = do_all(repairs, visitor.actor, wanted, order)
    left = [LeftShown(repair=one.id, why=say(why)) for one, why in done.left]
    return DoneShown(done=done.count, left=left)


@api.get("/{number}", summary="Read a repair", response_model=REPAIR, **operation(Permission.STORAGE_VIEW))
def read_repair(number: Number, repairs: RepairsService) -> dict[str, Any]:
    return shown(repairs.get(number))


@api.post(
    "/{number}/approve",
    summary="Approve a repair",
    response_model=REPAIR,
    **operation(Permission.REPAIRS_APPROVE),
)
def approve_repair(
    number: Number, visitor: Visitor, repairs: RepairsService, given: Approving | None = None
) -> dict[str, Any]:
    return shown(repairs.approve(visitor.actor, number, given.seen_at if given else None))


@api.post(
    "/{number}/refuse",
    summary="Reject a repair: the copy stays as it is",
    response_model=REPAIR,
    **operation(Permission.REPAIRS_APPROVE),
)
def refuse_repair(
    number: Number, visitor: Visitor, given: Refusal, repairs: RepairsService
) -> dict[str, Any]:
    return shown(repairs.refuse(visitor.actor, number, given.reason))


@api.post(
    "/{number}/decide",
    summary="Decide which copy of a file is right",
    response_model=REPAIR,
    **operation(Permission.REPAIRS_APPROVE),
)
def decide_repair(
    number: Number, visitor: Visitor, given: Decision, repairs: RepairsService
) -> dict[str, Any]:
    return shown(repairs.decide(visitor.actor, number, given.sha256, given.reason, given.seen_at))
