"""The services of planning."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.planning.settings import PlanningSettings
from armarium.server.services.base import BaseServices
from armarium.server.services.provided import service
from armarium.server.services.storage import StorageServices
from armarium.server.services.transfer import TransferServices

if TYPE_CHECKING:
    from armarium.planning.arrivals.handover import Digests, EarlierFiles
    from armarium.planning.arrivals.service import Arrivals
    from armarium.planning.domains.service import Domains
    from armarium.planning.generation.previews import Previews
    from armarium.planning.generation.service import Generator, StuckRuns
    from armarium.planning.harvests.calendar import Calendar
    from armarium.planning.harvests.due import DueRuns
    from armarium.planning.harvests.events import EventHarvests
    from armarium.planning.harvests.members import HarvestDomains
    from armarium.planning.harvests.next_dates import date_anew
    from armarium.planning.harvests.service import Harvests
    from armarium.planning.jobs.service import Jobs
    from armarium.planning.jobs.steering import Steering
    from armarium.planning.leasing.service import Leases
    from armarium.planning.schedules.service import Schedules
    from armarium.planning.traps.service import TrapLists
    from armarium.workflow.join import Clearing
    from armarium.workflow.queries import collections_of
else:
    EarlierFiles = late("armarium.planning.arrivals.handover:EarlierFiles")
    Arrivals = late("armarium.planning.arrivals.service:Arrivals")
    Digests = late("armarium.planning.arrivals.handover:Digests")
    Domains = late("armarium.planning.domains.service:Domains")
    TrapLists = late("armarium.planning.traps.service:TrapLists")
    Previews = late("armarium.planning.generation.previews:Previews")
    Generator = late("armarium.planning.generation.service:Generator")
    StuckRuns = late("armarium.planning.generation.service:StuckRuns")
    Calendar = late("armarium.planning.harvests.calendar:Calendar")
    HarvestDomains = late("armarium.planning.harvests.members:HarvestDomains")
    DueRuns = late("armarium.planning.harvests.due:DueRuns")
    EventHarvests = late("armarium.planning.harvests.events:EventHarvests")
    Harvests = late("armarium.planning.harvests.service:Harvests")
    Leases = late("armarium.planning.leasing.service:Leases")
    Jobs = late("armarium.planning.jobs.service:Jobs")
    Schedules = late("armarium.planning.schedules.service:Schedules")
    Steering = late("armarium.planning.jobs.steering:Steering")
    date_anew = late("armarium.planning.harvests.next_dates:date_anew")
    Clearing = late("armarium.workflow.join:Clearing")
    collections_of = late("armarium.workflow.queries:collections_of")


@dataclass(frozen=True)
class PlanningServices(BaseServices):
    @property
    def chosen(self) -> PlanningSettings:
        return self.settings[PlanningSettings]

    @cached_property
    def storage(self) -> StorageServices:
        return StorageServices(self.settings, self.database, self.vault, self.tasks, self.notifier)

    @service
    def domains(self) -> "Domains":
        return Domains(self.database, self.vault, self.tasks, self.chosen)

    @service
    def harvests(self) -> "Harvests":
        return Harvests(self.database, self.tasks)

    @cached_property
    def transfer(self) -> TransferServices:
        return TransferServices(self.database, self.tasks, self.notifier, self.domains, self.harvests)

    @service
    def generator(self) -> "Generator":
        return Generator(self.database, self.chosen, self.notifier, self.transfer.before_runs)

    @service
    def previews(self) -> "Previews":
        return Previews(self.database, self.chosen, self.tasks, self.generator)

    @service
    def jobs(self) -> "Jobs":
        return Jobs(self.database, self.generator)

    @service
    def stuck_runs(self) -> "StuckRuns":
        return StuckRuns(self.database, self.tasks, self.generator)

    @service
    def steering(self) -> "Steering":
        return Steering(self.database, self.domains, TrapLists(self.database))

    @service
    def due_runs(self) -> "DueRuns":
        return DueRuns(self.database, self.harvests, self.notifier, self.chosen)

    @service
    def harvest_domains(self) -> "HarvestDomains":
        return HarvestDomains(self.database, self.domains)

    @service
    def event_harvests(self) -> "EventHarvests":
        return EventHarvests(self.database, self.harvests, self.domains)

    @service
    def schedules(self) -> "Schedules":
        return Schedules(self.database, date_anew)

    @service
    def calendar(self) -> "Calendar":
        return Calendar(self.database, self.chosen)

    @service
    def leases(self) -> "Leases":
        after_jobs = self.transfer.after_jobs
        return Leases(self.database, self.vault, self.chosen, self.notifier, after_jobs, collections_of)

    @service
    def arrivals(self) -> "Arrivals":
        return Arrivals(self.database, self.settings.home, self.chosen, self.storage.reception)

    @service
    def adoption(self) -> "EarlierFiles":
        return EarlierFiles(self.database, self.arrivals.handover)

    @service
    def clearing(self) -> "Clearing":
        return Clearing(self.database, self.arrivals.folder)

    @service
    def digests(self) -> "Digests":
        return Digests(self.database, self.storage.captures)
