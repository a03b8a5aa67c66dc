"""The nightly task of the figures of use."""

import structlog

from armarium.access.reading.use.service import Statistics
from armarium.tasks.context import TaskContext
from armarium.tasks.model import TaskKind

log = structlog.get_logger(__name__)


def tidy(context: TaskContext) -> None:
    """Put sites together that were read so seldom that naming them might say who did."""
    folded, forgotten = context.service(Statistics).tidy()
    log.info("figures of use tidied", folded=folded, forgotten=forgotten)


TASKS = (TaskKind("access.statistics", tidy, priority=-5, cron="41 2 * * *"),)
