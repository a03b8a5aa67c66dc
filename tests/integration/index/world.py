"""An archive whose files are stored and indexed by the whole house, without workers."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from armarium.core.actor import SYSTEM
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.index.chain.service import Chain
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from armarium.storage.intake.service import Intake
from tests.integration.index.chain.archive import write_companion, write_warc

NEWS = "http://www.example.org/news"
PAGES = (NEWS, "http://www.example.org/about", "http://images.example.org/logo.png")
MONTHS = ("2024-03", "2024-11", "2026-01", "2026-01")
ACCESSION = "Attic"


@dataclass
class World:
    database: Database
    home: Path

    @cached_property
    def house(self) -> House:
        return House(load(SECTIONS, home=self.home, environ={}), self.database)

    @cached_property
    def services(self) -> Services:
        return self.house.services()

    @property
    def chain(self) -> Chain:
        return self.house.storage.chain

    def write(self, *months: str) -> list[str]:
        """A file for each month, with the same pages; their names."""
        outside = self.home / "outside"
        outside.mkdir(parents=True, exist_ok=True)
        names = []
        for number, month in enumerate(months):
            at = datetime.fromisoformat(f"{month}-05T12:00:00").replace(day=number + 1, tzinfo=UTC)
            names.append(f"attic-{month}-{number}.warc.gz")
            write_warc(outside / names[-1], PAGES, at=at, text=month)
            write_companion(outside / names[-1])  # spares the processes that would make one
        return names

    def take(self, *months: str) -> list[str]:
        """Files that are stored, and wait to be indexed; their names."""
        names = self.write(*months)
        self.services.get(Intake).take(SYSTEM, [self.home / "outside"], accession_name=ACCESSION)
        return names

    def index(self) -> None:
        found, _ = self.chain.page(limit=100)
        for file in found:
            self.chain.index(file.file)

    def fail(self, name: str, error: str) -> int:
        """As if a file that waits had been tried often enough; its number."""
        [file] = self.chain.page(text=name, limit=1)[0]
        self.chain.note_failure(file.file, error)
        return file.file
