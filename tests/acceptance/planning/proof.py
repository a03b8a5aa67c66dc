"""What must be true when all is over."""

import hashlib
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

from armarium.formats.cdx.query import Query
from armarium.formats.validation import validate
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Response, Revisit
from tests.acceptance.planning.archive import Archive
from tests.acceptance.planning.small_web import SmallWeb

ENDED = {"done", "cancelled"}


class Proof:
    """`hurt`: files that somebody damaged where they had arrived, so that they may be lost."""

    def __init__(self, archive: Archive, web: SmallWeb, hurt: Collection[str] = ()) -> None:
        self._archive = archive
        self._web = web
        self._hurt = hurt
        self._jobs = archive.ask("SELECT * FROM job ORDER BY id")
        self._attempts = archive.ask("SELECT * FROM job_attempt ORDER BY job, attempt")
        self._arrivals = archive.ask("SELECT * FROM arrival WHERE kind <> 'index' ORDER BY id")
        self._settled = archive.is_settled()
        self._history = archive.ask(
            "SELECT h.*, d.name FROM job_configuration h JOIN domain d ON d.id = h.domain ORDER BY h.job"
        )

    def faults(self) -> list[str]:
        """Everything that is not as it must be, as sentences."""
        found: list[str] = []
        for job in self._jobs:
            found += self._of_ends(job)
            if job["state"] == "done":
                found += self._of_files(job)
                found += self._of_history(job)
        return found + self._of_losses() + self._of_strays() + self._of_index()

    @property
    def done(self) -> int:
        return sum(job["state"] == "done" for job in self._jobs)

    @property
    def told(self) -> str:
        """What happened, in figures."""
        ends = Counter(attempt["end"] for attempt in self._attempts)
        arrived = Counter(row["state"] for row in self._arrivals)
        return f"{self.done} jobs done; attempts: {dict(ends)}; files: {dict(arrived)}"

    def _of_ends(self, job: dict[str, Any]) -> list[str]:
        """Every job ends once, by its last attempt."""
        number, ends = job["id"], [one for one in self._attempts if one["job"] == job["id"]]
        found = []
        if job["state"] not in ENDED:
            found.append(f"job {number} is {job['state']}: {job['error']}")
        done = [one["attempt"] for one in ends if one["end"] == "done"]
        if job["state"] == "done" and done != [job["attempt"]]:
            found.append(f"job {number} ended by attempts {done}, its last one is {job['attempt']}")
        if [one["attempt"] for one in ends] != list(range(1, job["attempt"] + 1)):
            found.append(f"job {number} has gaps among its attempts: {ends}")
        open_ones = [one["attempt"] for one in ends if not one["end"]]
        if open_ones:
            found.append(f"job {number} has attempts that never ended: {open_ones}")
        return found

    def _of_files(self, job: dict[str, Any]) -> list[str]:
        """Table, replicas and digest say the same, and every WARC file is valid."""
        number, found = job["id"], []
        rows = self._rows(number, "stored")
        for row in [*rows, *self._rows(number, "spare")]:
            found += [fault for copy in self._archive.copies(row["name"]) for fault in _damage(copy, row)]
        if job["files"] != len(rows):
            found.append(f"job {number} counts {job['files']} files, {len(rows)} arrived")
        if not any(row["kind"] == "metadata" for row in rows):
            found.append(f"job {number} has no metadata file")
        for row in rows:
            if row["collector"] != job["collector"]:
                found.append(f"{row['name']} is not of the collector that ended job {number}")
        return found

    def _rows(self, number: int, state: str) -> list[dict[str, Any]]:
        return [row for row in self._arrivals if row["job"] == number and row["state"] == state]

    def _of_history(self, job: dict[str, Any]) -> list[str]:
        """Each domain of the job once, with all that it has, and the files hold exactly that."""
        number, found = job["id"], []
        rows = [row for row in self._history if row["job"] == number]
        twice = [name for name, times in Counter(row["name"] for row in rows).items() if times > 1]
        if twice or len(rows) != job["configurations"]:
            found.append(f"job {number}: {job['configurations']} configurations, history {rows}")
        captured = self._captured(number)
        for row in rows:
            wanted = self._web.addresses(row["name"])
            if row["stop_reason"] != "complete" or row["objects"] is None or row["objects"] < len(wanted):
                found.append(
                    f"job {number}: {row['name']} has {row['objects']} objects, {row['stop_reason']}"
                )
            if missing := wanted - captured:
                found.append(f"job {number} lacks {sorted(missing)}")
        foreign = captured - {url for row in rows for url in self._web.addresses(row["name"])}
        if strange := [url for url in foreign if not url.endswith("/robots.txt")]:
            found.append(f"job {number} holds {strange}")
        return found

    def _captured(self, number: int) -> set[str]:
        """Addresses whose capture has, or refers to, the very bytes that were served."""
        found = set()
        for row in self._rows(number, "stored"):
            copy = self._archive.copies(row["name"])[0]
            if not copy.exists():  # which is told of elsewhere
                continue
            with copy.open("rb") as file:
                for record in ArchiveReader(file):
                    url = record.target_uri or ""
                    if not isinstance(record, Response | Revisit) or not url.startswith("http"):
                        continue
                    domain, _, place = url.removeprefix("http://").partition(f":{self._web.port}")
                    if place == "/robots.txt" or _is_of(record, self._web.served(domain, place)):
                        found.add(url)
        return found

    def _of_losses(self) -> list[str]:
        """Nothing is lost but what was damaged, and nothing of the attempt that ended its job."""
        lost = self._archive.ask("SELECT name FROM stored_file WHERE state = 'lost'")
        names = {row["name"] for row in lost}
        left = {row["name"] for row in self._arrivals if row["state"] == "abandoned"}
        return [f"{name} is lost" for name in sorted(names - (left & set(self._hurt)))]

    def _of_strays(self) -> list[str]:
        """Nothing on disk that no arrival knows, and no content twice."""
        known = {row["name"] for row in self._arrivals}
        there = [path for path in self._archive.arrivals.glob("[0-9]*/*") if path.suffix != ".part"]
        strays = [path.name for path in there if path.name.removesuffix(".cdxj") not in known]
        stored = Counter(row["sha256"] for row in self._arrivals if row["state"] == "stored")
        found = [f"{name} lies among the arrivals, and nobody knows it" for name in strays]
        return found + [f"{digest} was stored {times} times" for digest, times in stored.items() if times > 1]

    def _of_index(self) -> list[str]:
        """Every address of every job that is done is found, in a file that this job brought."""
        if not self._settled:
            return ["files are not stored, or not indexed"]
        found = []
        done = {job["id"] for job in self._jobs if job["state"] == "done"}
        with self._archive.visit() as house:
            lookup = house.storage.chain.lookup()
            for row in self._history:
                names = {one["name"] for one in self._rows(row["job"], "stored")}
                for url in self._web.addresses(row["name"]) if row["job"] in done else ():
                    lines = [line for line in lookup.search(Query(url)).lines if line.filename in names]
                    if not lines or not all(lookup.resolve(line) for line in lines):
                        found.append(f"{url} of job {row['job']} is not found, or leads nowhere: {lines}")
        return found


def _is_of(record: Response | Revisit, contents: Collection[bytes]) -> bool:
    if isinstance(record, Response):
        return record.body.read() in contents
    digest = record.payload_digest
    return digest is not None and any(
        digest.value == hashlib.new(digest.algorithm, content).digest() for content in contents
    )


def _damage(path: Path, row: dict[str, Any]) -> list[str]:
    if not path.exists():
        return [f"there is no {path}"]
    content = path.read_bytes()
    found = []
    if (len(content), hashlib.sha256(content).hexdigest()) != (row["size"], row["sha256"]):
        found.append(f"{path.name} is not what was sent")
    with path.open("rb") as file:
        report = validate(file, name=path.name)
    if report.errors:
        found.append(f"{path.name} is no valid WARC file: {report.problems}")
    return found
