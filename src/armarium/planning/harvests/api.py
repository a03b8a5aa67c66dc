"""The API of harvests: what the pages do, for programs."""

from datetime import date
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.budgets import Share
from armarium.planning.harvests.calendar import AGENDA
from armarium.planning.harvests.calendar_pages import CalendarService
from armarium.planning.harvests.member_pages import DomainsOfHarvests, EventsService
from armarium.planning.harvests.model import Member
from armarium.planning.harvests.pages import HarvestsService
from armarium.planning.harvests.queries import HarvestFilter
from armarium.planning.harvests.schemas import (
    AddedShown,
    AppointmentShown,
    BudgetGiven,
    DoubtShown,
    EventGiven,
    HarvestGiven,
    HarvestPart,
    HarvestShown,
    NamesGiven,
    PastedShown,
    RunShown,
    SeedsGiven,
    VolumeShown,
    added_shown,
    harvest_shown,
    pasted_shown,
    run_shown,
    volume_shown,
)
from armarium.planning.model import HarvestKind
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, At, Id, Listing, Number
from armarium.web.routes import Router

api = Router(tags=["harvests"])

VIEW = operation(Permission.PLANNING_VIEW)
EDIT = operation(Permission.PLANNING_EDIT)


class Configurations(BaseModel):
    model_config = ConfigDict(extra="forbid")

    configurations: list[Id] = Field(max_length=100_000)


class Changed(BaseModel):
    configurations: int


class Begun(BaseModel):
    run: int


MEMBER = schemas.shown(Member, "MemberShown", without=("domain_active", "choices"))


@api.get("/harvests", summary="List harvests", **VIEW)
def list_harvests(
    harvests: HarvestsService,
    text: str = "",
    kind: HarvestKind | None = None,
    active: bool | None = None,
    channel: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    *,
    at: At,
) -> Listing[HarvestShown]:
    found, total = harvests.search(
        HarvestFilter(text, kind, active, channel), limit=at.limit, offset=at.place
    )
    return at.listing([harvest_shown(row.harvest, row.last) for row in found], total)


@api.post("/harvests", status_code=201, summary="Create a harvest, not yet active", **EDIT)
def create_harvest(visitor: Visitor, given: HarvestGiven, harvests: HarvestsService) -> HarvestShown:
    return harvest_shown(harvests.create(visitor.actor, given.definition()))


@api.post(
    "/harvests/event", status_code=201, summary="Paste seeds: create an event harvest and start it", **EDIT
)
def create_event(visitor: Visitor, given: EventGiven, events: EventsService) -> PastedShown:
    return pasted_shown(
        events.create(visitor.actor, given.definition(), given.seeds_given(), activate=given.activate)
    )


@api.get("/harvests/{number}", summary="Read a harvest", **VIEW)
def read_harvest(number: Number, harvests: HarvestsService) -> HarvestShown:
    return harvest_shown(harvests.get(number))


@api.patch("/harvests/{number}", summary="Change the named settings of a harvest", **EDIT)
def change_harvest(
    number: Number, visitor: Visitor, given: HarvestPart, harvests: HarvestsService
) -> HarvestShown:
    before = harvests.get(number)
    after = harvests.change(
        visitor.actor, number, given.over(before), seen=before.mark, next_at=given.next_at
    )
    return harvest_shown(after)


@api.get("/harvests/{number}/doubts", summary="What prevents activating a harvest", **VIEW)
def read_doubts(number: Number, harvests: HarvestsService) -> list[DoubtShown]:
    return [DoubtShown(text=str(one.text), prevents=one.prevents) for one in harvests.doubts(number)]


@api.post("/harvests/{number}/activate", summary="Activate a harvest; a broad one starts at once", **EDIT)
def activate_harvest(number: Number, visitor: Visitor, harvests: HarvestsService) -> HarvestShown:
    return harvest_shown(harvests.activate(visitor.actor, number))


@api.post("/harvests/{number}/deactivate", summary="Pause a harvest: no further run starts", **EDIT)
def deactivate_harvest(number: Number, visitor: Visitor, harvests: HarvestsService) -> HarvestShown:
    return harvest_shown(harvests.deactivate(visitor.actor, number))


