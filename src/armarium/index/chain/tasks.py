"""The tasks of the chain."""

import structlog

from armarium.core.errors import Unavailable
from armarium.index.chain.collections import FILL
from armarium.index.chain.service import CROWDED, INDEX, Chain
from armarium.index.chain.steps import EXAMINE
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind

RETRY = Retry(attempts=5)
PASSING = (OSError, Unavailable)

log = structlog.get_logger(__name__)


def index_file(context: TaskContext, file: int) -> None:
    """Make the lines of a stored file findable."""
    chain = context.service(Chain)
    try:
        chain.index(file, context.stopping)
    except TaskStopped:
        raise
    except Exception as error:
        # A fault that comes again each time must be seen, and not leave a file that says for ever: waiting.
        # A disk without room and a replica that is away pass: the sweep asks again, each minute.
        if context.attempt >= RETRY.attempts and not isinstance(error, PASSING):
            chain.note_failure(file, describe(error).error)
        raise


def fill_collection(context: TaskContext, collection: int) -> None:
    """Give a new or changed collection the lines of its files."""
    files = context.service(Chain).collections.fill(collection, context.stopping)
    log.info("collection filled", collection=collection, files=files)


def merge_days(context: TaskContext) -> None:
    """Put the runs of files into runs of their days."""
    chain = context.service(Chain)
    if not chain.steps.is_running("daily"):
        chain.merge_days(context.stopping)


def merge_crowded(context: TaskContext) -> None:
    """Put many runs of files together before it is time for it, so that look-ups stay quick."""
    context.service(Chain).merge_crowded(context.stopping)


def merge_big(context: TaskContext) -> None:
    """Put the runs of days into the big one."""
    chain = context.service(Chain)
    if not chain.steps.is_running("big"):
        chain.merge_big(context.stopping)


def clean(context: TaskContext) -> None:
    """Look whether all runs are there, and delete those that nobody needs any more."""
    chain = context.service(Chain)
    lost = chain.mend()
    log.info("index cleaned", deleted=chain.clean(), lost=lost)


def examine(context: TaskContext, run: str) -> None:
    """Read a run that somebody could not read."""
    context.service(Chain).examine(run, context.stopping)


def scrub(context: TaskContext, everything: bool = False) -> None:
    """Read the runs whose turn it is, every byte."""
    damaged = context.service(Chain).scrub(context.stopping, everything=everything)
    log.info("runs read", damaged=damaged)


def write_paths(context: TaskContext) -> None:
    """Write the PATH index anew."""
    log.info("PATH index written", files=context.service(Chain).write_paths())


def sweep(context: TaskContext) -> None:
    """Ask for files that are not indexed and that no task is at."""
    asked = context.service(Chain).sweep()
    if asked:
        log.info("files asked for again", files=asked)


TASKS = (
    TaskKind(INDEX, index_file, retry=RETRY),
    TaskKind(FILL, fill_collection, retry=RETRY),
    TaskKind("index.daily", merge_days, retry=NEVER_AGAIN, cron="*/10 * * * *"),
    TaskKind(CROWDED, merge_crowded, retry=NEVER_AGAIN),
    TaskKind("index.big", merge_big, retry=NEVER_AGAIN, priority=-5, cron="20 1 * * *"),
    TaskKind("index.clean", clean, retry=NEVER_AGAIN, priority=-5, cron="50 * * * *"),
    TaskKind(EXAMINE, examine, retry=RETRY, priority=5),
    TaskKind("index.scrub", scrub, retry=NEVER_AGAIN, priority=-10, cron="5 * * * *"),
    TaskKind("index.paths", write_paths, retry=NEVER_AGAIN, priority=-5, cron="35 * * * *"),
    TaskKind("index.sweep", sweep, retry=NEVER_AGAIN, cron="* * * * *"),
)
