"""Where the house is put together: which settings, tables, tasks and services there are.

Every list of rooms stands here, in `sections.py` (settings) and in `site_sections.py` (pages), in the open.
A room that is not in these lists does not exist.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from armarium.accounts.directory.accounts import DirectoryAccounts
from armarium.accounts.directory.service import Directories
from armarium.accounts.directory.settings import DirectorySettings, OpenIdSettings
from armarium.accounts.sessions import Sessions
from armarium.accounts.settings import AccountSettings
from armarium.accounts.tokens import Tokens
from armarium.administration import upkeep
from armarium.administration.task_orders import TaskOrders
from armarium.administration.trial import TestSender
from armarium.audit.service import Audit
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.migrate import is_current
from armarium.db.settings import DatabaseSettings
from armarium.notify import tasks as notify_tasks
from armarium.notify.letters import Letters
from armarium.notify.service import Notifications
from armarium.notify.settings import MailSettings, NotifySettings
from armarium.planning import tasks as planning_tasks
from armarium.planning.arrivals.handover import Digests, EarlierFiles
from armarium.planning.arrivals.service import Arrivals
from armarium.planning.channels.service import Channels
from armarium.planning.domains.service import Domains
from armarium.planning.fields.service import ExtendedFields
from armarium.planning.generation.previews import Previews
from armarium.planning.generation.service import Generator, StuckRuns
from armarium.planning.harvests.calendar import Calendar
from armarium.planning.harvests.due import DueRuns
from armarium.planning.harvests.events import EventHarvests
from armarium.planning.harvests.members import HarvestDomains
from armarium.planning.harvests.next_dates import date_anew
from armarium.planning.harvests.service import Harvests
from armarium.planning.history.service import History
from armarium.planning.jobs.service import JobDetails, Jobs
from armarium.planning.jobs.steering import Steering
from armarium.planning.leasing.service import Leases
from armarium.planning.profiles.service import Profiles
from armarium.planning.schedules.service import Schedules
from armarium.planning.settings import PlanningSettings
from armarium.planning.traps.service import TrapLists
from armarium.processes.service import Processes
from armarium.server.foundation import founded
from armarium.server.foundation import prepare_database as prepare_database
from armarium.server.lodge import Lodge
from armarium.server.rooms import choosing, handing, keeping, reading
from armarium.server.rooms.choosing import Choosing
from armarium.server.rooms.handing import Handing
from armarium.server.rooms.keeping import Keeping
from armarium.server.rooms.reading import ReadingRoom
from armarium.server.sections import SECTIONS as SECTIONS
from armarium.server.sections import check_plug_ins
from armarium.settings import Settings
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.service import Tasks
from armarium.workflow.clearing import Clearing
from armarium.workflow.queries import collections_of

TASK_KINDS = TaskKinds(
    [
        *notify_tasks.TASKS,
        *upkeep.TASKS,
        *planning_tasks.TASKS,
        *choosing.TASKS,
        *handing.TASKS,
        *keeping.TASKS,
        *reading.TASKS,
    ]
)


@dataclass(frozen=True)
class House(Lodge):
    """The services, made when they are first asked for."""

    @cached_property
    def sessions(self) -> Sessions:
        return Sessions(self.database, self.settings[AccountSettings], self.directories)

    @cached_property
    def directories(self) -> Directories:
        chosen = self.settings[DirectorySettings], self.settings[OpenIdSettings]
        return Directories(self.database, *chosen)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.database)

    @cached_property
    def audit(self) -> Audit:
        return Audit(self.database)

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self.database, TASK_KINDS)

    @cached_property
    def task_orders(self) -> TaskOrders:
        return TaskOrders(self.database, self.tasks)

    @cached_property
    def processes(self) -> Processes:
        return Processes(self.database)

    @cached_property
    def notifications(self) -> Notifications:
        found = check_plug_ins(self.settings)
        return Notifications(self.database, self.settings[NotifySettings], found)

    @cached_property
    def letters(self) -> Letters:
        return Letters(self.database, self.tasks, self.settings[NotifySettings], self.settings[MailSettings])

    @cached_property
    def test_sender(self) -> TestSender:
        return TestSender(self.database, self.notifier)

    @cached_property
    def choosing(self) -> Choosing:
        return Choosing(self.settings, self.database, self.tasks, self.letters)

    @cached_property
    def domains(self) -> Domains:
        return Domains(self.database, self.vault, self.tasks, self.settings[PlanningSettings])

    @cached_property
    def harvests(self) -> Harvests:
        return Harvests(self.database, self.tasks)

    @cached_property
    def handing(self) -> Handing:
        return Handing(self.database, self.tasks, self.notifier, self.domains, self.harvests)

    @cached_property
    def generator(self) -> Generator:
        chosen = self.settings[PlanningSettings]
        return Generator(self.database, chosen, self.notifier, self.handing.before_runs)

    @cached_property
    def previews(self) -> Previews:
        return Previews(self.database, self.settings[PlanningSettings], self.tasks, self.generator)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self.database, self.generator)

    @cached_property
    def keeping(self) -> Keeping:
        return Keeping(self.settings, self.database, self.vault, self.tasks, self.notifier)

    @cached_property
    def reading(self) -> ReadingRoom:
        return ReadingRoom(
            self.settings,
            self.database,
            self.keeping,
            self.harvests,
            self.domains,
            self.jobs,
            self.sessions,
            self.tokens,
            self.vault,
        )

    def close(self) -> None:
        if "reading" in vars(self):
            self.reading.close()
        if "keeping" in vars(self):
            self.keeping.close()

    def services(self) -> list[object]:
        """All of them, for pages and tasks to look up by their class."""
        return [
            self.settings,
            self.database,
            self.accounts,
            self.sessions,
            self.directories,
            DirectoryAccounts(self.database, self.directories),
            self.tokens,
            self.audit,
            self.tasks,
            self.task_orders,
            self.processes,
            self.notifier,
            self.notifications,
            self.letters,
            self.test_sender,
            *self.choosing.services(),
            *self.handing.services(),
            *self.planning(),
            *self.keeping.services(),
            *self.reading.services(),
        ]

    def planning(self) -> list[object]:
        return [
            self.vault,
            self.domains,
            self.harvests,
            self.jobs,
            self.generator,
            self.previews,
            StuckRuns(self.database, self.tasks, self.generator),
            self.collectors,
            Steering(self.database, self.domains, TrapLists(self.database)),
            JobDetails(self.database),
            History(self.database),
            TrapLists(self.database),
            ExtendedFields(self.database),
            Profiles(self.database),
            Schedules(self.database, date_anew),
            Channels(self.database),
            *self.collecting(),
            *self.harvesting(),
        ]

    def harvesting(self) -> list[object]:
        chosen = self.settings[PlanningSettings]
        return [
            DueRuns(self.database, self.harvests, self.notifier, chosen),
            HarvestDomains(self.database, self.domains),
            EventHarvests(self.database, self.harvests, self.domains),
            Calendar(self.database, chosen),
        ]

    def collecting(self) -> list[object]:
        chosen = self.settings[PlanningSettings]
        arrivals = Arrivals(self.database, self.settings.home, chosen, self.keeping.reception)
        return [
            Leases(
                self.database,
                self.vault,
                chosen,
                self.notifier,
                self.handing.after_jobs,
                collections_of,
            ),
            arrivals,
            EarlierFiles(self.database, arrivals.handover),
            Clearing(self.database, arrivals.folder),
            Digests(self.database, self.keeping.captures),
        ]


@contextmanager
def visited(settings: Settings, *, application: str) -> Iterator[House]:
    """The house as it stands: a command neither builds one in the wrong folder nor rebuilds a running one."""
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
    """The house with its database open; the embedded server runs as long as somebody is in.

    `prepare`: bring the schema up to date first.
    """
    with founded(settings, application=application, prepare=prepare) as database:
        house = House(settings, database)
        try:
            yield house
        finally:
            house.close()
