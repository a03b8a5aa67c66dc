"""The API of jobs: what the pages do, for programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.db.stretches import counted_off
from armarium.planning.jobs.filters import job_filter
from armarium.planning.jobs.model import (
    CommandRow,
    ConfigurationRow,
    Done,
    File,
    JobFilter,
    JobRow,
    RunningJob,
)
from armarium.planning.jobs.service import MOST_AT_ONCE, JobDetails, Jobs
from armarium.planning.jobs.steering import Steering
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, At, AtThousand, Limit, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(tags=["jobs"])

VIEW = operation(Permission.PLANNING_VIEW)
MANAGE = operation(Permission.JOBS_MANAGE)

JobsService = Annotated[Jobs, Depends(service(Jobs))]
DetailsService = Annotated[JobDetails, Depends(service(JobDetails))]
SteeringService = Annotated[Steering, Depends(service(Steering))]


@dataclass(frozen=True)
class JobSlice:
    """A stretch of the list. `next` leads on: give it as `at`."""

    items: Sequence[JobRow]
    total: int  # counted up to 10,000
    more_than_total: bool
    next: str | None
    previous: str | None


class Chosen(BaseModel):
    model_config = ConfigDict(extra="forbid")

    jobs: list[Annotated[int, Field(ge=1, le=LARGEST)]] = Field(min_length=1, max_length=MOST_AT_ONCE)


class Rejection(Chosen):
    reason: str = Field("", max_length=500)


class Resubmission(Chosen):
    current_settings: bool = False


class Priority(BaseModel):
    model_config = ConfigDict(extra="forbid")

    priority: int


class CommandGiven(BaseModel):
    """What is wanted of a running job; `save` keeps a filter for the domain or globally."""

    model_config = ConfigDict(extra="forbid")

    verb: str
    arguments: dict[str, Any] = {}
    save: str = Field("", pattern="^(|domain|global)$")


JOB = schemas.shown(JobRow, "JobShown", without=("profile_version",))
SLICE = schemas.shown(JobSlice, "JobSlice", first=(), doc=JobSlice.__doc__, items=schemas.several(JOB))
WHOLE = schemas.shown(
    JobRow,
    "JobWhole",
    without=("profile_version",),
    why_waiting=str | None,  # an English sentence
    report=dict[str, Any],  # of the last heartbeat
)
CONFIGURATION = schemas.shown(ConfigurationRow, "ConfigurationShown")
FILE = schemas.shown(File, "FileShown")
DONE = schemas.shown(Done, "DoneShown")
COMMAND = schemas.shown(CommandRow, "CommandShown", without=("job_state",))


def asked(
    q: str = "",
    state: str = "",
    harvest: str = "",
    channel: str = "",
    collector: str = "",
    domain: str = "",
    run: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    jobs: str = "",
    since: Annotated[str, Query(alias="from")] = "",
    until: Annotated[str, Query(alias="to")] = "",
    order: str = "",
) -> JobFilter:
    """The question of a program; its days are those of UTC."""
    names = {"harvest": harvest, "channel": channel, "collector": collector, "domain": domain}
    days = {"since": since, "until": until}
    return job_filter(q=q, state=state, **names, run=run, jobs=jobs, **days, order=order)


@api.get("/jobs", summary="List jobs", response_model=SLICE, **VIEW)
def list_jobs(
    jobs: JobsService,
    wanted: Annotated[JobFilter, Depends(asked)],
    limit: Limit = 50,
    at: Annotated[str, Query(max_length=100, description="`next` or `previous` of an answer.")] = "",
    cursor: Annotated[str, Query(max_length=100, description="The same, as in other lists.")] = "",
) -> JobSlice:
    found = jobs.page(wanted, mark=cursor or at, limit=limit, strict=bool(cursor))
    count = jobs.count(wanted)
    return JobSlice(
        items=found.jobs,
        total=count.number,
        more_than_total=count.more,
        next=found.forward,
        previous=found.back,
    )


@api.get(
    "/jobs/running",
    summary="List running jobs with their latest figures",
    response_model=schemas.several(WHOLE),
    **VIEW,
)
def list_running(jobs: JobsService, domain: str = "") -> list[dict[str, Any]]:
    return [whole(found, None) for found in jobs.running(domain)]


def whole(found: RunningJob, why: str | None) -> dict[str, Any]:
    return {**vars(found.job), "why_waiting": why, "report": found.report}


@api.get("/jobs/{number}", summary="Read a job", response_model=WHOLE, **VIEW)
def read_job(number: Number, jobs: JobsService) -> dict[str, Any]:
    found = jobs.get(number)
    why = jobs.why_waiting(found.job)
    return whole(found, str(why) if why else None)


@api.get(
    "/jobs/{number}/configurations",
    summary="List the results of a job by configuration",
    response_model=schemas.listing(CONFIGURATION),
    **VIEW,
)
def list_configurations(
    number: Number,
    jobs: JobsService,
    details: DetailsService,
    reason: str = "",
    *,
    at: At,
) -> Listing[ConfigurationRow]:
    jobs.get(number)
    rows, counted = details.configurations(number, reason=reason, limit=at.limit, offset=at.place)
    total = counted.get("" if reason == "none" else reason, 0) if reason else sum(counted.values())
    return at.listing(rows, total)


@api.get(
    "/jobs/{number}/files",
    summary="List the files of a job with checksums",
    response_model=schemas.listing(FILE),
    **VIEW,
)
def list_files(number: Number, jobs: JobsService, details: DetailsService, at: At) -> Listing[File]:
    jobs.get(number)
    files, (total, _) = details.files(number, limit=at.limit, offset=at.place)
    return at.listing(files, total)


@api.get(
    "/jobs/{number}/order", summary="Read the crawl settings of a job, without seeds and passwords", **VIEW
)
def read_order(number: Number, jobs: JobsService) -> dict[str, Any]:
    return jobs.order(number)


@api.get("/jobs/{number}/seeds", summary="List the seeds of a job with their domains", **VIEW)
def list_seeds(number: Number, jobs: JobsService, at: AtThousand) -> Listing[list[str]]:
    seeds = jobs.seeds(number)
    first = counted_off(at.limit, at.place, len(seeds))
    return at.listing([list(one) for one in seeds[first : first + at.limit]], len(seeds))


@api.post("/jobs/resubmit", summary="Resubmit failed jobs", response_model=DONE, **MANAGE)
def resubmit_jobs(visitor: Visitor, given: Resubmission, jobs: JobsService) -> Done:
    return jobs.resubmit(visitor.actor, given.jobs, current=given.current_settings)


@api.post("/jobs/reject", summary="Reject failed jobs", response_model=DONE, **MANAGE)
def reject_jobs(visitor: Visitor, given: Rejection, jobs: JobsService) -> Done:
    return jobs.reject(visitor.actor, given.jobs, reason=given.reason)


@api.post("/jobs/restore", summary="Restore rejected jobs", response_model=DONE, **MANAGE)
def restore_jobs(visitor: Visitor, given: Chosen, jobs: JobsService) -> Done:
    return jobs.restore(visitor.actor, given.jobs)


@api.post("/jobs/cancel", summary="Cancel waiting jobs", response_model=DONE, **MANAGE)
def cancel_jobs(visitor: Visitor, given: Chosen, jobs: JobsService) -> Done:
    return jobs.cancel(visitor.actor, given.jobs)


@api.put(
    "/jobs/{number}/priority", summary="Change the priority of a waiting job", response_model=JOB, **MANAGE
)
def change_priority(number: Number, visitor: Visitor, given: Priority, jobs: JobsService) -> JobRow:
    jobs.set_priority(visitor.actor, number, given.priority)
    return jobs.get(number).job


@api.get(
    "/jobs/{number}/commands",
    summary="List the commands sent to a job and its answers",
    response_model=schemas.several(COMMAND),
    **VIEW,
)
def list_commands(
    number: Number, jobs: JobsService, steering: SteeringService, limit: Limit = 50
) -> list[CommandRow]:
    jobs.get(number)  # one that is not there was not told nothing
    return steering.commands(number, limit)


@api.post(
    "/jobs/{number}/commands",
    status_code=202,
    summary="Send a command to a running job",
    response_model=COMMAND,
    **MANAGE,
)
def give_command(
    number: Number, visitor: Visitor, given: CommandGiven, steering: SteeringService
) -> CommandRow:
    command = steering.order(visitor.actor, number, given.verb, given.arguments, save=given.save)
    return steering.answer(command)
