"""The services between selection and planning: the transfer, and what comes back."""

from dataclasses import dataclass
from functools import cached_property

from armarium.db.database import Database
from armarium.notify.service import Notifier
from armarium.planning.domains.service import Domains
from armarium.planning.harvests.service import Harvests
from armarium.selection.findings.service import Findings
from armarium.selection.transfer import service as transfer_tasks
from armarium.selection.transfer.mapping_service import TransferMappings
from armarium.selection.transfer.service import Conflicts, Transfers
from armarium.tasks.service import Tasks
from armarium.workflow.learning import AfterJobs, BeforeRuns, Learning
from armarium.workflow.transferring import PlanningDesk

TASKS = (*transfer_tasks.TASKS,)


@dataclass(frozen=True)
class Handing:
    database: Database
    tasks: Tasks
    notifier: Notifier
    domains: Domains
    harvests: Harvests

    @cached_property
    def desk(self) -> PlanningDesk:
        return PlanningDesk(self.domains, self.harvests)

    @cached_property
    def transfers(self) -> Transfers:
        return Transfers(self.database, self.tasks, self.desk)

    @cached_property
    def findings(self) -> Findings:
        return Findings(self.database)

    @property
    def before_runs(self) -> BeforeRuns:
        return BeforeRuns(self.database, self.transfers, self.notifier)

    @property
    def after_jobs(self) -> AfterJobs:
        return AfterJobs(self.tasks)

    def services(self) -> list[object]:
        return [
            self.transfers,
            self.findings,
            TransferMappings(self.database, self.desk),
            Conflicts(self.database, self.desk),
            Learning(self.database, self.findings),
        ]
