"""A librarian's desk: a library, a small web on 127.0.0.2, and the live check between them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from armarium.db.database import Database
from armarium.planning.settings import PlanningSettings
from armarium.selection.entry.model import Batch, Common, Line
from armarium.selection.entry.service import Checks
from armarium.selection.entry.settings import EntrySettings
from armarium.selection.model import Budget, Depth, Frequency
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.service import Tasks
from armarium.workflow.checking import LiveChecker
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

    @property
    def common(self) -> Common:
        theme = self.library.press.themes[0].id
        return Common(theme, Budget.SMALL, Frequency.MONTHLY, Depth.HOST, self.library.numbers["ada"])


@contextmanager
def desk(database: Database, **values: object) -> Iterator[Desk]:
    answers = {
        "/news": titled("The News"),
        "/arts": titled("The Arts", "en"),
        "/old": moved("/new"),
        "/new": titled("The New"),
        "/broken": BROKEN,
    }
    given: dict[str, object] = {"allowed_ranges": (OPEN,), "pictures": False, "pause": 0.0, **values}
    settings = EntrySettings.model_validate(given)
    with paths(answers, host=WEB) as site:
        library = world(database)
        checker = LiveChecker(settings, PlanningSettings())
        checks = Checks(database, Tasks(database, TASK_KINDS), checker, settings)
        yield Desk(library, checks, site, answers)
