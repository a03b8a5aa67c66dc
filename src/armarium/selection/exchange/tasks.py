"""The tasks of imports."""

from armarium.core.errors import DatabaseAway
from armarium.selection.exchange.service import TASK, Imports
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind

RETRY = Retry(attempts=3)


def run_import(context: TaskContext, number: int) -> None:
    """Try or import a file of records; after an interruption, from the beginning."""
    imports = context.service(Imports)
    try:
        imports.run(number)
    except (TaskStopped, DatabaseAway):
        raise  # run again by itself
    except Exception as error:
        # A fault that comes again each time must not leave an import that says for ever: under way.
        if context.attempt >= RETRY.attempts:
            imports.fail(number, describe(error).error)
        raise


def clear_imports(context: TaskContext) -> None:
    """Forget files of imports whose time is over."""
    context.service(Imports).clear()


TASKS = (
    TaskKind(TASK, run_import, retry=RETRY, priority=5),
    TaskKind("selection.clear_imports", clear_imports, retry=NEVER_AGAIN, cron="41 3 * * *"),
)
