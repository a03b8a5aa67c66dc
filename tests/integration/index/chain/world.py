"""A chain with its archive, and what people do with it."""

from dataclasses import dataclass

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import sqlalchemy as sa

from armarium.db.database import Database
from armarium.formats.cdx.query import Match, Query
from armarium.index.chain.model import Kind, RunState
from armarium.index.chain.service import Chain
from armarium.index.tables import index_membership, index_run
from tests.integration.index.chain.archive import FolderArchive, addresses, lines_of, write_warc

EVERYTHING = Query(match=Match.RANGE)


@dataclass
class World:
    chain: Chain
    archive: FolderArchive
    database: Database

    def store(self, name: str, count: int = 3, *, number: int = 0, **facts: int) -> int:
        """Write a file, register it and announce it."""
        write_warc(self.archive.folder / name, addresses(number, count))
        return self.announce(name, **facts)

    def announce(self, name: str, **facts: int) -> int:
        file = self.archive.register(name, **facts)
        with self.database.transaction() as connection:
            self.chain.announce(connection, self.archive.get(file))
        return file

    def withdraw(self, file: int) -> None:
        self.archive.set_state(file, "withdrawn")
        with self.database.transaction() as connection:
            self.chain.withdrawn(connection, self.archive.get(file))

    def restore(self, file: int) -> None:
        self.archive.set_state(file, "stored")
        with self.database.transaction() as connection:
            self.chain.restored(connection, self.archive.get(file))

    def merge(self) -> None:
        self.chain.merge_days()
        self.chain.merge_big(now=True)

    def found(self, collection: str = "main") -> list[bytes]:
        return list(self.chain.lookup(collection).raw(EVERYTHING))

    def expected(self, *names: str) -> list[bytes]:
        return sorted(line for name in names for line in lines_of(self.archive.folder / name))

    def standing(self) -> int:
        """How many files and runs still stand for what is made anew."""
        runs = sa.select(sa.func.count()).where(index_run.c.state == RunState.STANDING)
        files = sa.select(sa.func.count()).where(index_membership.c.kind == Kind.STANDING)
        with self.database.transaction() as connection:
            return int(connection.scalar(runs) or 0) + int(connection.scalar(files) or 0)

    def rows(self) -> list[dict[str, object]]:
        found = []
        for run in self.chain.runs(kind=Kind.ROWS):
            if run.kind is Kind.ROWS:
                table = pq.read_table(self.archive.folder.parent / "index" / run.name)
                found += table.to_pylist()
        return found
