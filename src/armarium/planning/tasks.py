"""The tasks of planning: harvests that are due, jobs that are made, and what is cleared away."""

import structlog

from armarium.core.errors import DatabaseAway
from armarium.planning.arrivals.service import Arrivals
from armarium.planning.collectors.service import Collectors
from armarium.planning.domains.imports import TASK
from armarium.planning.domains.service import Domains
from armarium.planning.generation.previews import PREVIEW, Previews
from armarium.planning.generation.service import Generator, StuckRuns
from armarium.planning.harvests.due import DueRuns
from armarium.planning.harvests.service import GENERATE
from armarium.planning.leasing.service import Leases
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind

log = structlog.get_logger(__name__)

RETRY = Retry(attempts=5)


def due(context: TaskContext) -> None:
    """Begin the runs of harvests that are due, and see to those that nobody makes jobs for any more."""
    context.service(DueRuns).begin()
    context.service(StuckRuns).free()


def generate(context: TaskContext, run: int) -> None:
    """Make the jobs of a run; after an interruption, the rest of them."""
    generator = context.service(Generator)
    try:
        generator.generate(run, context.stopping)
    except (TaskStopped, DatabaseAway):
        raise  # run again by itself
    except Exception as error:
        # A fault that comes again each time must not leave a run that says for ever: generating.
        if context.attempt >= RETRY.attempts:
            generator.fail(run, describe(error).error)
        raise


def preview(context: TaskContext, harvest: int) -> None:
    """Make the plan of a large harvest, which a page waits for."""
    context.service(Previews).make(harvest)


def expire(context: TaskContext) -> None:
    """End the leases of collectors that nothing was heard of: their jobs go to others."""
    ended = context.service(Leases).expire()
    if ended:
        log.info("leases ended", count=ended)


def clear(context: TaskContext) -> None:
    """Clear away parts of files that nobody will complete, old requests, codes, samples and answers."""
    parts = context.service(Arrivals).clear_away()
    requests = context.service(Collectors).forget_expired()
    samples = context.service(Leases).forget_samples()
    context.service(Leases).forget_answers()
    log.info("traces of collectors cleared away", parts=parts, requests=requests, samples=samples)


def make_domains(context: TaskContext, number: int) -> None:
    """Make the domains of a file that was read; after an interruption, the rest of them."""
    context.service(Domains).imports.make(number, stopping=context.stopping)


def clear_imports(context: TaskContext) -> None:
    """Give up imports whose file nobody goes on with."""
    context.service(Domains).imports.clear()


TASKS = (
    TaskKind(GENERATE, generate, retry=RETRY, priority=5),
    TaskKind(PREVIEW, preview, retry=Retry(attempts=2)),
    TaskKind("planning.leases", expire, retry=NEVER_AGAIN, priority=8, cron="* * * * * */10"),
    TaskKind("planning.clear", clear, retry=NEVER_AGAIN, priority=-5, cron="41 * * * *"),
    TaskKind(TASK, make_domains, retry=Retry(attempts=3)),
    TaskKind("planning.clear-imports", clear_imports, retry=NEVER_AGAIN, cron="43 3 * * *"),
    # Not tried again after a failure: the next minute does.
    TaskKind("planning.due", due, retry=NEVER_AGAIN, priority=10, cron="* * * * *"),
)
