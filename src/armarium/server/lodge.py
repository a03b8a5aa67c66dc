"""The supervisor's lodge: the few services that it needs itself. With the whole house it would start a second
later, and everything waits for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from armarium.accounts.service import Accounts
from armarium.accounts.settings import AccountSettings
from armarium.accounts.vault import Vault, VaultSettings
from armarium.administration.watch import Watch
from armarium.db.database import Database
from armarium.notify import tasks as notify_tasks
from armarium.notify.service import Notifier
from armarium.notify.settings import NotifySettings
from armarium.planning.collectors.service import Collectors
from armarium.planning.settings import PlanningSettings
from armarium.processes.service import Processes
from armarium.server.foundation import founded
from armarium.settings import Settings
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.service import Tasks


@dataclass(frozen=True)
class Lodge:
    """Made when they are first asked for. The house has these and all others."""

    settings: Settings
    database: Database

    @cached_property
    def accounts(self) -> Accounts:
        return Accounts(self.database, self.settings[AccountSettings])

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self.database, TaskKinds(notify_tasks.TASKS))

    @cached_property
    def notifier(self) -> Notifier:
        return Notifier(self.tasks, self.settings[NotifySettings])

    @cached_property
    def vault(self) -> Vault:
        return Vault(self.settings[VaultSettings], self.settings.home)

    def watch(self) -> Watch:
        """For as long as it is entered: tell the operators of processes that fell silent."""
        return Watch(self.database, Processes(self.database), self.notifier)

    @cached_property
    def collectors(self) -> Collectors:
        return Collectors(self.database, self.vault, self.settings[PlanningSettings])


@contextmanager
def lodged(settings: Settings, *, application: str) -> Iterator[Lodge]:
    with founded(settings, application=application) as database:
        yield Lodge(settings, database)
