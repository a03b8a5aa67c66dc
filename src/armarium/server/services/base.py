"""The services that every process may need, and the only ones of the supervisor: everything waits for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armarium.accounts.service import Accounts
from armarium.accounts.settings import AccountSettings
from armarium.accounts.vault import Vault, VaultSettings
from armarium.core.late import late
from armarium.db.database import Database
from armarium.notify.settings import NotifySettings
from armarium.planning.settings import PlanningSettings
from armarium.server.database import founded
from armarium.server.services.provided import service
from armarium.settings import Settings

if TYPE_CHECKING:
    from armarium.administration.upkeep import Watch
    from armarium.notify.service import Notifier
    from armarium.notify.tasks import notification_kinds
    from armarium.planning.collectors.service import Collectors
    from armarium.processes.service import Processes
    from armarium.tasks.kinds import TaskKinds
    from armarium.tasks.service import Tasks
else:
    Collectors = late("armarium.planning.collectors.service:Collectors")
    Notifier = late("armarium.notify.service:Notifier")
    Processes = late("armarium.processes.service:Processes")
    Tasks = late("armarium.tasks.service:Tasks")
    Watch = late("armarium.administration.upkeep:Watch")
    notification_kinds = late("armarium.notify.tasks:notification_kinds")


@dataclass(frozen=True)
class BaseServices:
    """Made when they are first asked for. `House` has these and all others."""

    settings: Settings
    database: Database

    @property
    def kinds(self) -> "TaskKinds":
        """What may be deferred."""
        return notification_kinds()

    @service
    def accounts(self) -> Accounts:
        return Accounts(self.database, self.settings[AccountSettings])

    @service
    def processes(self) -> "Processes":
        return Processes(self.database)

    @service
    def tasks(self) -> "Tasks":
        return Tasks(self.database, self.kinds)

    @service
    def notifier(self) -> "Notifier":
        return Notifier(self.tasks, self.settings[NotifySettings])

    @service
    def vault(self) -> Vault:
        return Vault(self.settings[VaultSettings], self.settings.home)

    @service
    def collectors(self) -> "Collectors":
        return Collectors(self.database, self.vault, self.settings[PlanningSettings])

    def watch(self) -> "Watch":
        """For as long as it is entered: tell the operators of processes that fell silent."""
        return Watch(self.database, self.processes, self.notifier)


@contextmanager
def base_services(settings: Settings, *, application: str) -> Iterator[BaseServices]:
    with founded(settings, application=application) as database:
        yield BaseServices(settings, database)
