"""What must be true when all is over."""

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from armarium.formats.validation import validate
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Response
from tests.acceptance.planning.archive import Archive
from tests.acceptance.planning.small_web import SmallWeb, body

ENDED = {"done", "cancelled"}


class Proof:
    def __init__(self, archive: Archive, web: SmallWeb) -> None:
        self._archive = archive
        self._web = web
        self._jobs = archive.ask("SELECT * FROM job ORDER BY id")
        self._attempts = archive.ask("SELECT * FROM job_attempt ORDER BY job, attempt")
        self._arrivals = archive.ask("SELECT * FROM arrival ORDER BY id")
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
        return found + self._of_strays()

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
        """Table, disk and digest say the same, and every WARC file is valid."""
        number, found = job["id"], []
        rows = {
            row["name"]: row for row in self._arrivals if row["job"] == number and row["state"] == "stored"
        }
        folder = self._archive.arrivals / str(number)
        spare = {
            row["name"]: row for row in self._arrivals if row["job"] == number and row["state"] == "spare"
        }
        there = {path.name for path in folder.iterdir()} if folder.exists() else set()
        on_disk = {
            name for name in there if not name.endswith(".part")
        }  # parts of lost attempts stay a while
        if on_disk != set(rows) | set(spare):
            found.append(f"job {number}: on disk {sorted(on_disk)}, in the table {sorted({**rows, **spare})}")
        for name in on_disk & set(spare):
            found += _damage(folder / name, spare[name])
        if job["files"] != len(rows):
            found.append(f"job {number} counts {job['files']} files, {len(rows)} arrived")
        if not any(row["kind"] == "metadata" for row in rows.values()):
            found.append(f"job {number} has no metadata file")
        for name, row in rows.items():
            if row["collector"] != job["collector"]:
                found.append(f"{name} is not of the collector that ended job {number}")
            if name in on_disk:
                found += _damage(folder / name, row)
        return found

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
        """Addresses whose capture has the very bytes that were served."""
        found = set()
        stored = [row["name"] for row in self._arrivals if row["job"] == number and row["state"] == "stored"]
        for name in stored:
            with (self._archive.arrivals / str(number) / name).open("rb") as file:
                for record in ArchiveReader(file):
                    url = record.target_uri or ""
                    if not isinstance(record, Response) or not url.startswith("http"):
                        continue
                    domain, _, place = url.removeprefix("http://").partition(f":{self._web.port}")
                    if place == "/robots.txt" or record.body.read() == body(domain, place):
                        found.add(url)
        return found

    def _of_strays(self) -> list[str]:
        """Nothing on disk that no job has, and no name twice."""
        jobs = {str(job["id"]) for job in self._jobs if job["state"] == "done"}
        strays = [
            path.name
            for path in self._archive.arrivals.iterdir()
            if path.name not in jobs and any(path.iterdir())
        ]
        stored = Counter(row["sha256"] for row in self._arrivals if row["state"] == "stored")
        found = [f"arrivals of {name}, which is not done" for name in strays]
        return found + [f"{digest} was stored {times} times" for digest, times in stored.items() if times > 1]


def _damage(path: Path, row: dict[str, Any]) -> list[str]:
    content = path.read_bytes()
    found = []
    if (len(content), hashlib.sha256(content).hexdigest()) != (row["size"], row["sha256"]):
        found.append(f"{path.name} is not what was sent")
    with path.open("rb") as file:
        report = validate(file, name=path.name)
    if report.errors:
        found.append(f"{path.name} is no valid WARC file: {report.problems}")
    return found
