"""The tasks of audits."""

from armarium.storage.audits.service import AUDIT, Audits
from armarium.storage.files.copies import CHECK
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind


def audit(context: TaskContext, run: int) -> None:
    """Go on with an audit of a replica; if the replica is away, later."""
    context.service(Audits).carry_on(run, context.stopping)


def check(context: TaskContext, file: int, replica: int) -> None:
    """Read one copy, every byte, because reading it failed."""
    context.service(Audits).check_one(file, replica, context.stopping)


def due(context: TaskContext) -> None:
    """Start audits that are due, and wake those that were given up because their replica was away."""
    context.service(Audits).due()


TASKS = (
    # Below all else: an audit may wait for a while, a file that has just come in may not.
    TaskKind(AUDIT, audit, retry=Retry(attempts=5), priority=-10),
    TaskKind(CHECK, check, retry=Retry(attempts=10), priority=2),
    TaskKind("storage.audits", due, retry=NEVER_AGAIN, cron="7,37 * * * *"),
)
