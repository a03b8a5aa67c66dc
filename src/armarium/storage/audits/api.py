"""The API of audits."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.storage.audits.model import Health, Run
from armarium.storage.audits.service import Audits
from armarium.storage.history import Check
from armarium.storage.model import AuditKind, RunState
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Id, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

AuditsService = Annotated[Audits, Depends(service(Audits))]

api = Router(prefix="/storage/audits", tags=["audits"])


SHOWN = schemas.shown(
    Run,
    "AuditShown",
    without=(
        "edition",
        "cursor",
    ),
    expected_end=datetime | None,
)
CHECK = schemas.shown(Check, "CheckShown", first=(), without=("edition", "id", "audit"), module=__name__)


class AuditWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    replica: Id
    kind: AuditKind = AuditKind.CHECKSUM
    older_than: datetime | None = None


HEALTH = schemas.shown(
    Health,
    "HealthShown",
    only=(
        *(
            "replica",
            "name",
            "well",
            "away_since",
            "files",
            "bytes",
            "damaged",
            "oldest_check",
            "never_checked",
        ),
        *("checked_recently", "last_presence", "last_checksum", "damages_of_year", "repaired_of_year"),
    ),
    well=bool,
)


def shown(run: Run) -> dict[str, Any]:
    return {**vars(run), "expected_end": run.expected_end(clock.now())}


@api.get(
    "", summary="List audits", response_model=schemas.listing(SHOWN), **operation(Permission.STORAGE_VIEW)
)
def list_audits(
    audits: AuditsService,
    state: RunState | None = None,
    replica: int | None = None,
    *,
    at: At,
) -> Listing[dict[str, Any]]:
    found, total = audits.page(state=state, replica=replica, limit=at.limit, offset=at.place)
    return at.listing([shown(run) for run in found], total)


@api.post(
    "",
    status_code=201,
    summary="Start an audit",
    response_model=SHOWN,
    **operation(Permission.STORAGE_MANAGE),
)
def start_audit(visitor: Visitor, given: AuditWanted, audits: AuditsService) -> dict[str, Any]:
    return shown(audits.get(audits.start(visitor.actor, given.replica, given.kind, aware(given.older_than))))


def aware(moment: datetime | None) -> datetime | None:
    """A moment without a zone is one of UTC."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=clock.now().tzinfo)


@api.get(
    "/health",
    summary="Read the health of the replicas",
    response_model=schemas.several(HEALTH),
    **operation(Permission.STORAGE_VIEW),
)
def health(audits: AuditsService) -> list[Health]:
    return list(audits.health())


@api.get("/{number}", summary="Read an audit", response_model=SHOWN, **operation(Permission.STORAGE_VIEW))
def read_audit(number: Number, audits: AuditsService) -> dict[str, Any]:
    return shown(audits.get(number))


@api.get(
    "/{number}/damages",
    summary="List the damage found by an audit",
    response_model=schemas.listing(CHECK),
    **operation(Permission.STORAGE_VIEW),
)
def list_damages(number: Number, audits: AuditsService, at: At) -> Listing[Check]:
    found, total = audits.damages(audits.get(number), limit=at.limit, offset=at.place)
    return at.listing(found, total)


@api.post(
    "/{number}/cancel",
    summary="Cancel an audit",
    response_model=SHOWN,
    **operation(Permission.STORAGE_MANAGE),
)
def cancel_audit(number: Number, visitor: Visitor, audits: AuditsService) -> dict[str, Any]:
    return shown(audits.cancel(visitor.actor, number))
