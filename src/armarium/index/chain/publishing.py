"""Objects in the place of runs: each is announced in the table before its bytes are there.

So whatever a killed process left behind has a row that leads to it, and cleaning, which deletes an object
under the lock of its row, cannot take away what somebody is about to make live again under the same name.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from armarium.core.errors import Unavailable
from armarium.core.folders import make_private
from armarium.core.message import message
from armarium.core.storing import Places
from armarium.db.database import Database
from armarium.formats.cdx.parsing import PathLine
from armarium.index.chain import run_queries
from armarium.index.chain.model import Kind, Level, Piece, RunRow
from armarium.index.runs import BlockCache, DamagedRun, MissingRun, OtherRun, Run, RunFacts, RunPlace
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

DIGITS = 24  # of the SHA-256 in a name: the same content has the same name, and nothing else has

PIECE = 4 << 20
LOOKED_FOR = 10  # runs, in a place that nobody has marked


class PlaceAway(Unavailable):
    """The place of runs is not the one that it was."""


class Press:
    def __init__(self, database: Database, place: RunPlace, work: Path) -> None:
        self.database = database
        self.place = place
        self.work = work  # where pieces are made; on the disk of the runs if that is a folder

    @contextmanager
    def workplace(self) -> Iterator[Path]:
        """A folder for pieces, of nobody else. A published file may be the very file that was made here,
        under a second name: it is never opened for writing again.
        """
        make_private(self.work)
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            yield Path(folder)

    def publish(self, piece: Piece, path: Path) -> RunRow:
        """Put a finished piece into the place of runs; whoever needs it makes it live."""
        self.check_place()
        with self.database.transaction() as connection:
            row = run_queries.claim(connection, piece)
        try:
            self.place.publish(piece.name, path)
        except OtherRun:
            # The name is made of the digest: what lies there was damaged, and is of no use to anybody.
            self.place.delete(piece.name)
            self.place.publish(piece.name, path)
        return row

    def check_place(self) -> None:
        """Raises `PlaceAway` if what is there now is not the place in which we put our runs.

        A folder on which no disk is mounted looks like one whose runs are all lost.
        """
        if self.place.is_marked():
            return
        with self.database.transaction() as connection:
            some = run_queries.all_answering(connection, LOOKED_FOR)
        if some and not any(map(self.is_there, some)):
            raise PlaceAway(
                message(
                    "The place of the runs of the index (setting index.location) is empty: it is not "
                    "mounted, or another one. Mount it; if it is lost for good, rebuild the index (armarium "
                    "index rebuild)."
                )
            )
        self.place.mark()

    def is_there(self, run: RunRow) -> bool:
        """On the disk, and not only held open since the disk was there."""
        self.place.release(run.name)
        try:
            return self.place.size(run.name) == run.bytes
        except MissingRun:
            return False

    def is_well(self, run: RunRow, stopping: Callable[[], bool] = never) -> bool:
        """Whether every byte is still what was written, and every block what its index says."""
        if not self.is_there(run):
            return False
        digest = hashlib.sha256()
        for start in range(0, run.bytes, PIECE):
            if stopping():
                raise TaskStopped
            digest.update(self.place.read(run.name, start, min(PIECE, run.bytes - start)))
        return digest.hexdigest() == run.sha256 and (
            run.kind is not Kind.CDX or self._is_sound(run, stopping)
        )

    def _is_sound(self, run: RunRow, stopping: Callable[[], bool]) -> bool:
        """Whoever wrote it may have written what was damaged in the memory, or before."""
        try:
            for _ in Run(self.place, run.name, BlockCache(data_bytes=0, index_bytes=0)).blocks(PIECE):
                if stopping():
                    raise TaskStopped
        except DamagedRun:
            return False
        return True


def cdx_piece(facts: RunFacts, collection: int, named: str, level: Level, day: date | None = None) -> Piece:
    """`named`: the collection's name, and nothing for a single file, whose run all collections share."""
    words = [level.value, named, day.isoformat() if day and level is Level.DAY else "", facts.sha256[:DIGITS]]
    name = ".".join(word for word in words if word) + ".run"
    return Piece(
        collection,
        Kind.CDX,
        level,
        day,
        name,
        facts.lines,
        facts.bytes,
        facts.sha256,
        facts.first,
        facts.last,
    )


def rows_piece(path: Path, rows: int, collection: int, day: date) -> Piece:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    name = f"rows.{day.isoformat()}.{digest[:DIGITS]}.parquet"
    size = path.stat().st_size
    return Piece(collection, Kind.ROWS, Level.DAY, day, name, rows, size, digest, "", "")


class ChangedMeanwhile(Unavailable):
    """What a new run was made of is no longer what it was; nothing was replaced."""


def changed_meanwhile() -> ChangedMeanwhile:
    return ChangedMeanwhile(message("The index was changed in the meantime. It will be retried."))


def write_path_index(places: Iterable[Places], target: Path) -> int:
    """Whole or not at all; the number of lines. Files of which no copy can be read have none."""
    make_private(target.parent)
    fresh = target.with_name(f"{target.name}.fresh")
    lines = 0
    with fresh.open("wb") as file:
        for place in places:
            if place.addresses:
                file.write(PathLine(place.name, place.addresses).to_bytes() + b"\n")
                lines += 1
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(target)
    return lines
