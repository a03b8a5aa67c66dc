"""The tasks of imports of domains."""

from armarium.planning.domains.imports import TASK
from armarium.planning.domains.service import Domains
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind


def make(context: TaskContext, number: int) -> None:
    """Make the domains of a file that was read; after an interruption, the rest of them."""
    context.service(Domains).imports.make(number, stopping=context.stopping)


def clear(context: TaskContext) -> None:
    """Give up imports whose file nobody goes on with."""
    context.service(Domains).imports.clear()


TASKS = (
    TaskKind(TASK, make, retry=Retry(attempts=3)),
    TaskKind("planning.clear-imports", clear, retry=NEVER_AGAIN, cron="43 3 * * *"),
)
