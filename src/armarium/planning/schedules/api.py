"""The API of schedules."""

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.rules import upcoming
from armarium.planning.schedules.service import Schedules
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/schedules", tags=["schedules"])

SchedulesService = Annotated[Schedules, Depends(service(Schedules))]
VIEW, RULES = operation(Permission.PLANNING_VIEW), operation(Permission.PLANNING_RULES)

FIRST = ("name", "comments", "active")
Given = Annotated[Schedule, schemas.given(Schedule, "ScheduleGiven", first=FIRST)]
SHOWN = schemas.shown(Schedule, "ScheduleShown", first=("id", *FIRST))


@api.get("", summary="List schedules", response_model=schemas.listing(SHOWN), **VIEW)
def list_schedules(schedules: SchedulesService, at: At) -> Listing[Schedule]:
    return at.listing(*schedules.page(limit=at.limit, offset=at.place))


@api.post("", status_code=201, summary="Create a schedule", response_model=SHOWN, **RULES)
def create_schedule(visitor: Visitor, given: Given, schedules: SchedulesService) -> Schedule:
    made = schedules.create(visitor.actor, given)
    return made if given.active else schedules.set_active(visitor.actor, made.id, False)


@api.get("/{number}", summary="Read a schedule", response_model=SHOWN, **VIEW)
def read_schedule(number: Number, schedules: SchedulesService) -> Schedule:
    return schedules.get(number)


@api.put("/{number}", summary="Replace a schedule", response_model=SHOWN, **RULES)
def replace_schedule(number: Number, visitor: Visitor, given: Given, schedules: SchedulesService) -> Schedule:
    return schedules.change(visitor.actor, number, given)


@api.post(
    "/{number}/pause",
    summary="Pause a schedule: no harvest that follows it is due",
    response_model=SHOWN,
    **RULES,
)
def pause_schedule(number: Number, visitor: Visitor, schedules: SchedulesService) -> Schedule:
    return schedules.set_active(visitor.actor, number, False)


@api.post("/{number}/resume", summary="Resume a paused schedule", response_model=SHOWN, **RULES)
def resume_schedule(number: Number, visitor: Visitor, schedules: SchedulesService) -> Schedule:
    return schedules.set_active(visitor.actor, number, True)


@api.get("/{number}/runs", summary="The next dates of a schedule", **VIEW)
def read_runs(
    number: Number,
    schedules: SchedulesService,
    most: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 10,
) -> list[datetime]:
    return upcoming(schedules.get(number), clock.now(), most)
