"""The task of the transfer."""

import structlog

from armarium.core.errors import DatabaseAway
from armarium.selection.transfer.service import TRANSFER, Transfers
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import Retry, TaskKind

log = structlog.get_logger(__name__)

RETRY = Retry(attempts=5)


def transfer(context: TaskContext, transfer: int) -> None:
    """Hand records to planning; after an interruption, the rest of them."""
    transfers = context.service(Transfers)
    try:
        transfers.carry_out(transfer, context.stopping)
    except (TaskStopped, DatabaseAway):
        raise  # run again by itself
    except Exception as error:
        # A fault that comes again each time must not leave a transfer that says for ever: running.
        if context.attempt >= RETRY.attempts:
            transfers.fail(transfer, describe(error).error)
        raise
    done = transfers.get(transfer)
    counts = {kind.value: count for kind, count in done.counts.items() if count}
    log.info("transfer done", transfer=transfer, records=done.handled, **counts)


TASKS = (TaskKind(TRANSFER, transfer, retry=RETRY),)
