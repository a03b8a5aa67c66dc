"""Every kind of task. Apart from the services: a command imports none of them, or at most one."""

from armarium.access.statistics import service as statistics
from armarium.administration import upkeep
from armarium.index.chain import tasks as chain
from armarium.index.upkeep import service as index_upkeep
from armarium.notify import tasks as notify
from armarium.planning import tasks as planning
from armarium.selection.bulk import service as bulk
from armarium.selection.digests import service as digests
from armarium.selection.entry import service as entry
from armarium.selection.exchange import service as exchange
from armarium.selection.nominations import service as nominations
from armarium.selection.transfer import service as transfer
from armarium.storage.audits import service as audits
from armarium.storage.batches import service as batches
from armarium.storage.files import service as files
from armarium.storage.intake import watching as intake
from armarium.storage.repairs import service as repairs
from armarium.tasks.kinds import TaskKinds
from armarium.workflow import tasks as workflow

TASK_KINDS = TaskKinds(
    [
        *notify.TASKS,
        *upkeep.TASKS,
        *planning.TASKS,
        *entry.TASKS,
        *nominations.TASKS,
        *digests.TASKS,
        *exchange.TASKS,
        *bulk.TASKS,
        *transfer.TASKS,
        *files.TASKS,
        *audits.TASKS,
        *repairs.TASKS,
        *intake.TASKS,
        *batches.TASKS,
        *chain.TASKS,
        *index_upkeep.TASKS,
        *workflow.TASKS,
        *statistics.TASKS,
    ]
)
