"""The services of selection."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from armarium.core.name_server import name_server
from armarium.db.database import Database
from armarium.notify.letters import Letters
from armarium.planning.settings import PlanningSettings
from armarium.selection.bulk import service as bulk_tasks
from armarium.selection.bulk.service import BulkEdits
from armarium.selection.collections.service import Collections
from armarium.selection.digests import service as digests_tasks
from armarium.selection.digests.service import Digests
from armarium.selection.entry import service as entry_tasks
from armarium.selection.entry.service import Checks
from armarium.selection.exchange import service as exchange_tasks
from armarium.selection.exchange.exporting import Exports
from armarium.selection.exchange.service import Imports
from armarium.selection.legal.service import LegalScope
from armarium.selection.nominations import service as nominations_tasks
from armarium.selection.nominations.service import Nominations
from armarium.selection.records.service import Records
from armarium.selection.records.tray import Tray
from armarium.selection.search.service import Search, Searches
from armarium.selection.settings import EntrySettings, SelectionSettings
from armarium.settings import Settings
from armarium.tasks.model import TaskKind
from armarium.tasks.service import Tasks
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings
from armarium.workflow.checking import LiveChecker

TASKS: Sequence[TaskKind] = (
    *entry_tasks.TASKS,
    *nominations_tasks.TASKS,
    *digests_tasks.TASKS,
    *exchange_tasks.TASKS,
    *bulk_tasks.TASKS,
)


@dataclass(frozen=True)
class Choosing:
    settings: Settings
    database: Database
    tasks: Tasks
    letters: Letters

    @cached_property
    def collections(self) -> Collections:
        return Collections(self.database)

    @cached_property
    def records(self) -> Records:
        return Records(self.database)

    @cached_property
    def checks(self) -> Checks:
        entry = self.settings[EntrySettings]
        return Checks(self.database, self.tasks, LiveChecker(entry, self.settings[PlanningSettings]), entry)

    @cached_property
    def tray(self) -> Tray:
        return Tray(self.database)

    @cached_property
    def imports(self) -> Imports:
        return Imports(self.database, self.tasks, self.settings[SelectionSettings])

    @cached_property
    def search(self) -> Search:
        return Search(self.database)

    @cached_property
    def searches(self) -> Searches:
        return Searches(self.database)

    @cached_property
    def bulk(self) -> BulkEdits:
        return BulkEdits(self.database, self.tasks)

    def services(self) -> list[object]:
        chosen = self.settings[SelectionSettings]
        name_servers = [name_server(one) for one in self.settings[EntrySettings].dns_servers]
        return [
            self.collections,
            self.records,
            self.tray,
            self.checks,
            self.imports,
            Exports(self.database),
            self.search,
            self.searches,
            self.bulk,
            Nominations(self.database, self.letters, chosen),
            LegalScope(self.database, chosen, name_servers),
            Digests(self.database, self.letters, site_address(self.settings[WebSettings])),
        ]