@api.post("/harvests/{number}/run", status_code=202, summary="Start a run at once", **EDIT)
def run_harvest(number: Number, visitor: Visitor, harvests: HarvestsService) -> Begun:
    return Begun(run=harvests.run_now(visitor.actor, number))


@api.get(
    "/harvests/{number}/configurations",
    summary="List the configurations of a harvest",
    response_model=schemas.listing(MEMBER),
    **VIEW,
)
def list_configurations(
    number: Number,
    harvests: HarvestsService,
    domains: DomainsOfHarvests,
    text: str = "",
    *,
    at: At,
) -> Listing[Member]:
    harvests.get(number)  # one that is not there is not an empty one
    return at.listing(*domains.page(number, text, limit=at.limit, offset=at.place))


@api.post("/harvests/{number}/configurations", summary="Add configurations by their numbers", **EDIT)
def add_configurations(
    number: Number, visitor: Visitor, given: Configurations, harvests: HarvestsService
) -> Changed:
    added = harvests.add_configurations(visitor.actor, number, given.configurations)
    return Changed(configurations=added)


@api.delete("/harvests/{number}/configurations", summary="Remove configurations, or all", **EDIT)
def remove_configurations(
    number: Number,
    visitor: Visitor,
    harvests: HarvestsService,
    configuration: Annotated[list[int] | None, Query(description="Which; none named: all of them.")] = None,
) -> Changed:
    return Changed(configurations=harvests.remove_configurations(visitor.actor, number, configuration))


@api.post("/harvests/{number}/domains", summary="Add domains by their names", **EDIT)
def add_domains(
    number: Number, visitor: Visitor, given: NamesGiven, domains: DomainsOfHarvests
) -> AddedShown:
    added = domains.add(
        visitor.actor,
        number,
        "\n".join(given.names),
        configuration=given.configuration,
        create=given.create,
    )
    return added_shown(added)


@api.post("/harvests/{number}/seeds", summary="Add seeds to an event harvest", **EDIT)
def add_seeds(number: Number, visitor: Visitor, given: SeedsGiven, events: EventsService) -> PastedShown:
    return pasted_shown(events.add(visitor.actor, number, given.seeds_given()))


@api.get("/harvests/{number}/runs", summary="List the runs of a harvest, newest first", **VIEW)
def list_runs(number: Number, harvests: HarvestsService, at: At) -> Listing[RunShown]:
    found, total = harvests.runs(harvests.get(number).id, limit=at.limit, offset=at.place)
    return at.listing([run_shown(run) for run in found], total)


@api.get("/harvests/{number}/runs/{run}", summary="Read a run of a harvest", **VIEW)
def read_run(number: Number, run: Number, harvests: HarvestsService) -> RunShown:
    return run_shown(harvests.run(number, run))


@api.post(
    "/harvests/{number}/runs/{run}/budget",
    summary="Raise the total budget of a run; jobs that have ended stay as they are",
    **EDIT,
)
def raise_budget(
    number: Number, run: Number, visitor: Visitor, given: BudgetGiven, harvests: HarvestsService
) -> RunShown:
    wanted = Share(given.total_objects, given.total_bytes)
    return run_shown(harvests.raise_budget(visitor.actor, number, run, wanted))


@api.get("/calendar/{year}", summary="What each day of a year brought, or is expected to bring", **VIEW)
def read_calendar(
    year: Annotated[int, Path(ge=1996, le=2200)], calendar: CalendarService, zone: str = "UTC"
) -> dict[date, VolumeShown]:
    shown = calendar.year(year, zone)
    return {
        day: volume_shown(volume)
        for month in shown.months
        for day, volume in month.days.items()
        if volume.runs
    }


@api.get("/agenda", summary="The next runs of all harvests", **VIEW)
def read_agenda(
    calendar: CalendarService, limit: Annotated[int, Query(ge=1, le=1000)] = AGENDA
) -> list[AppointmentShown]:
    return [
        AppointmentShown(
            at=one.at, harvest=one.harvest.id, name=one.harvest.name, expected=volume_shown(one.expected)
        )
        for one in calendar.agenda(limit)
    ]
