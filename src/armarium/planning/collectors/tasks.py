"""Periodic tasks about leases, arrivals and requests of collectors."""

import structlog

from armarium.planning.arrivals.service import Arrivals
from armarium.planning.collectors.service import Collectors
from armarium.planning.leasing.service import Leases
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

log = structlog.get_logger(__name__)


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


TASKS = (
    TaskKind("planning.leases", expire, retry=NEVER_AGAIN, priority=8, cron="* * * * * */10"),
    TaskKind("planning.clear", clear, retry=NEVER_AGAIN, priority=-5, cron="41 * * * *"),
)
