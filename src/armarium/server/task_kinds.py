"""Every kind of task. Apart from the services: a command imports none of them, or at most one."""

from armarium.access.reading.use import tasks as use_tasks
from armarium.administration import upkeep
from armarium.index.chain import tasks as chain_tasks
from armarium.index.upkeep import tasks as index_upkeep_tasks
from armarium.notify import tasks as notify_tasks
from armarium.planning.collectors import tasks as collectors_tasks
from armarium.planning.domains import tasks as domains_tasks
from armarium.planning.generation import tasks as generation_tasks
from armarium.planning.harvests import tasks as harvests_tasks
from armarium.selection.bulk import tasks as bulk_tasks
from armarium.selection.digests import tasks as digests_tasks
from armarium.selection.entry import tasks as entry_tasks
from armarium.selection.exchange import tasks as exchange_tasks
from armarium.selection.nominations import tasks as nominations_tasks
from armarium.selection.transfer import tasks as transfer_tasks
from armarium.storage.audits import tasks as audits_tasks
from armarium.storage.batches import tasks as batches_tasks
from armarium.storage.files import tasks as files_tasks
from armarium.storage.intake import tasks as intake_tasks
from armarium.storage.repairs import tasks as repairs_tasks
from armarium.tasks.kinds import TaskKinds
from armarium.workflow import tasks as workflow_tasks

TASK_KINDS = TaskKinds(
    [
        *notify_tasks.TASKS,
        *upkeep.TASKS,
        *generation_tasks.TASKS,
        *collectors_tasks.TASKS,
        *domains_tasks.TASKS,
        *harvests_tasks.TASKS,
        *entry_tasks.TASKS,
        *nominations_tasks.TASKS,
        *digests_tasks.TASKS,
        *exchange_tasks.TASKS,
        *bulk_tasks.TASKS,
        *transfer_tasks.TASKS,
        *files_tasks.TASKS,
        *audits_tasks.TASKS,
        *repairs_tasks.TASKS,
        *intake_tasks.TASKS,
        *batches_tasks.TASKS,
        *chain_tasks.TASKS,
        *index_upkeep_tasks.TASKS,
        *workflow_tasks.TASKS,
        *use_tasks.TASKS,
    ]
)
