"""Generation of jobs: chunk by chunk, so that an interrupted one goes on where it was."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import SYSTEM, Actor
from armarium.core.errors import ArmariumError, NotFound, Refused, Unavailable
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.planning.budgets import share_out
from armarium.planning.channels.service import Channels
from armarium.planning.generation import queries
from armarium.planning.generation.candidates import Bounds, CandidateFilter, estimator_of
from armarium.planning.generation.chunks import DomainsPart, JobMaker, frame_of, line_of, step
from armarium.planning.generation.filling import Candidate, OpenJob, place_in_order
from armarium.planning.generation.plan import START, Plan, Planner, existing_harvest, source_of
from armarium.planning.harvests.model import RunState
from armarium.planning.harvests.service import GENERATE
from armarium.planning.model import JobState
from armarium.planning.settings import PlanningSettings
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped
from armarium.tasks.model import TaskState
from armarium.tasks.service import Tasks

log = structlog.get_logger(__name__)

TOPIC = "generation"  # of live parts of pages
LONGEST_TROUBLE = 2000  # characters


def unheard(_done: int, _of: int) -> None:
    """For a preview that nobody waits for."""


class Preparation(Protocol):
    """Whoever wants to bring a harvest up to date before the jobs of a run are made."""

    def before_run(self, harvest: int, run: int, stopping: Callable[[], bool]) -> None:
        """May be called again for the same run; must not fail, for the harvest goes on in any case. Where the
        database is away, it may: the run is begun again then."""
        ...


class Generator:
    def __init__(
        self,
        database: Database,
        settings: PlanningSettings,
        notifier: Notifier | None = None,
        preparation: Preparation | None = None,
    ) -> None:
        self._database = database
        self._settings = settings
        self._notifier = notifier  # None: nobody is told of failures
        self._preparation = preparation  # None: nobody prepares anything
        self._channels = Channels(database)

    def preview(
        self, harvest_id: int, *, most_jobs: int = 200, told: Callable[[int, int], None] = unheard
    ) -> Plan:
        """The jobs that a run would make now. Nothing is written; `told` hears how far it has come."""
        with self._database.transaction() as connection:
            source = source_of(connection, existing_harvest(connection, harvest_id), self._settings)
            of = source.how_many(connection)
        planner, after, done = Planner(source, self._settings), START, 0
        while True:
            with self._database.transaction() as connection:
                rows, after = source.chunk(connection, after)
                if not rows:
                    return planner.plan(connection, most_jobs)
            planner.add(rows)
            done += len(rows)
            told(done, of)

    def generate(self, run_id: int, stopping: Callable[[], bool] = never) -> None:
        """Make the jobs of a run, or the rest of them; to call it twice, or at the same time, does no harm.

        Raises `TaskStopped` between two chunks when it is to stop. What is wrong with the plan itself ends
        the run: see `fail`.
        """
        try:
            self._prepare(run_id, stopping)
            while self._step(run_id):
                if stopping():
                    raise TaskStopped
        except Unavailable:
            raise  # the same chunk may succeed later
        except ArmariumError as error:
            self.fail(run_id, str(error))

    def fail(self, run_id: int, reason: str) -> None:
        """End a run that cannot be generated: no job of it is left, and the harvest waits for a person."""
        with self._database.transaction() as connection:
            run = self._held(connection, run_id)
            if run.state != RunState.GENERATING:
                return
            harvest = existing_harvest(connection, run.harvest)
            trouble = reason[:LONGEST_TROUBLE]
            queries.release_jobs(connection, run_id, JobState.CANCELLED)
            queries.save_run(connection, run_id, state=RunState.FAILED.value, error=trouble, cursor={})
            queries.deactivate_harvest(connection, harvest.id, trouble)
            self._note(
                connection, harvest, "harvest.generation_failed", {"run": run.number, "trouble": trouble}
            )
            if self._notifier is not None:
                self._notifier.notify(connection, about_failure(harvest, run.number, trouble))
        log.error("generation failed", harvest=harvest.id, run=run_id, reason=trouble)

    def remake(self, connection: Connection, actor: Actor, job_id: int) -> int:
        """A new job for the configurations of another, with the profile, seeds, traps and limits of today."""
        made = remake(connection, job_id, self._settings, self._channels)
        record(
            connection,
            actor,
            "job.remade",
            Subject("job", made, f"job-{made}"),
            after={"resubmission_of": job_id},
        )
        announce(connection, "jobs")
        return made

    def _prepare(self, run_id: int, stopping: Callable[[], bool]) -> None:
        """Before the first chunk, not in its transaction: it may take minutes."""
        if self._preparation is None:
            return
        with self._database.transaction() as connection:
            run = self._held(connection, run_id)
        if run.state == RunState.GENERATING and not run.cursor:
            self._preparation.before_run(run.harvest, run_id, stopping)

    def _step(self, run_id: int) -> bool:
        """One chunk, in one transaction; whether there may be more."""
        with self._database.transaction() as connection:
            run = self._held(connection, run_id)
            if run.state != RunState.GENERATING:
                return False
            if run.begun_at is None:
                queries.save_run(connection, run_id, begun_at=clock.now())
            harvest = existing_harvest(connection, run.harvest)
            source = source_of(connection, harvest, self._settings)
            channel = self._channels.for_harvest(connection, harvest)
            common = {"harvest": harvest.id, "run": run_id, "channel": channel}
            jobs = JobMaker(connection, common, frame_of(connection, harvest, self._settings))
            more = step(connection, run, source, jobs)
            if not more:
                self._finish(connection, run, harvest)
            announce(connection, TOPIC)
            return more

    def _finish(self, connection: Connection, run: Any, harvest: Any) -> None:
        """The jobs may be taken, all of them at once."""
        share_out(connection, run.id)
        queries.release_jobs(connection, run.id, JobState.NEW)
        values = {"state": RunState.GENERATED.value, "generated_at": clock.now(), "cursor": {}}
        queries.save_run(connection, run.id, **values)
        told = {"run": run.number, "jobs": run.jobs, "configurations": run.configurations}
        self._note(connection, harvest, "harvest.generated", told)
        if not run.jobs and self._notifier is not None:
            self._notifier.notify(connection, about_nothing(harvest, run.number))
        announce(connection, "jobs")
        announce(connection, "harvests")
        log.info("jobs generated", harvest=harvest.id, run=run.number, jobs=run.jobs)

    @staticmethod
    def _held(connection: Connection, run_id: int) -> Any:
        run = queries.held_run(connection, run_id)
        if run is None:
            raise NotFound(message("There is no run %(id)s.", id=run_id))
        return run

    @staticmethod
    def _note(connection: Connection, harvest: Any, action: str, told: dict[str, object]) -> None:
        record(connection, SYSTEM, action, Subject("harvest", harvest.id, harvest.name), after=told)


def about_failure(harvest: Any, number: int, trouble: str) -> Notification:
    return Notification(
        severity=Severity.ERROR,
        subject=message("The harvest %(name)s was paused", name=harvest.name),
        text=message(
            "No jobs could be made for run %(run)s of the harvest %(name)s: %(trouble)s\n\n"
            "Remove the cause, look at the preview of the harvest, then activate it again.",
            name=harvest.name,
            run=number,
            trouble=trouble,
        ),
        key=f"harvest.generation:{harvest.id}",
    )


def about_nothing(harvest: Any, number: int) -> Notification:
    return Notification(
        severity=Severity.WARNING,
        subject=message("The harvest %(name)s created no jobs", name=harvest.name),
        text=message(
            "Run %(run)s of the harvest %(name)s made no jobs: every domain was left out. "
            "The preview of the harvest says why.",
            name=harvest.name,
            run=number,
        ),
        key=f"harvest.empty:{harvest.id}",
    )


# A job made again, for the same configurations ------------------------------------------------------


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
    candidate_filter = CandidateFilter(
        estimator_of(settings),
        Bounds(harvest.max_objects, harvest.max_bytes),
        broad=False,
        continues=False,
        skip_zero_budgets=settings.skip_zero_budgets,
    )
    candidates = sorted(candidate_filter.select(rows), key=place_in_order)
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


# Runs that nobody makes jobs for any more -----------------------------------------------------------


PATIENCE = timedelta(minutes=1)  # a task that is being retried by hand is given this long
CANCELLED: Message = message(
    "The task that made its jobs was cancelled. Jobs that it had planned were cancelled as well."
)
GIVEN_UP: Message = message(
    "The task that made its jobs was given up: it failed, or the workers that ran it were lost, too often. "
    "The page of tasks says why."
)
ENDS = {TaskState.CANCELLED: CANCELLED, TaskState.FAILED: GIVEN_UP}


class StuckRuns:
    """Sees to it that no run says for ever that its jobs are being made."""

    def __init__(self, database: Database, tasks: Tasks, generator: Generator) -> None:
        self._database = database
        self._tasks = tasks
        self._generator = generator

    def free(self, now: datetime | None = None) -> int:
        """End runs whose task has ended without them; begin the task of others anew. How many there were."""
        moment = now or clock.now()
        with self._database.transaction() as connection:
            waiting = queries.runs_being_made(connection, moment - PATIENCE)
            states = self._tasks.states_by_argument(connection, GENERATE, "run", waiting) if waiting else {}
            lost = [run for run in waiting if states.get(run) in (None, TaskState.FINISHED)]
            for run in lost:
                self._tasks.defer(connection, GENERATE, {"run": run}, queueing_lock=f"{GENERATE}-{run}")
        ended = [(run, ENDS[states[run]]) for run in waiting if states.get(run) in ENDS]
        for run, reason in ended:
            self._generator.fail(run, str(reason))
        if lost or ended:
            log.warning("runs without a task", begun_anew=lost, ended=[run for run, _ in ended])
        return len(lost) + len(ended)
