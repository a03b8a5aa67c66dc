"""A job made again, for the same configurations, from what holds today."""

from typing import Any

from sqlalchemy import Connection

from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.planning.channels.service import Channels
from armarium.planning.generation import queries
from armarium.planning.generation.candidates import Sieve
from armarium.planning.generation.chunk import JobMaker, line_of
from armarium.planning.generation.estimate import Bounds, estimator_of
from armarium.planning.generation.filling import Candidate, OpenJob, place_in_order
from armarium.planning.generation.order import DomainsPart
from armarium.planning.generation.running import frame_of
from armarium.planning.generation.source import existing_harvest
from armarium.planning.model import JobState
from armarium.planning.settings import PlanningSettings


def remake(connection: Connection, number: int, settings: PlanningSettings, channels: Channels) -> int:
    before = queries.job_of(connection, number)
    if before is None:
        raise NotFound(message("There is no job %(id)s.", id=number))
    harvest = existing_harvest(connection, before.harvest)
    candidates = candidates_of(connection, number, harvest, settings)
    common = {
        "harvest": harvest.id,
        "run": before.run,
        "channel": channels.for_harvest(connection, harvest),
        "priority": before.priority,
        "resubmission_of": number,
    }
    jobs = JobMaker(connection, common, frame_of(connection, harvest, settings))
    job = OpenJob(jobs.number(), candidates[0].profile, candidates[0].overrides)
    part = DomainsPart()
    for candidate in candidates:
        job.add(candidate)
        part.add(candidate)
    queries.put_jobs(connection, [jobs.row(job, JobState.NEW)], [])
    queries.put_parts(connection, [(job.number, 0, jobs.first_part(job)), (job.number, 1, part.packed())])
    queries.copy_configurations(connection, [line_of(job.number, candidate) for candidate in candidates])
    return job.number


def candidates_of(
    connection: Connection, number: int, harvest: Any, settings: PlanningSettings
) -> list[Candidate]:
    """Neither aliases nor the rule of continuations are asked again: somebody wants just these domains."""
    rows = queries.rows(
        connection, queries.OF_JOB, {**queries.alias_since(settings.alias_days), "job": number}
    )
    sieve = Sieve(
        estimator_of(settings),
        Bounds(harvest.max_objects, harvest.max_bytes),
        broad=False,
        continues=False,
        skip_zero_budgets=settings.skip_zero_budgets,
    )
    candidates = sorted(sieve.sift(rows), key=place_in_order)
    if not candidates:
        raise Refused(
            message(
                "Nothing is left of job %(id)s: its domains are no longer active or have no seeds.", id=number
            )
        )
    if len({(candidate.profile, candidate.overrides) for candidate in candidates}) > 1:
        raise Refused(
            message(
                "The configurations of job %(id)s no longer share one profile and the same settings, so they "
                "cannot share a job. Resubmit it with its original settings, or run the harvest again.",
                id=number,
            )
        )
    return candidates
