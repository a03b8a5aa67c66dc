"""The services of selection."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.core.name_server import name_server
from armarium.db.database import Database
from armarium.planning.settings import PlanningSettings
from armarium.selection.settings import EntrySettings, SelectionSettings
from armarium.server.services.provided import service
from armarium.settings import Settings
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings

if TYPE_CHECKING:
    from armarium.notify.tasks import Letters
    from armarium.selection.bulk.service import BulkEdits
    from armarium.selection.collections.service import Collections
    from armarium.selection.digests.service import Digests
    from armarium.selection.entry.service import Checks
    from armarium.selection.exchange.service import Imports
    from armarium.selection.legal.service import LegalScope
    from armarium.selection.nominations.service import Nominations
    from armarium.selection.records.service import Records
    from armarium.selection.records.tray import Tray
    from armarium.selection.search.service import Search
    from armarium.tasks.service import Tasks
    from armarium.workflow.checking import LiveChecker
else:
    BulkEdits = late("armarium.selection.bulk.service:BulkEdits")
    Collections = late("armarium.selection.collections.service:Collections")
    Digests = late("armarium.selection.digests.service:Digests")
    Checks = late("armarium.selection.entry.service:Checks")
    Imports = late("armarium.selection.exchange.service:Imports")
    LegalScope = late("armarium.selection.legal.service:LegalScope")
    Nominations = late("armarium.selection.nominations.service:Nominations")
    Records = late("armarium.selection.records.service:Records")
    Tray = late("armarium.selection.records.tray:Tray")
    Search = late("armarium.selection.search.service:Search")
    LiveChecker = late("armarium.workflow.checking:LiveChecker")


@dataclass(frozen=True)
class SelectionServices:
    settings: Settings
    database: Database
    tasks: "Tasks"
    letters: "Letters"

    @property
    def chosen(self) -> SelectionSettings:
        return self.settings[SelectionSettings]

    @service
    def collections(self) -> "Collections":
        return Collections(self.database)

    @service
    def records(self) -> "Records":
        return Records(self.database)

    @service
    def tray(self) -> "Tray":
        return Tray(self.database)

    @service
    def search(self) -> "Search":
        return Search(self.database)

    @service
    def checks(self) -> "Checks":
        entry = self.settings[EntrySettings]
        return Checks(self.database, self.tasks, LiveChecker(entry, self.settings[PlanningSettings]), entry)

    @service
    def imports(self) -> "Imports":
        return Imports(self.database, self.tasks, self.chosen)

    @service
    def bulk(self) -> "BulkEdits":
        return BulkEdits(self.database, self.tasks)

    @service
    def nominations(self) -> "Nominations":
        return Nominations(self.database, self.letters, self.chosen)

    @service
    def legal(self) -> "LegalScope":
        name_servers = [name_server(one) for one in self.settings[EntrySettings].dns_servers]
        return LegalScope(self.database, self.chosen, name_servers)

    @service
    def digests(self) -> "Digests":
        return Digests(self.database, self.letters, site_address(self.settings[WebSettings]))
