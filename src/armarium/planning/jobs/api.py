"""The API of jobs: what the pages do, for programs."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from armarium.accounts.model import Permission
from armarium.db.stretches import counted_off
from armarium.planning.jobs.filters import job_filter
from armarium.planning.jobs.model import JobFilter, JobRow, RunningJob
from armarium.planning.jobs.schemas import (
    Chosen,
    CommandGiven,
    CommandShown,
    ConfigurationShown,
    DoneShown,
    FileShown,
    JobShown,
    JobSlice,
    JobWhole,
    Priority,
    Rejection,
    Resubmission,
)
from armarium.planning.jobs.service import JobDetails, Jobs
from armarium.planning.jobs.steering import Steering
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, At, AtThousand, Limit, Listing, Number
from armarium.web.services import service

api = APIRouter(tags=["jobs"])

VIEW = operation(Permission.PLANNING_VIEW)
MANAGE = operation(Permission.JOBS_MANAGE)

JobsService = Annotated[Jobs, Depends(service(Jobs))]
DetailsService = Annotated[JobDetails, Depends(service(JobDetails))]
SteeringService = Annotated[Steering, Depends(service(Steering))]


def shown(row: JobRow) -> JobShown:
    return JobShown.model_validate(row)


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
    return job_filter(
        q=q,
        state=state,
        harvest=harvest,
        channel=channel,
        collector=collector,
        domain=domain,
        run=run,
        jobs=jobs,
        since=since,
        until=until,
        order=order,
    )


@api.get("/jobs", summary="List jobs", **VIEW)
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
        items=[shown(row) for row in found.jobs],
        total=count.number,
        more_than_total=count.more,
        next=found.forward,
        previous=found.back,
    )


@api.get("/jobs/running", summary="Jobs that run, with their last news", **VIEW)
def list_running(jobs: JobsService, domain: str = "") -> list[JobWhole]:
    return [whole(found, None) for found in jobs.running(domain)]


def whole(found: RunningJob, why: str | None) -> JobWhole:
    return JobWhole(**shown(found.job).model_dump(), why_waiting=why, report=dict(found.report))


@api.get("/jobs/{number}", summary="Read a job", **VIEW)
def read_job(number: Number, jobs: JobsService) -> JobWhole:
    found = jobs.get(number)
    why = jobs.why_waiting(found.job)
    return whole(found, str(why) if why else None)


@api.get("/jobs/{number}/configurations", summary="What a job brought home for each configuration", **VIEW)
def list_configurations(
    number: Number,
    jobs: JobsService,
    details: DetailsService,
    reason: str = "",
    *,
    at: At,
) -> Listing[ConfigurationShown]:
    jobs.get(number)
    rows, counted = details.configurations(number, reason=reason, limit=at.limit, offset=at.place)
    total = counted.get("" if reason == "none" else reason, 0) if reason else sum(counted.values())
    return at.listing([ConfigurationShown.model_validate(row) for row in rows], total)


@api.get("/jobs/{number}/files", summary="Files of a job, with their checksums", **VIEW)
def list_files(number: Number, jobs: JobsService, details: DetailsService, at: At) -> Listing[FileShown]:
    jobs.get(number)
    files, (total, _) = details.files(number, limit=at.limit, offset=at.place)
    return at.listing([FileShown.model_validate(one) for one in files], total)


@api.get("/jobs/{number}/order", summary="The frozen order, without seeds and secrets", **VIEW)
def read_order(number: Number, jobs: JobsService) -> dict[str, Any]:
    return jobs.order(number)


@api.get("/jobs/{number}/seeds", summary="The frozen seeds, each with its domain", **VIEW)
def list_seeds(number: Number, jobs: JobsService, at: AtThousand) -> Listing[list[str]]:
    seeds = jobs.seeds(number)
    first = counted_off(at.limit, at.place, len(seeds))
    return at.listing([list(one) for one in seeds[first : first + at.limit]], len(seeds))


@api.post("/jobs/resubmit", summary="Make failed jobs anew", **MANAGE)
def resubmit_jobs(visitor: Visitor, given: Resubmission, jobs: JobsService) -> DoneShown:
    return DoneShown.model_validate(jobs.resubmit(visitor.actor, given.jobs, current=given.current_settings))


@api.post("/jobs/reject", summary="Failed jobs, and that is the end of it", **MANAGE)
def reject_jobs(visitor: Visitor, given: Rejection, jobs: JobsService) -> DoneShown:
    return DoneShown.model_validate(jobs.reject(visitor.actor, given.jobs, reason=given.reason))


@api.post("/jobs/restore", summary="Take rejections back", **MANAGE)
def restore_jobs(visitor: Visitor, given: Chosen, jobs: JobsService) -> DoneShown:
    return DoneShown.model_validate(jobs.restore(visitor.actor, given.jobs))


@api.post("/jobs/cancel", summary="Take back jobs that wait", **MANAGE)
def cancel_jobs(visitor: Visitor, given: Chosen, jobs: JobsService) -> DoneShown:
    return DoneShown.model_validate(jobs.cancel(visitor.actor, given.jobs))


@api.put("/jobs/{number}/priority", summary="Let a waiting job come sooner or later", **MANAGE)
def change_priority(number: Number, visitor: Visitor, given: Priority, jobs: JobsService) -> JobShown:
    jobs.set_priority(visitor.actor, number, given.priority)
    return shown(jobs.get(number).job)


@api.get("/jobs/{number}/commands", summary="What people told a job, and its answers", **VIEW)
def list_commands(
    number: Number, jobs: JobsService, steering: SteeringService, limit: Limit = 50
) -> list[CommandShown]:
    jobs.get(number)  # one that is not there was not told nothing
    return [CommandShown.model_validate(one) for one in steering.commands(number, limit)]


@api.post("/jobs/{number}/commands", status_code=202, summary="Tell a running job something", **MANAGE)
def give_command(
    number: Number, visitor: Visitor, given: CommandGiven, steering: SteeringService
) -> CommandShown:
    command = steering.order(visitor.actor, number, given.verb, given.arguments, save=given.save)
    return CommandShown.model_validate(steering.answer(command))
