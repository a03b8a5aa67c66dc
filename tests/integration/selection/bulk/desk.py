"""A library with records to be edited together."""

from armarium.audit.model import Question as Asked
from armarium.audit.service import Audit
from armarium.db.database import Database
from armarium.selection.bulk.service import BulkEdits
from armarium.selection.collections.model import Collection
from armarium.selection.records.model import Record
from armarium.selection.records.writing import Entered
from armarium.selection.search.model import Question
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.service import Tasks
from tests.integration.selection.world import World


def edits(database: Database, **chosen: int) -> BulkEdits:
    return BulkEdits(database, Tasks(database, TASK_KINDS), **chosen)


def many(here: World, number: int, collection: Collection | None = None, host: str = "site") -> list[Record]:
    drafts = [here.draft(f"https://{host}{n}.example/", collection) for n in range(number)]
    return here.records.create_many(here.cora, [Entered(draft, check=1) for draft in drafts])


def these(*records: Record) -> Question:
    return Question(number=tuple(sorted(one.id for one in records)))


def logged(here: World, action: str) -> list[tuple[str, str]]:
    found, _ = Audit(here.database).page(Asked(action=action), limit=1000)
    return [(one.actor, one.object_name) for one in found]
