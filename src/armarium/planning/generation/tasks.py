"""The tasks of generation."""

from armarium.core.errors import DatabaseAway
from armarium.planning.generation.previews import PREVIEW, Previews
from armarium.planning.generation.service import Generator
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import Retry, TaskKind

RETRY = Retry(attempts=5)


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


TASKS = (
    TaskKind("planning.generate", generate, retry=RETRY, priority=5),
    TaskKind(PREVIEW, preview, retry=Retry(attempts=2)),
)
