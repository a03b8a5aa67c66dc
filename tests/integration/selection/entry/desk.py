"""A librarian's desk: a library, a small web on 127.0.0.2, and the live check between them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from armarium.db.database import Database
from armarium.planning.settings import PlanningSettings
from armarium.selection.entry.model import Batch, CommonValues, Line, LineState
from armarium.selection.entry.service import Checks
from armarium.selection.entry.tables import check
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.settings import EntrySettings
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.service import Tasks
from armarium.workflow.checking import LiveChecker
from tests import forked
from tests.integration.selection.world import World, world
from tests.sites.paths import moved, paths
from tests.sites.serving import Site, page

WEB = "127.0.0.2"
OPEN = f"{WEB}/32"
BROKEN = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"


def titled(title: str, language: str = "fr") -> bytes:
    return page(f"<!doctype html><html lang={language}><title>{title}</title><p>{title}".encode())


@dataclass
class Desk:
    library: World
    checks: Checks
    site: Site
    answers: dict[str, bytes] = field(default_factory=dict)

    def url(self, path: str) -> str:
        return f"{self.site.address}{path}"

    def checked(self, *texts: str) -> tuple[Batch, list[Line]]:
        """Entered by Ada for the press, and looked at."""
        batch = self.checks.enter(self.library.ada, self.library.press.id, "\n".join(texts))
        self.checks.run(batch.id)
        return batch, self.checks.lines(batch.id)

    def checks_waiting(self) -> list[int]:
        """The lists that a task is to look at."""
        with self.library.database.transaction() as connection:
            waiting = check.c.state == LineState.WAITING.value
            return list(connection.scalars(sa.select(check.c.batch).where(waiting).distinct()))

    @property
    def common(self) -> CommonValues:
        theme = self.library.press.themes[0].id
        return CommonValues(theme, Budget.SMALL, Frequency.MONTHLY, Depth.HOST, self.library.numbers["ada"])


@contextmanager
def desk(database: Database, **values: object) -> Iterator[Desk]:
    answers = {
        "/news": titled("The News"),
        "/arts": titled("The Arts", "en"),
        "/old": moved("/new"),
        "/new": titled("The New"),
        "/broken": BROKEN,
    }
    usual = {"allowed_ranges": (OPEN,), "pictures": False, "pause": 0.0, "seconds": 120.0}
    given: dict[str, object] = {**usual, **values}
    settings = EntrySettings.model_validate(given)
    with paths(answers, host=WEB) as site:
        library = world(database)
        checker = LiveChecker(settings, PlanningSettings())
        checks = Checks(database, Tasks(database, TASK_KINDS), checker, settings)
        yield Desk(library, checks, site, answers)


@contextmanager
def working(role: str, database: Database, home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A real process of the house, which looks at one address after the other."""
    environment = {
        "ARMARIUM_HOME": str(home),
        "ARMARIUM_DATABASE_URL": database.url,
        "ARMARIUM_MONITORING_PORT": "0",
        "ARMARIUM_TASKS_HEARTBEAT_SECONDS": "0.5",
        "ARMARIUM_TASKS_STALLED_AFTER_SECONDS": "3",
        "ARMARIUM_ENTRY_ALLOWED_RANGES": OPEN,
        "ARMARIUM_ENTRY_PICTURES": "false",
        "ARMARIUM_ENTRY_PAUSE": "0",
        "ARMARIUM_ENTRY_SECONDS": "300",
        "ARMARIUM_ENTRY_AT_ONCE": "1",
    }
    with (home / f"{role}.log").open("ab") as log:
        command = [sys.executable, "-m", "armarium", role]
        started = forked.Popen(command, env={**os.environ, **environment}, stdout=log, stderr=log)
    try:
        yield started
    finally:
        started.kill()
        started.wait()
