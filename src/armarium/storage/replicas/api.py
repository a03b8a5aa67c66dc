"""The API of replicas."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.languages.speech import say
from armarium.storage.model import Replica, ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas.model import Content, ReplicaDetails, Setup
from armarium.storage.replicas.pages import Contents, ReplicasService, TrialsService
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Amount, Listing, Number
from armarium.web.routes import Router

P = Permission
api = Router(prefix="/storage/replicas", tags=["replicas"])
Text = Annotated[str, Field(max_length=2000)]
Texts = Annotated[dict[Annotated[str, Field(max_length=200)], Text], Field(max_length=20)]


class PartShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    files: int
    bytes: int


class ReplicaShown(BaseModel):
    id: int
    name: str
    kind: ReplicaKind
    role: ReplicaRole
    state: ReplicaState
    location: str
    options: dict[str, str]
    has_secrets: bool  # secrets themselves are never given out
    rate_bytes: int
    audit_days: int
    audit_rate_bytes: int
    edition: int
    created_at: datetime
    created_by: str
    away_since: datetime | None
    trouble: str
    asked_at: datetime | None
    free_bytes: int
    accepted: PartShown
    unfinished: PartShown
    damaged: PartShown


class ReplicaNew(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Text
    kind: ReplicaKind
    role: ReplicaRole
    location: Text
    options: Texts = {}
    secrets: Texts = {}
    rate_bytes: Amount = 0
    audit_days: Amount = 90
    audit_rate_bytes: Amount = 0


class ReplicaPart(BaseModel):
    """PATCH: only what shall change."""

    model_config = ConfigDict(extra="forbid")

    role: ReplicaRole | None = None
    location: Text | None = None
    options: Texts | None = None
    secrets: Texts | None = None  # {} forgets them
    rate_bytes: Amount | None = None
    audit_days: Amount | None = None
    audit_rate_bytes: Amount | None = None
    edition: int | None = None  # that was seen: refused if somebody has changed it since


class StateWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    state: ReplicaState
    reason: Text = ""


class Found(BaseModel):
    text: str


def shown(details: ReplicaDetails, held: Mapping[int, Content]) -> ReplicaShown:
    content = held.get(details.replica.id, Content())
    parts = {
        name: PartShown.model_validate(getattr(content, name))
        for name in ("accepted", "unfinished", "damaged")
    }
    of_replica = {**vars(details.replica), "options": dict(details.replica.options)}
    facts = {name: value for name, value in vars(details).items() if name != "replica"}
    return ReplicaShown.model_validate({**of_replica, **facts, **parts})


@api.get("", summary="List replicas", **operation(P.STORAGE_VIEW))
def list_replicas(replicas: ReplicasService, held: Contents) -> Listing[ReplicaShown]:
    found = replicas.all_details()
    return Listing(items=[shown(one, held) for one in found], total=len(found))


@api.post("", status_code=201, summary="Add a replica", **operation(P.STORAGE_MANAGE))
def add_replica(
    visitor: Visitor, given: ReplicaNew, replicas: ReplicasService, held: Contents
) -> ReplicaShown:
    setup = Setup(**given.model_dump(exclude={"name", "kind"}))
    added = replicas.add(visitor.actor, given.name, given.kind, setup)
    return shown(replicas.details(added.id), held)


@api.post("/try", summary="Test a replica before adding it", **operation(P.STORAGE_MANAGE))
def try_new_replica(given: ReplicaNew, trials: TrialsService) -> Found:
    plain = given.model_dump(include={"name", "kind", "role", "location", "options"})
    fresh = Replica(id=0, state=ReplicaState.ACTIVE, **plain)
    return Found(text=say(trials.fresh(fresh, given.secrets)))


@api.get("/{number}", summary="Read a replica", **operation(P.STORAGE_VIEW))
def read_replica(number: Number, replicas: ReplicasService, held: Contents) -> ReplicaShown:
    return shown(replicas.details(number), held)


@api.patch("/{number}", summary="Change the configuration of a replica", **operation(P.STORAGE_MANAGE))
def change_replica(
    number: Number, visitor: Visitor, given: ReplicaPart, replicas: ReplicasService, held: Contents
) -> ReplicaShown:
    setup = Setup(**given.model_dump(exclude={"edition"}))
    replicas.change(visitor.actor, number, setup, seen=given.edition)
    return shown(replicas.details(number), held)


@api.post("/{number}/state", summary="Change the state of a replica", **operation(P.STORAGE_MANAGE))
def set_state(
    number: Number, visitor: Visitor, given: StateWanted, replicas: ReplicasService, held: Contents
) -> ReplicaShown:
    replicas.set_state(visitor.actor, number, given.state, given.reason)
    return shown(replicas.details(number), held)


@api.post("/{number}/try", summary="Test whether a replica answers", **operation(P.STORAGE_MANAGE))
def try_replica(number: Number, trials: TrialsService) -> Found:
    return Found(text=say(trials.known(number)))
