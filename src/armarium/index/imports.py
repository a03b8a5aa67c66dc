"""Index files of others become a collection of their own."""

import re
from collections.abc import Sequence
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.index.chain import collection_queries, run_queries
from armarium.index.chain.model import Collection, Level, RunState
from armarium.index.chain.publishing import Press, cdx_piece, changed_meanwhile
from armarium.index.chain.service import WORK, Chain
from armarium.index.chain.steps import TOPIC
from armarium.index.exchange import ImportReport, import_index
from armarium.index.tables import index_run
from armarium.settings import Settings

IMPORTED = "import-"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,50}\Z")


class Imports:
    """Made where it is needed: it has nothing of its own."""

    def __init__(self, database: Database, press: Press) -> None:
        self._database = database
        self._press = press

    @classmethod
    def of(cls, services: Services) -> "Imports":
        database, chain = services.get(Database), services.get(Chain)
        return cls(database, Press(database, chain.place, services.get(Settings).home / WORK))

    def take(
        self, actor: Actor, paths: Sequence[Path], name: str, *, title: str = "", rekey: bool = False
    ) -> tuple[Collection, ImportReport]:
        """Lines of these files are the collection `import-<name>` from now on, instead of what it had.

        The collection is not active: no file goes into it, and no merge touches it. A rebuild of the index
        leaves it as it is: it cannot be made again from the files of the archive.
        """
        if not NAME.match(name):
            told = message("Use lower-case letters, digits and hyphens for the name of an imported index.")
            raise Refused(told, field="name")
        for path in paths:
            if not path.is_file():
                raise Refused(message("There is no file %(path)s.", path=str(path)))
        with self._press.workplace() as folder:
            facts, report = import_index(paths, folder / "piece", rekey=rekey)
            if not facts.lines:
                raise Refused(message("None of the lines is usable. Nothing was imported."))
            collection = self._collection(actor, IMPORTED + name, title)
            piece = cdx_piece(facts, collection.id, collection.name, Level.BIG)
            run = self._press.publish(piece, folder / "piece")
        with self._database.transaction() as connection:
            if not run_queries.make_live(connection, run.id):
                raise changed_meanwhile()
            replaced = retire_others(connection, collection.id, run.id)
            said = {"lines": facts.lines, "bad": report.bad.total(), "files": [path.name for path in paths]}
            subject = Subject("collection", collection.id, collection.name)
            record(connection, actor, "index.imported", subject, before={"runs": replaced}, after=said)
            announce(connection, TOPIC)
        return collection, report

    def _collection(self, actor: Actor, name: str, title: str) -> Collection:
        with self._database.transaction() as connection:
            values = {"name": name, "title": title, "active": False}
            collection_queries.add(connection, values, actor.name)
            found = collection_queries.named(connection, name)
        assert found is not None, name
        if found.active:
            told = message("There is a collection %(name)s that was not imported.", name=name)
            raise Refused(told, field="name")
        return found


# SQL


R = index_run.c


def retire_others(connection: Connection, collection: int, run: int) -> int:
    """Let a run be the only live one of its collection; how many others were."""
    others = sa.update(index_run).where(R.collection == collection, R.id != run, R.state == RunState.LIVE)
    return connection.execute(others.values(state=RunState.RETIRED, retired_at=clock.now())).rowcount
