"""The services of the reading room, for the staff site and the workers. The readers' own process has more."""

from dataclasses import dataclass
from functools import cached_property

from armarium.access.accreditation.service import Accreditations
from armarium.access.networks.service import Networks
from armarium.access.policy.live import LivePolicy
from armarium.access.readers.seals import Seals
from armarium.access.rules.coverage import Coverage
from armarium.access.rules.service import Rules
from armarium.access.settings import AccessSettings
from armarium.access.statistics import service as use_tasks
from armarium.access.statistics.service import Statistics
from armarium.access.viewings.handover import Handover
from armarium.access.viewings.service import Viewings
from armarium.accounts.sessions import Sessions
from armarium.accounts.tokens import Tokens
from armarium.accounts.vault import Vault
from armarium.db.database import Database
from armarium.planning.domains.service import Domains
from armarium.planning.harvests.events import EventHarvests
from armarium.planning.harvests.service import Harvests
from armarium.planning.jobs.service import Jobs
from armarium.server.rooms.keeping import Keeping
from armarium.settings import Settings
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.reading import Reader
from armarium.web.settings import WebSettings
from armarium.workflow.archive import HouseArchive
from armarium.workflow.viewing import BroughtHome, ToEventHarvests

TASKS = use_tasks.TASKS
REMEMBERED = 1.0  # seconds for which a file's copies are not looked up again


@dataclass(frozen=True)
class ReadingRoom:
    settings: Settings
    database: Database
    keeping: Keeping
    harvests: Harvests
    domains: Domains
    jobs: Jobs
    sessions: Sessions
    tokens: Tokens
    vault: Vault

    @property
    def chosen(self) -> AccessSettings:
        return self.settings[AccessSettings]

    @property
    def zone(self) -> str:
        return self.settings[WebSettings].time_zone

    @cached_property
    def seals(self) -> Seals:
        return Seals(self.vault.derived("reading"))

    @cached_property
    def viewings(self) -> Viewings:
        brought = BroughtHome(self.database, self.jobs, self.keeping.files, self.keeping.reader)
        return Viewings(self.database, brought)

    @cached_property
    def archive(self) -> HouseArchive:
        return HouseArchive(
            self.keeping.chain,
            Reader(self.keeping.files, self.keeping.replicas, remember=REMEMBERED),
            self.keeping.files,
            Catalogue(self.database),
            self.harvests,
            self.viewings.jobs,
        )

    @cached_property
    def policy(self) -> LivePolicy:
        return LivePolicy(self.database, self.chosen, self.archive.membership)

    @cached_property
    def networks(self) -> Networks:
        return Networks(self.database)

    def services(self) -> list[object]:
        """What pages, tasks and commands of the staff ask for."""
        events = EventHarvests(self.database, self.harvests, self.domains)
        return [
            Rules(self.database),
            self.networks,
            self.policy,
            Coverage(self.archive),
            self.seals,
            self.viewings,
            Handover(self.viewings, ToEventHarvests(events, self.harvests)),
            Accreditations(self.database, self.zone),
            Statistics(self.database, self.chosen, self.zone),
        ]

    def close(self) -> None:
        if "viewings" in vars(self):
            self.viewings.close()
