"""The API of schedules."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.planning.schedules.model import Rhythm, Schedule, Unit
from armarium.planning.schedules.rules import MOST_UNITS, upcoming
from armarium.planning.schedules.service import Schedules
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.services import service

api = APIRouter(prefix="/schedules", tags=["schedules"])

SchedulesService = Annotated[Schedules, Depends(service(Schedules))]
VIEW = operation(Permission.PLANNING_VIEW)
RULES = operation(Permission.PLANNING_RULES)


class ScheduleGiven(BaseModel):
    """PUT replaces: what is not said is as here."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=100)
    comments: str = Field("", max_length=10_000)
    active: bool = True
    unit: Unit
    every: int = Field(1, ge=1, le=MOST_UNITS)
    anytime: bool = Field(False, description="Exactly so long after the last run, not at a fixed moment.")
    minute: int | None = Field(None, ge=0, le=59)
    hour: int | None = Field(None, ge=0, le=23)
    weekday: int | None = Field(None, ge=1, le=7, description="1 is Monday.")
    day: int | None = Field(None, ge=1, le=31, description="Of the month; beyond its end, the last.")
    zone: str = Field("", max_length=100, description="Time zone such as Europe/Paris; empty: UTC.")
    starts_at: AwareDatetime | None = None
    ends_at: AwareDatetime | None = None
    max_runs: int | None = Field(None, ge=1, le=1_000_000)

    def rhythm(self) -> Rhythm:
        values = {name: getattr(self, name) for name in Rhythm.__dataclass_fields__}
        for name in ("starts_at", "ends_at"):
            values[name] = values[name].astimezone(UTC) if values[name] else None
        return Rhythm(**values)


class ScheduleShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    comments: str
    active: bool
    unit: Unit
    every: int
    anytime: bool
    minute: int | None
    hour: int | None
    weekday: int | None
    day: int | None
    zone: str
    starts_at: datetime | None
    ends_at: datetime | None
    max_runs: int | None


def shown(schedule: Schedule) -> ScheduleShown:
    return ScheduleShown.model_validate(schedule)


@api.get("", summary="List schedules", **VIEW)
def list_schedules(schedules: SchedulesService, at: At) -> Listing[ScheduleShown]:
    found, total = schedules.page(limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post("", status_code=201, summary="Create a schedule", **RULES)
def create_schedule(visitor: Visitor, given: ScheduleGiven, schedules: SchedulesService) -> ScheduleShown:
    made = schedules.create(visitor.actor, given.name, given.rhythm(), comments=given.comments)
    return shown(made if given.active else schedules.set_active(visitor.actor, made.id, False))


@api.get("/{number}", summary="Read a schedule", **VIEW)
def read_schedule(number: Number, schedules: SchedulesService) -> ScheduleShown:
    return shown(schedules.get(number))


@api.put("/{number}", summary="Replace a schedule", **RULES)
def replace_schedule(
    number: Number, visitor: Visitor, given: ScheduleGiven, schedules: SchedulesService
) -> ScheduleShown:
    changed = schedules.change(
        visitor.actor, number, given.name, given.rhythm(), comments=given.comments, active=given.active
    )
    return shown(changed)


@api.post("/{number}/pause", summary="Pause a schedule: no harvest falls due by it", **RULES)
def pause_schedule(number: Number, visitor: Visitor, schedules: SchedulesService) -> ScheduleShown:
    return shown(schedules.set_active(visitor.actor, number, False))


@api.post("/{number}/resume", summary="Let a paused schedule go on", **RULES)
def resume_schedule(number: Number, visitor: Visitor, schedules: SchedulesService) -> ScheduleShown:
    return shown(schedules.set_active(visitor.actor, number, True))


@api.get("/{number}/runs", summary="The next runs by a schedule, from now on", **VIEW)
def read_runs(
    number: Number,
    schedules: SchedulesService,
    most: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 10,
) -> list[datetime]:
    return upcoming(schedules.get(number), clock.now(), most)
