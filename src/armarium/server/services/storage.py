"""The services of storage and index, and what joins them to planning."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armarium.accounts.vault import Vault
from armarium.core.late import late
from armarium.db.database import Database
from armarium.index.settings import IndexSettings
from armarium.server.services.provided import service
from armarium.settings import Settings
from armarium.storage.settings import StorageSettings

if TYPE_CHECKING:
    from armarium.index.chain.service import Chain
    from armarium.notify.service import Notifier
    from armarium.storage.audits.service import Audits
    from armarium.storage.batches.service import Batches
    from armarium.storage.files.reading import Reader
    from armarium.storage.files.service import Files
    from armarium.storage.intake.service import Intake
    from armarium.storage.intake.watching import Watching, WatchOrders
    from armarium.storage.rebuild.service import Rebuild
    from armarium.storage.repairs.service import Repairs
    from armarium.storage.replicas.service import Replicas
    from armarium.tasks.service import Tasks
    from armarium.workflow.join import Holdings, IndexedCaptures, Reception, Succession
else:
    Chain = late("armarium.index.chain.service:Chain")
    Audits = late("armarium.storage.audits.service:Audits")
    Batches = late("armarium.storage.batches.service:Batches")
    Reader = late("armarium.storage.files.reading:Reader")
    Files = late("armarium.storage.files.service:Files")
    WatchOrders = late("armarium.storage.intake.watching:WatchOrders")
    Intake = late("armarium.storage.intake.service:Intake")
    Watching = late("armarium.storage.intake.watching:Watching")
    Replicas = late("armarium.storage.replicas.service:Replicas")
    Rebuild = late("armarium.storage.rebuild.service:Rebuild")
    Repairs = late("armarium.storage.repairs.service:Repairs")
    Holdings = late("armarium.workflow.join:Holdings")
    IndexedCaptures = late("armarium.workflow.join:IndexedCaptures")
    Reception = late("armarium.workflow.join:Reception")
    Succession = late("armarium.workflow.join:Succession")


@dataclass(frozen=True)
class StorageServices:
    settings: Settings
    database: Database
    vault: Vault
    tasks: "Tasks"
    notifier: "Notifier"

    @property
    def chosen(self) -> StorageSettings:
        return self.settings[StorageSettings]

    @service
    def replicas(self) -> "Replicas":
        return Replicas(self.database, self.vault, self.settings.home, self.notifier)

    @property
    def succession(self) -> "Succession":
        return Succession(lambda: self.chain)

    @service
    def files(self) -> "Files":
        return Files(self.database, self.replicas, self.tasks, self.notifier, self.succession)

    @service
    def reader(self) -> "Reader":
        return Reader(self.files, self.replicas)

    @service
    def chain(self) -> "Chain":
        holdings = Holdings(self.files, self.reader)
        chosen = self.settings[IndexSettings]
        return Chain(self.database, holdings, chosen, self.settings.home, self.tasks, self.notifier)

    @property
    def reception(self) -> "Reception":
        return Reception(self.files)

    @property
    def captures(self) -> "IndexedCaptures":
        return IndexedCaptures(self.database, self.chain)

    @service
    def audits(self) -> "Audits":
        return Audits(self.database, self.replicas, self.tasks, self.chosen, self.notifier)

    @service
    def repairs(self) -> "Repairs":
        return Repairs(self.database, self.replicas, self.succession, self.tasks, self.chosen, self.notifier)

    @service
    def rebuild(self) -> "Rebuild":
        return Rebuild(self.database, self.replicas, self.succession)

    @service
    def batches(self) -> "Batches":
        return Batches(self.database, self.reader, self.tasks, self.chosen)

    @service
    def intake(self) -> "Intake":
        return Intake(self.database, self.files, self.settings.home)

    @service
    def watching(self) -> "Watching":
        return Watching(self.database, self.intake, self.chosen)

    @service
    def watch_orders(self) -> "WatchOrders":
        return WatchOrders(self.database, self.tasks)

    def close(self) -> None:
        """End the processes that index, if any were started."""
        if "chain" in vars(self):
            self.chain.close()
