"""The services between selection and planning: the transfer, and what comes back."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.db.database import Database
from armarium.server.services.provided import service

if TYPE_CHECKING:
    from armarium.notify.service import Notifier
    from armarium.planning.domains.service import Domains
    from armarium.planning.harvests.service import Harvests
    from armarium.selection.findings.service import Findings
    from armarium.selection.transfer.mapping_service import TransferMappings
    from armarium.selection.transfer.service import Conflicts, Transfers
    from armarium.tasks.service import Tasks
    from armarium.workflow.learning import AfterJobs, BeforeRuns, Learning
    from armarium.workflow.transferring import PlanningDesk
else:
    Findings = late("armarium.selection.findings.service:Findings")
    TransferMappings = late("armarium.selection.transfer.mapping_service:TransferMappings")
    Transfers = late("armarium.selection.transfer.service:Transfers")
    Conflicts = late("armarium.selection.transfer.service:Conflicts")
    AfterJobs = late("armarium.workflow.learning:AfterJobs")
    BeforeRuns = late("armarium.workflow.learning:BeforeRuns")
    Learning = late("armarium.workflow.learning:Learning")
    PlanningDesk = late("armarium.workflow.transferring:PlanningDesk")


@dataclass(frozen=True)
class TransferServices:
    database: Database
    tasks: "Tasks"
    notifier: "Notifier"
    domains: "Domains"
    harvests: "Harvests"

    @service
    def desk(self) -> "PlanningDesk":
        return PlanningDesk(self.domains, self.harvests)

    @service
    def transfers(self) -> "Transfers":
        return Transfers(self.database, self.tasks, self.desk)

    @service
    def findings(self) -> "Findings":
        return Findings(self.database)

    @service
    def mappings(self) -> "TransferMappings":
        return TransferMappings(self.database, self.desk)

    @service
    def conflicts(self) -> "Conflicts":
        return Conflicts(self.database, self.desk)

    @service
    def learning(self) -> "Learning":
        return Learning(self.database, self.findings)

    @property
    def before_runs(self) -> "BeforeRuns":
        return BeforeRuns(self.database, self.transfers, self.notifier)

    @property
    def after_jobs(self) -> "AfterJobs":
        return AfterJobs(self.tasks)
