"""Tasks of files: storing one, going on with what was interrupted, clearing away."""

import structlog

from armarium.db.database import Database
from armarium.storage.figures import KeptFigures
from armarium.storage.files.catalogue import FILES, figures_of_files
from armarium.storage.files.registering import STORE
from armarium.storage.files.service import Files
from armarium.storage.files.storing import ReplicaAwaited
from armarium.storage.replicas.contents import REPLICAS, figures_of_replicas
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

log = structlog.get_logger(__name__)


def store(context: TaskContext, file: int) -> None:
    """Put a file into every replica. After its attempts the sweep defers it again, for ever.

    Where replicas are away it has nothing to try again: people are told of the replica, once, and not of
    each file; the file's page says which replica it waits for.
    """
    try:
        context.service(Files).store(file, context.stopping)
    except ReplicaAwaited as awaited:
        log.info("file waits for a replica", file=file, reason=str(awaited))


def sweep(context: TaskContext) -> None:
    deferred = context.service(Files).sweep()
    counts = {FILES: figures_of_files, REPLICAS: figures_of_replicas}
    KeptFigures(context.service(Database)).refresh(counts)
    if deferred:
        log.info("files deferred again", count=deferred)


def clean(context: TaskContext) -> None:
    cleaned = context.service(Files).clean()
    if cleaned:
        log.info("arrived files cleared away", count=cleaned)


TASKS = (
    TaskKind(STORE, store, priority=5),
    TaskKind("storage.sweep", sweep, retry=NEVER_AGAIN, priority=5, cron="* * * * *"),
    TaskKind("storage.clean", clean, retry=NEVER_AGAIN, priority=-5, cron="*/10 * * * *"),
)
