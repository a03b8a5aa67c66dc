"""The services of selection."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from armarium.db.database import Database
from armarium.selection.collections.service import Collections
from armarium.selection.records.service import Records
from armarium.selection.records.tray import Tray
from armarium.settings import Settings
from armarium.tasks.model import TaskKind
from armarium.tasks.service import Tasks

TASKS: Sequence[TaskKind] = ()


@dataclass(frozen=True)
class Choosing:
    settings: Settings
    database: Database
    tasks: Tasks

    @cached_property
    def collections(self) -> Collections:
        return Collections(self.database)

    @cached_property
    def records(self) -> Records:
        return Records(self.database)

    @cached_property
    def tray(self) -> Tray:
        return Tray(self.database)

    def services(self) -> list[object]:
        return [self.collections, self.records, self.tray]
