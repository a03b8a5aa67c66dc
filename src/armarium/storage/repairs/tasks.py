"""The tasks of repairs."""

from armarium.storage.repairs.proposals import REPAIR
from armarium.storage.repairs.service import Repairs
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind


def repair(context: TaskContext, repair: int) -> None:
    """Ask all replicas about a damaged copy, and make it anew if the votes are clear."""
    context.service(Repairs).carry_out(repair, context.stopping)


def sweep(context: TaskContext) -> None:
    """Go on with repairs that were given up for a while, because a replica was away."""
    context.service(Repairs).sweep()


TASKS = (
    TaskKind(REPAIR, repair, retry=Retry(attempts=5), priority=3),
    TaskKind("storage.repairs", sweep, retry=NEVER_AGAIN, cron="17,47 * * * *"),
)
