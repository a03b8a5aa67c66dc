"""What must be true when all is over, beside what the proof of planning asks of jobs, files and history."""

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]

from armarium.formats.cdx.parsing import capture_in
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Metadata, Record, Resource, Response, Revisit
from armarium.index.chain import run_queries
from armarium.index.chain.model import MAIN, Kind, RunRow
from armarium.index.runs import Run
from armarium.server.assembly import TASK_KINDS, House
from armarium.storage.backends.place import hashed_path
from tests.acceptance.whole.world import REPLICAS, World

Place = tuple[str, int]  # file and offset


#: Files that the collections of their harvests do not have.
LACKING = """
    SELECT c.name AS collection, f.name FROM index_collection c
    JOIN index_file f ON f.harvest = ANY (c.harvests)
    WHERE c.active AND NOT c.everything AND f.lines > 0 AND NOT EXISTS (
        SELECT FROM index_membership m WHERE m.collection = c.id AND m.file = f.file AND m.kind = 'cdx')
"""
#: Configurations of harvests that were activated which are not in exactly one job.
UNCOVERED = """
    SELECT h.name, c.configuration, count(j.id) AS jobs FROM harvest h
    JOIN harvest_configuration c ON c.harvest = h.id
    LEFT JOIN job_configuration jc ON jc.configuration = c.configuration
        AND jc.job IN (SELECT id FROM job WHERE harvest = h.id)
    LEFT JOIN job j ON j.id = jc.job
    WHERE EXISTS (SELECT FROM audit a WHERE a.object_kind = 'harvest' AND a.object_id = h.id::text
        AND a.action = 'harvest.activated')
    GROUP BY h.name, c.configuration HAVING count(j.id) <> 1
"""
#: Files whose rows for analysis are in a part, and how many that are.
WITH_ROWS = """
    SELECT f.name, f.lines FROM index_membership m JOIN index_file f ON f.file = m.file
    JOIN index_run r ON r.id = m.run WHERE m.kind = 'rows' AND r.kind = 'rows'
"""
#: Kinds of task that somebody asks for again when they have failed: sweeps, the clock, or a person.
TAKEN_UP = frozenset(
    {"storage.store", "storage.audit", "storage.repair", "index.file", "index.merge"}
    | {kind.name for kind in TASK_KINDS if kind.cron}
)


