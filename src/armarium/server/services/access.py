"""The services of the reading room, for the staff site and the workers. The readers' own process has more."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armarium.access.settings import AccessSettings
from armarium.accounts.vault import Vault
from armarium.core.late import late
from armarium.db.database import Database
from armarium.selection.settings import EntrySettings
from armarium.server.services.provided import service
from armarium.server.services.storage import StorageServices
from armarium.settings import Settings
from armarium.web.settings import WebSettings

if TYPE_CHECKING:
    from armarium.access.accreditation.service import Accreditations
    from armarium.access.networks.service import Networks
    from armarium.access.pictures.service import Pictures
    from armarium.access.policy.editions import LivePolicy
    from armarium.access.readers.cookies import Seals
    from armarium.access.rules.checks import Coverage
    from armarium.access.statistics.service import Statistics
    from armarium.access.viewings.handover import Handover
    from armarium.access.viewings.service import Viewings
    from armarium.accounts.sessions import Sessions
    from armarium.accounts.tokens import Tokens
    from armarium.planning.domains.service import Domains
    from armarium.planning.harvests.events import EventHarvests
    from armarium.planning.harvests.service import Harvests
    from armarium.planning.jobs.service import Jobs
    from armarium.storage.files.catalogue import Catalogue
    from armarium.storage.files.reading import Reader
    from armarium.workflow.archive import HouseArchive
    from armarium.workflow.archive_pictures import ArchivePhotographer
    from armarium.workflow.viewing import BroughtHome, ToEventHarvests
else:
    Coverage = late("armarium.access.rules.checks:Coverage")
    Pictures = late("armarium.access.pictures.service:Pictures")
    LivePolicy = late("armarium.access.policy.editions:LivePolicy")
    Networks = late("armarium.access.networks.service:Networks")
    Accreditations = late("armarium.access.accreditation.service:Accreditations")
    Seals = late("armarium.access.readers.cookies:Seals")
    Statistics = late("armarium.access.statistics.service:Statistics")
    Handover = late("armarium.access.viewings.handover:Handover")
    Viewings = late("armarium.access.viewings.service:Viewings")
    EventHarvests = late("armarium.planning.harvests.events:EventHarvests")
    Catalogue = late("armarium.storage.files.catalogue:Catalogue")
    Reader = late("armarium.storage.files.reading:Reader")
    ArchivePhotographer = late("armarium.workflow.archive_pictures:ArchivePhotographer")
    HouseArchive = late("armarium.workflow.archive:HouseArchive")
    BroughtHome = late("armarium.workflow.viewing:BroughtHome")
    ToEventHarvests = late("armarium.workflow.viewing:ToEventHarvests")

REMEMBERED = 1.0  # seconds for which a file's copies are not looked up again


@dataclass(frozen=True)
class AccessServices:
    settings: Settings
    database: Database
    storage: StorageServices
    harvests: "Harvests"
    domains: "Domains"
    jobs: "Jobs"
    sessions: "Sessions"
    tokens: "Tokens"
    vault: Vault

    @property
    def chosen(self) -> AccessSettings:
        return self.settings[AccessSettings]

    @property
    def zone(self) -> str:
        return self.settings[WebSettings].time_zone

    @service
    def seals(self) -> "Seals":
        return Seals(self.vault.derived("reading"))

    @service
    def viewings(self) -> "Viewings":
        brought = BroughtHome(self.database, self.jobs, self.storage.files, self.storage.reader)
        return Viewings(self.database, brought)

    @service
    def archive(self) -> "HouseArchive":
        return HouseArchive(
            self.storage.chain,
            Reader(self.storage.files, self.storage.replicas, remember=REMEMBERED),
            self.storage.files,
            Catalogue(self.database),
            self.harvests,
            self.viewings.jobs,
        )

    @service
    def policy(self) -> "LivePolicy":
        return LivePolicy(self.database, self.chosen, self.archive.membership)

    @service
    def pictures(self) -> "Pictures":
        return Pictures(self.database, self.chosen, self.archive, self.policy)

    @service
    def archive_photographer(self) -> "ArchivePhotographer":
        return ArchivePhotographer(self.settings[EntrySettings], self.chosen, self.archive)

    @service
    def networks(self) -> "Networks":
        return Networks(self.database)

    @service
    def coverage(self) -> "Coverage":
        return Coverage(self.archive)

    @service
    def handing_over(self) -> "Handover":
        events = EventHarvests(self.database, self.harvests, self.domains)
        return Handover(self.viewings, ToEventHarvests(events, self.harvests))

    @service
    def accreditations(self) -> "Accreditations":
        return Accreditations(self.database, self.zone)

    @service
    def statistics(self) -> "Statistics":
        return Statistics(self.database, self.chosen, self.zone)

    def close(self) -> None:
        if "viewings" in vars(self):
            self.viewings.close()
