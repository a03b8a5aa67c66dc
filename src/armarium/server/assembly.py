"""Where Armarium is put together: which settings, tasks and services there are.

Every list of rooms stands here, in `services/` (how each service is made), in `sections.py` (settings), in
`task_kinds.py` and in `site_sections.py` (pages), in the open. What is not in these lists does not exist.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from armarium.accounts.directory.settings import DirectorySettings, OpenIdSettings
from armarium.accounts.settings import AccountSettings
from armarium.core.errors import Refused
from armarium.core.late import imported, late
from armarium.core.message import message
from armarium.core.services import Services, unknown
from armarium.db.migrate import is_current
from armarium.db.settings import DatabaseSettings
from armarium.notify.settings import MailSettings, NotifySettings
from armarium.server.database import founded
from armarium.server.sections import SECTIONS as SECTIONS
from armarium.server.sections import check_plug_ins
from armarium.server.services.access import AccessServices
from armarium.server.services.planning import PlanningServices
from armarium.server.services.provided import place_of, service, services_of
from armarium.server.services.selection import SelectionServices
from armarium.server.services.storage import StorageServices
from armarium.server.services.transfer import TransferServices
from armarium.settings import Settings
from armarium.tasks.kinds import LateTaskKinds, TaskKinds

if TYPE_CHECKING:
    from armarium.accounts.directory.service import Directories, DirectoryAccounts
    from armarium.accounts.sessions import Sessions
    from armarium.accounts.tokens import Tokens
    from armarium.administration.service import TaskOrders, TestSender
    from armarium.audit.service import Audit
    from armarium.notify.service import Notifications
    from armarium.notify.tasks import Letters
    from armarium.server.schema import prepare_database as prepare_database
else:
    DirectoryAccounts = late("armarium.accounts.directory.service:DirectoryAccounts")
    Directories = late("armarium.accounts.directory.service:Directories")
    Sessions = late("armarium.accounts.sessions:Sessions")
    Tokens = late("armarium.accounts.tokens:Tokens")
    Audit = late("armarium.audit.service:Audit")
    TaskOrders = late("armarium.administration.service:TaskOrders")
    TestSender = late("armarium.administration.service:TestSender")
    Letters = late("armarium.notify.tasks:Letters")
    Notifications = late("armarium.notify.service:Notifications")
    prepare_database = late("armarium.server.schema:prepare_database")

TASK_KINDS = LateTaskKinds(lambda: imported("armarium.server.task_kinds:TASK_KINDS"))

#: Services that need the database and nothing else.
OF_DATABASE = frozenset(
    (
        "armarium.access.rules.service:Rules",
        "armarium.planning.fields.service:ExtendedFields",
        "armarium.planning.traps.service:TrapLists",
        "armarium.planning.channels.service:Channels",
        "armarium.planning.jobs.service:JobDetails",
        "armarium.planning.history.service:History",
        "armarium.planning.profiles.service:Profiles",
        "armarium.selection.exchange.exporting:Exports",
        "armarium.selection.search.service:Searches",
    )
)


@dataclass(frozen=True)
class House(PlanningServices):
    """All services, made when they are first asked for."""

    @property
    def kinds(self) -> TaskKinds:
        return TASK_KINDS

    @service
    def sessions(self) -> "Sessions":
        return Sessions(self.database, self.settings[AccountSettings], self.directories)

    @service
    def directories(self) -> "Directories":
        chosen = self.settings[DirectorySettings], self.settings[OpenIdSettings]
        return Directories(self.database, *chosen)

    @service
    def directory_accounts(self) -> "DirectoryAccounts":
        return DirectoryAccounts(self.database, self.directories)

    @service
    def tokens(self) -> "Tokens":
        return Tokens(self.database)

    @service
    def audit(self) -> "Audit":
        return Audit(self.database)

    @service
    def task_orders(self) -> "TaskOrders":
        return TaskOrders(self.database, self.tasks)

    @service
    def notifications(self) -> "Notifications":
        return Notifications(self.database, self.settings[NotifySettings], check_plug_ins(self.settings))

    @service
    def letters(self) -> "Letters":
        return Letters(self.database, self.tasks, self.settings[NotifySettings], self.settings[MailSettings])

    @service
    def test_sender(self) -> "TestSender":
        return TestSender(self.database, self.notifier)

    @cached_property
    def selection(self) -> SelectionServices:
        return SelectionServices(self.settings, self.database, self.tasks, self.letters)

    @cached_property
    def access(self) -> AccessServices:
        return AccessServices(
            self.settings,
            self.database,
            self.storage,
            self.harvests,
            self.domains,
            self.jobs,
            self.sessions,
            self.tokens,
            self.vault,
        )

    def services(self) -> Services:
        """All of them, for pages, tasks and commands to look up by their class."""
        return Services([self.settings, self.database], self._made)

    def _made(self, kind: type) -> object:
        place = place_of(kind)
        if place in OF_DATABASE:
            return kind(self.database)
        if place not in SERVICES:
            return unknown(kind)
        group, name = SERVICES[place]
        return getattr(getattr(self, group) if group else self, name)

    def close(self) -> None:
        if "access" in vars(self):
            self.access.close()
        if "storage" in vars(self):
            self.storage.close()


GROUPS = {
    "": House,
    "selection": SelectionServices,
    "transfer": TransferServices,
    "storage": StorageServices,
    "access": AccessServices,
}
#: Where the class of each stands, and by which properties of `House` it is made.
SERVICES = {
    place: (group, name) for group, kind in GROUPS.items() for place, name in services_of(kind).items()
}


def import_services() -> None:
    """Import what others import when they need it: for the process whose forks share its memory."""
    for place in (*SERVICES, *OF_DATABASE):
        import_module(place.partition(":")[0])


@contextmanager
def visited(settings: Settings, *, application: str) -> Iterator[House]:
    """Armarium as it stands: a command neither builds one in the wrong folder nor rebuilds a running one."""
    if settings[DatabaseSettings].url is None and not (settings.home / "postgres").is_dir():
        raise Refused(
            message(
                "There is no Armarium in %(home)s yet. Start one with `armarium up`, or name its folder "
                "with --home or ARMARIUM_HOME.",
                home=str(settings.home),
            )
        )
    with opened(settings, application=application, prepare=False) as house:
        if not is_current(house.database):
            raise Refused(
                message(
                    "The database has the schema of another version of Armarium. Start the processes of this "
                    "version once (`armarium up`): they bring it up to date."
                )
            )
        yield house


@contextmanager
def opened(settings: Settings, *, application: str, prepare: bool = True) -> Iterator[House]:
    """All services with their database open; the embedded server runs as long as somebody is in.

    `prepare`: bring the schema up to date first.
    """
    with founded(settings, application=application, prepare=prepare) as database:
        house = House(settings, database)
        try:
            yield house
        finally:
            house.close()