class Proof:
    """Of the files, the index, the repairs and the audit log."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._files = world.archive.ask("SELECT * FROM stored_file WHERE state <> 'lost' ORDER BY id")
        self.figures: Counter[str] = Counter()
        self.lines: list[dict[str, Any]] = []  # of the index: address, timestamp, digest, place

    def faults(self) -> list[str]:
        records = self._records()
        with self._world.archive.visit() as house:
            found = [*self._of_copies(), *self._of_lines(house, records), *self._of_runs(house)]
        found += [*self._of_jobs(), *self._of_rows(records)]
        return [*found, *self._of_repairs(), *self._of_audit_log(), *self._of_tasks()]

    # Jobs

    def _of_jobs(self) -> list[str]:
        """Nobody has cancelled any, so that all are done; and each domain of a harvest is in one of them."""
        others = self._world.archive.ask("SELECT id, state FROM job WHERE state <> 'done'")
        found = [f"job {row['id']} is {row['state']}" for row in others]
        return found + [
            f"configuration {row['configuration']} of {row['name']} is in {row['jobs']} jobs"
            for row in self._world.archive.ask(UNCOVERED)
        ]

    # Files

    def _of_copies(self) -> list[str]:
        """Every replica has every file, byte for byte, and nothing else."""
        found = []
        for replica in REPLICAS:
            shelf = self._world.shelf(replica) / "files"
            there = {str(path.relative_to(shelf)) for path in shelf.rglob("*") if path.is_file()}
            wanted = {hashed_path(file["name"]) for file in self._files}
            found += [f"{name} is not in {replica}" for name in sorted(wanted - there)]
            found += [f"{name} lies in {replica}, and nobody knows it" for name in sorted(there - wanted)]
            for file in self._files:
                content = _bytes(shelf / hashed_path(file["name"]))
                if (len(content), hashlib.sha256(content).hexdigest()) != (file["size"], file["sha256"]):
                    found.append(f"{file['name']} in {replica} is not what is registered")
                self.figures["copies read"] += 1
        return found

    def _records(self) -> dict[Place, Record]:
        """All captures, by reading every file of the first replica; the others are byte for byte the same."""
        found: dict[Place, Record] = {}
        for file in self._files:
            path = self._world.shelf(REPLICAS[0]) / "files" / hashed_path(file["name"])
            if not path.exists():
                continue
            with path.open("rb") as opened:
                for record in ArchiveReader(opened):
                    if _is_capture(record):
                        found[file["name"], record.offset] = record
                    record.finish()
        self.figures["captures"] = len(found)
        return found

    # The index

    def _of_lines(self, house: House, records: dict[Place, Record]) -> list[str]:
        """Each capture has one line, and each line leads to its capture."""
        found = []
        lines: Counter[Place] = Counter()
        for run in _runs(house, Kind.CDX):
            for raw in Run(house.storage.chain.place, run.name).scan():
                line = capture_in(raw)
                assert line is not None, raw
                place = (line.filename or "", line.offset or 0)
                lines[place] += 1
                record = records.get(place)
                if record is None:
                    found.append(f"in {run.name} a line leads to {place}, where no capture is")
                elif not _agree(line.url, line.timestamp, record):
                    found.append(f"the line {raw!r} does not say what the record at {place} is")
                facts = {"url": line.url, "timestamp": line.timestamp, "digest": line.digest}
                self.lines.append({**facts, "place": place, "revisit": line.is_revisit})
        found += [f"{place} has {number} lines" for place, number in lines.items() if number > 1]
        found += [f"{place} has no line" for place in records if not lines[place]]
        self.figures["lines"] = lines.total()
        return found

    def _of_runs(self, house: House) -> list[str]:
        """Every live run is what its row says, and holds the files that the tables say it holds."""
        found = []
        known = self._world.archive.ask("SELECT * FROM index_run WHERE state IN ('live', 'standing')")
        for row in known:
            path = self._world.runs_folder / row["name"]
            content = _bytes(path)
            if (len(content), hashlib.sha256(content).hexdigest()) != (row["bytes"], row["sha256"]):
                found.append(f"the run {row['name']} is not what it was")
            elif row["kind"] == "cdx":
                facts = Run(house.storage.chain.place, row["name"]).verify()
                if facts.lines != row["lines"]:
                    found.append(f"the run {row['name']} has {facts.lines} lines, not {row['lines']}")
        self.figures["live runs"] = len(known)
        counted = self._world.archive.ask(
            "SELECT c.name, m.kind, count(*) AS files FROM index_membership m"
            " JOIN index_collection c ON c.id = m.collection"
            " JOIN index_file f ON f.file = m.file WHERE f.lines > 0 GROUP BY c.name, m.kind"
        )
        held = {row["kind"]: row["files"] for row in counted if row["name"] == MAIN}
        with_lines = self._world.archive.ask("SELECT count(*) FROM index_file WHERE lines > 0")[0]["count"]
        found += [
            f"the collection {row['collection']} does not have {row['name']}"
            for row in self._world.archive.ask(LACKING)
        ]
        return found + [
            f"{kind} of main knows {held.get(kind, 0)} files, not {with_lines}"
            for kind in ("cdx", "rows")
            if held.get(kind, 0) != with_lines
        ]

    def _of_rows(self, records: dict[Place, Record]) -> list[str]:
        """The rows for analysis that were merged: each capture of their files once."""
        rows: Counter[Place] = Counter()
        parts = self._world.archive.ask("SELECT name FROM index_run WHERE state = 'live' AND kind = 'rows'")
        for part in parts:
            table = pq.read_table(self._world.runs_folder / part["name"], columns=["filename", "offset"])
            rows.update((row["filename"], row["offset"]) for row in table.to_pylist())
        self.figures["rows"] = rows.total()
        wanted = {row["name"] for row in self._world.archive.ask(WITH_ROWS)}
        captures = Counter({place: 1 for place in records if place[0] in wanted})
        found = [f"{place} has {rows[place]} rows" for place in captures if rows[place] != 1]
        return found + [f"a row leads to {place}, where no capture is" for place in rows - captures]

    # What was damaged

    def _of_repairs(self) -> list[str]:
        """Each damage was found, repaired, and is in the history."""
        rows = self._world.archive.ask(
            "SELECT p.*, r.name AS place FROM repair p JOIN replica r ON r.id = p.replica"
        )
        done = Counter((row["file"], row["place"]) for row in rows if row["state"] == "done")
        hurt = Counter((one.file, one.replica) for one in self._world.harm.copies)
        self.figures["copies damaged"], self.figures["repairs done"] = hurt.total(), done.total()
        found = [
            f"file {file} was damaged {number} times in {replica}, and repaired {done[file, replica]} times"
            for (file, replica), number in hurt.items()
            if done[file, replica] != number
        ]
        return found + [
            f"file {file} was repaired in {replica}, where nobody damaged it"
            for file, replica in done
            if not hurt[file, replica]
        ]

    def _of_audit_log(self) -> list[str]:
        """What was asked for is in the log, once."""
        started = self._world.archive.ask(
            "SELECT r.id, count(a.id) AS entries FROM audit_run r LEFT JOIN audit a"
            " ON a.action = 'audit.started' AND a.object_id = r.id::text GROUP BY r.id"
            " HAVING count(a.id) <> 1"
        )
        activated = self._world.archive.ask(
            # One that the database left in the middle of being made was never activated, and never ran.
            "SELECT h.id, h.name, count(a.id) AS entries FROM harvest h LEFT JOIN audit a"
            " ON a.object_id = h.id::text AND a.object_kind = 'harvest' AND a.action = 'harvest.activated'"
            " GROUP BY h.id, h.name HAVING count(a.id) <> least(h.runs, 1)"
        )
        found = [f"audit {row['id']} has {row['entries']} entries in the log" for row in started]
        return found + [
            f"{row['name']} was activated {row['entries']} times, says the log" for row in activated
        ]

    def _of_tasks(self) -> list[str]:
        """No task is left; those that failed for good are told."""
        left = self._world.archive.ask(
            "SELECT id, task_name, status, args FROM procrastinate_jobs WHERE status = 'doing'"
        )
        failed = self._world.archive.ask(
            "SELECT task_name, count(*) AS number FROM procrastinate_jobs WHERE status = 'failed' GROUP BY 1"
        )
        for row in failed:
            self.figures[f"tasks that failed: {row['task_name']}"] = row["number"]
        found = [f"task {row['id']} ({row['task_name']}) still runs" for row in left]
        return found + [
            f"{row['number']} tasks {row['task_name']} have failed, and nobody asks for them again"
            for row in failed
            if row["task_name"] not in TAKEN_UP
        ]


def _runs(house: House, kind: Kind) -> list[RunRow]:
    main = house.storage.chain.collections.named(MAIN).id
    with house.database.transaction() as connection:
        return [run for run in run_queries.answering(connection, main) if run.kind is kind]


def _is_capture(record: Record) -> bool:
    if isinstance(record, Response | Revisit):
        return True
    return isinstance(record, Resource | Metadata) and record.content_type != "application/warc-fields"


def _agree(url: str | None, timestamp: str, record: Record) -> bool:
    date = record.date
    return record.target_uri == url and date is not None and f"{date:%Y%m%d%H%M%S}" == timestamp


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
