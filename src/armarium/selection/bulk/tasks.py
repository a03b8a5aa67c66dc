"""The tasks of bulk edits."""

from collections.abc import Mapping
from typing import Any

from armarium.core.errors import DatabaseAway, Forbidden, NotFound, Refused
from armarium.languages.speech import say
from armarium.selection.bulk.service import TASK, BulkEdits, read
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind

RETRY = Retry(attempts=5)


def run(context: TaskContext, bulk: int, editor: Mapping[str, Any]) -> None:
    """A bulk edit of many records: all of them or none."""
    edits = context.service(BulkEdits)
    try:
        edits.run(read(editor), bulk)
    except (TaskStopped, DatabaseAway):
        raise  # run again by itself
    except (Forbidden, NotFound, Refused) as refusal:
        edits.fail(bulk, say(refusal.message))
    except Exception as error:
        # A fault that comes again each time must not leave a page that says for ever: running.
        if context.attempt >= RETRY.attempts:
            edits.fail(bulk, describe(error).error)
        raise


def clear(context: TaskContext) -> None:
    """Forget previews of bulk edits, and values that can no longer be given back."""
    context.service(BulkEdits).clear()


TASKS = (
    TaskKind(TASK, run, retry=RETRY, priority=5),
    TaskKind("selection.clear_bulk", clear, retry=NEVER_AGAIN, priority=-5, cron="17 3 * * *"),
)
