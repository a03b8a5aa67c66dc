"""Until the house has come to rest: nothing is under way, and nothing waits."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.acceptance.whole.errands import OPEN, TROUBLE, Errands
from tests.acceptance.whole.mischief import Mischief
from tests.acceptance.whole.proof import UNCOVERED
from tests.acceptance.whole.world import World

DAYS = 3  # that pass at the end, for those who clear away what was left behind
COUNTS = {
    "jobs that have not ended": f"SELECT count(*) FROM job WHERE state IN {OPEN}",
    "domains of harvests that no job has": f"SELECT count(*) FROM ({UNCOVERED}) AS without",
    "files that are not stored": "SELECT count(*) FROM stored_file WHERE state NOT IN ('stored', 'lost')",
    "files that are not indexed": (
        "SELECT count(*) FROM stored_file f LEFT JOIN index_file i ON i.file = f.id"
        " WHERE f.state <> 'lost' AND i.state IS DISTINCT FROM 'indexed'"
    ),
    "files that lie where they arrived": (
        "SELECT count(*) FROM stored_file WHERE state <> 'lost' AND source <> ''"
    ),
    "audits at work": "SELECT count(*) FROM audit_run WHERE state NOT IN ('finished', 'cancelled')",
    "repairs at work": "SELECT count(*) FROM repair WHERE state NOT IN ('done', 'void', 'refused')",
    "tasks that run or wait": "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')",
}
PASSED = (
    "UPDATE index_run SET retired_at = retired_at - interval '{days} days' WHERE retired_at IS NOT NULL"
    " RETURNING id",
    "UPDATE index_run SET made_at = made_at - interval '{days} days' RETURNING id",
)


@dataclass
class Settling:
    world: World
    errands: Errands
    mischief: Mischief

    def rest(self, patience: float) -> bool:
        """Whether everything came to its end in time; what did not is a fault."""
        self._tried(self.errands.scrub)
        self._wait("harvests, storing and indexing", self.unfinished, patience)
        self._tried(self.errands.audit)  # every byte once more; no audit is at work that has passed a damage
        self._tried(self.errands.scrub)
        settled = self._wait("the last audits", self.left, patience)
        self.world.diary.note(f"at rest: {settled}")
        return settled

    def left(self) -> dict[str, object]:
        """What is still to do, or to find."""
        found = self.unfinished()
        if copies := self.world.harm.open_copies():
            found["copies that are damaged"] = [(one.replica, one.name, one.how) for one in copies]
        return found

    def unfinished(self) -> dict[str, object]:
        counted = {what: self._count(query) for what, query in COUNTS.items()}
        found: dict[str, object] = {what: number for what, number in counted.items() if number}
        if runs := self.world.harm.open_runs():
            found["runs that are damaged"] = [(one.name, one.how) for one in runs]
        if folders := [str(path) for machine in self.world.machines for path in self._jobs_of(machine.name)]:
            found["jobs on crawl machines"] = folders
        return found

    def _jobs_of(self, machine: str) -> list[Path]:
        work = self.world.disks[machine].content
        return [path for path in work.iterdir() if path.name.isdigit()] if work.exists() else []

    def _count(self, query: str) -> int:
        return int(self.world.archive.ask(query)[0]["count"])

    def _wait(self, what: str, left: Callable[[], dict[str, object]], patience: float) -> bool:
        until, hurried, quiet = time.monotonic() + patience, 0.0, 0
        remains: dict[str, object] = {"everything": True}
        while quiet < 2:  # a task that is done may have asked for the next
            if time.monotonic() > until:
                self.world.diary.fault(f"not after {patience:.0f} s: {what}; there is {remains}")
                return False
            self.mischief.look_after()
            if time.monotonic() - hurried > 5:
                hurried = time.monotonic()
                self._tried(self.errands.hurry)
                self._tried(self.errands.tidy)
            time.sleep(0.5)
            try:
                remains = left()
            except psycopg.Error as error:
                remains = {"the database": str(error)}
            quiet = 0 if remains else quiet + 1
        return True

    def _tried(self, errand: Callable[[], None]) -> None:
        try:
            errand()
        except TROUBLE as error:
            self.world.diary.note(f"{errand.__name__}: {error}")

    def let_days_pass(self, patience: float) -> None:
        """Whatever was left behind is older than anybody can be at work on it, and is cleared away."""
        before = time.time() - DAYS * 86400
        home, disks = self.world.home, self.world.disks
        roots = [home / "fetched", home / "repairs", home / "index-work", home / "replicas"]
        for root in [*roots, *(disk.content for disk in disks.values())]:
            for path in [root, *root.rglob("*")] if root.exists() else []:
                os.utime(path, (before, before), follow_symlinks=False)
        for query in PASSED:
            self.world.archive.ask(query.format(days=DAYS))
        for _ in range(2):
            self._tried(self.errands.tidy)
            self._wait("clearing away", self.left, patience)
