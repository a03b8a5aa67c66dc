"""The services of storage and index, and the hands between them and planning."""

from dataclasses import dataclass
from functools import cached_property

from armarium.accounts.vault import Vault
from armarium.db.database import Database
from armarium.index.chain import tasks as chain_tasks
from armarium.index.chain.service import Chain
from armarium.index.settings import IndexSettings
from armarium.index.upkeep import service as upkeep_tasks
from armarium.notify.service import Notifier
from armarium.settings import Settings
from armarium.storage.audits import service as audits_tasks
from armarium.storage.audits.service import Audits
from armarium.storage.batches import service as batches_tasks
from armarium.storage.batches.service import Batches
from armarium.storage.files import service as files_tasks
from armarium.storage.files.reading import Reader
from armarium.storage.files.service import Files
from armarium.storage.intake import watching as intake_tasks
from armarium.storage.intake.service import Intake
from armarium.storage.intake.watching import Watching, WatchOrders
from armarium.storage.rebuild.service import Rebuild
from armarium.storage.repairs import service as repairs_tasks
from armarium.storage.repairs.service import Repairs
from armarium.storage.replicas.service import Replicas
from armarium.storage.settings import StorageSettings
from armarium.tasks.service import Tasks
from armarium.workflow import tasks as workflow_tasks
from armarium.workflow.join import Holdings, IndexedCaptures, Reception, Succession

TASKS = (
    *files_tasks.TASKS,
    *audits_tasks.TASKS,
    *repairs_tasks.TASKS,
    *intake_tasks.TASKS,
    *batches_tasks.TASKS,
    *chain_tasks.TASKS,
    *upkeep_tasks.TASKS,
    *workflow_tasks.TASKS,
)


@dataclass(frozen=True)
class Keeping:
    settings: Settings
    database: Database
    vault: Vault
    tasks: Tasks
    notifier: Notifier

    @cached_property
    def replicas(self) -> Replicas:
        return Replicas(self.database, self.vault, self.settings.home, self.notifier)

    @property
    def succession(self) -> Succession:
        return Succession(lambda: self.chain)

    @cached_property
    def files(self) -> Files:
        return Files(self.database, self.replicas, self.tasks, self.notifier, self.succession)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.files, self.replicas)

    @cached_property
    def chain(self) -> Chain:
        holdings = Holdings(self.files, self.reader)
        chosen = self.settings[IndexSettings]
        return Chain(self.database, holdings, chosen, self.settings.home, self.tasks, self.notifier)

    @property
    def reception(self) -> Reception:
        return Reception(self.files)

    @property
    def captures(self) -> IndexedCaptures:
        return IndexedCaptures(self.database, self.chain)

    def services(self) -> list[object]:
        return [self.replicas, self.files, self.reader, self.chain, *self.looking_after(), *self.taking_in()]

    def looking_after(self) -> list[object]:
        chosen, places = self.settings[StorageSettings], self.replicas
        return [
            Audits(self.database, places, self.tasks, chosen, self.notifier),
            Repairs(self.database, places, self.succession, self.tasks, chosen, self.notifier),
            Rebuild(self.database, places, self.succession),
            Batches(self.database, self.reader, self.tasks, chosen),
        ]

    def taking_in(self) -> list[object]:
        intake = Intake(self.database, self.files, self.settings.home)
        return [
            intake,
            Watching(self.database, intake, self.settings[StorageSettings]),
            WatchOrders(self.database, self.tasks),
        ]

    def close(self) -> None:
        """End the processes that index, if any were started."""
        if "chain" in vars(self):
            self.chain.close()
