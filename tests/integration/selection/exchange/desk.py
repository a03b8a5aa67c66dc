"""A library with a desk at which files of records are handed in."""

from dataclasses import dataclass

import sqlalchemy as sa
import xlsxwriter

from armarium.audit.model import Entry, Question
from armarium.audit.service import Audit
from armarium.db.database import Database
from armarium.selection.collections.model import Collection
from armarium.selection.entry.tables import check
from armarium.selection.exchange.model import Fault, Import, Mode
from armarium.selection.exchange.service import Imports
from armarium.selection.permissions import Editor
from armarium.selection.settings import SelectionSettings
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.service import Tasks
from tests.integration.selection.world import World, world


@dataclass(frozen=True)
class Desk:
    world: World
    imports: Imports

    def hand_in(
        self,
        content: str | bytes,
        mode: Mode = Mode.TRIAL,
        *,
        by: Editor | None = None,
        collection: Collection | None = None,
        name: str = "records.csv",
    ) -> Import:
        """Keep a file and run it."""
        body = content.encode() if isinstance(content, str) else content
        chosen = (collection or self.world.press).id
        kept = self.imports.keep(by or self.world.ada, name, [body], mode, chosen)
        return self.imports.run(kept.id)

    def faults(self, done: Import) -> list[Fault]:
        return list(self.imports.all_faults(done.id))

    def fault(self, done: Import) -> Fault:
        """The only one."""
        [found] = self.faults(done)
        return found

    def checks_waiting(self) -> list[str]:
        """The addresses that a task is to look at."""
        with self.world.database.transaction() as connection:
            return list(connection.scalars(sa.select(check.c.address).order_by(check.c.id)))

    def log(self, action: str) -> list[Entry]:
        entries, _ = Audit(self.world.database).page(Question(), limit=1000)
        return [one for one in entries if one.action == action]


def desk(database: Database) -> Desk:
    made = world(database)
    imports = Imports(database, Tasks(database, TASK_KINDS), SelectionSettings())
    return Desk(made, imports)


def workbook(path: str, *rows: list[object]) -> None:
    """An .xlsx file as a spreadsheet writes it; a text that begins with = is a formula that came to 7."""
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate(rows):
            for column, value in enumerate(row):
                if isinstance(value, str) and value.startswith("="):
                    sheet.write_formula(place, column, value, None, 7)
                else:
                    sheet.write(place, column, value)
