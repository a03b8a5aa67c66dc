"""The API of audits."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.storage.audits.model import Run
from armarium.storage.audits.service import Audits
from armarium.storage.model import AuditKind, CheckOutcome, RunState
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Id, Listing, Number
from armarium.web.services import service

AuditsService = Annotated[Audits, Depends(service(Audits))]

api = APIRouter(prefix="/storage/audits", tags=["audits"])


class AuditShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    replica: int
    replica_name: str
    kind: AuditKind
    state: RunState
    asked_by: str  # empty: by the calendar
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    heard_at: datetime | None
    older_than: datetime | None  # only copies whose last check was before
    files_total: int
    bytes_total: int
    files: int
    bytes: int
    ok: int
    missing: int
    corrupt: int
    strange: int  # objects in the replica that the register does not know
    error: str
    expected_end: datetime | None


class AuditWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    replica: Id
    kind: AuditKind = AuditKind.CHECKSUM
    older_than: datetime | None = None


class CheckShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    at: datetime
    file: int
    file_name: str
    replica: int
    replica_name: str
    kind: AuditKind
    outcome: CheckOutcome
    algorithm: str
    found: str
    size: int


class HealthShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    replica: int
    name: str
    well: bool
    away_since: datetime | None
    files: int
    bytes: int
    damaged: int
    oldest_check: datetime | None
    never_checked: int
    checked_recently: int  # bytes, within 90 days
    last_presence: datetime | None
    last_checksum: datetime | None
    damages_of_year: int
    repaired_of_year: int


def shown(run: Run) -> AuditShown:
    facts = {name: getattr(run, name) for name in AuditShown.model_fields if name != "expected_end"}
    return AuditShown(**facts, expected_end=run.expected_end(clock.now()))


@api.get("", summary="List audits", **operation(Permission.STORAGE_VIEW))
def list_audits(
    audits: AuditsService,
    state: RunState | None = None,
    replica: int | None = None,
    *,
    at: At,
) -> Listing[AuditShown]:
    found, total = audits.page(state=state, replica=replica, limit=at.limit, offset=at.place)
    return at.listing([shown(run) for run in found], total)


@api.post("", status_code=201, summary="Start an audit", **operation(Permission.STORAGE_MANAGE))
def start_audit(visitor: Visitor, given: AuditWanted, audits: AuditsService) -> AuditShown:
    return shown(audits.get(audits.start(visitor.actor, given.replica, given.kind, aware(given.older_than))))


def aware(moment: datetime | None) -> datetime | None:
    """A moment without a zone is one of UTC."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=clock.now().tzinfo)


@api.get("/health", summary="How the replicas are", **operation(Permission.STORAGE_VIEW))
def health(audits: AuditsService) -> list[HealthShown]:
    return [HealthShown.model_validate(one) for one in audits.health()]


@api.get("/{number}", summary="Read an audit", **operation(Permission.STORAGE_VIEW))
def read_audit(number: Number, audits: AuditsService) -> AuditShown:
    return shown(audits.get(number))


@api.get("/{number}/damages", summary="What an audit found", **operation(Permission.STORAGE_VIEW))
def list_damages(number: Number, audits: AuditsService, at: At) -> Listing[CheckShown]:
    found, total = audits.damages(audits.get(number), limit=at.limit, offset=at.place)
    return at.listing([CheckShown.model_validate(check) for check in found], total)


@api.post("/{number}/cancel", summary="Cancel an audit", **operation(Permission.STORAGE_MANAGE))
def cancel_audit(number: Number, visitor: Visitor, audits: AuditsService) -> AuditShown:
    return shown(audits.cancel(visitor.actor, number))
