"""The folders of jobs: what lies in them beside the crawl, and what becomes of them.

work/lock               held by the collector
work/<job>/task.json    which job this is, and under which attempt it is crawled
work/<job>/files.json   the sealed files: size, digest, whether the server has them
work/<job>/digests.cdxj what the archive has of the job's sites already; empty: nothing
work/<job>/end.json     the end, as it is told to the server; told again until that is known to have it
work/<job>/engine.log   what the engine said of itself
work/<job>/…            the crawl: see `harvest/folder.py`
work/put-aside/<job>-<attempt>   of a job that was taken from us; for a person to look at
"""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from armarium.core.collecting import Held, JobEnd, TaskOrder
from armarium.core.errors import ArmariumError, Misconfigured
from armarium.core.folders import make_private
from armarium.core.message import message
from armarium.harvest.folder import CrawlFolder

PUT_ASIDE = "put-aside"
DELETED = "deleted-"  # the beginning of the name of a folder that is being deleted


@dataclass(frozen=True)
class SealedFile:
    name: str
    size: int
    sha256: str
    stored: bool = False


class JobFolder:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.crawl = CrawlFolder(root)
        self.engine_log = root / "engine.log"
        self.digests = root / "digests.cdxj"
        self._task_file = root / "task.json"
        self._files_file = root / "files.json"
        self._end_file = root / "end.json"

    @property
    def held(self) -> Held | None:
        """The job and attempt of the folder; None if there is no job in it, or nobody can read which."""
        try:
            return Held.model_validate_json(self._task_file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    @property
    def begun(self) -> bool:
        """Whether anything may have been crawled."""
        return any(self.crawl.state.rglob("frontier.sqlite"))

    def take(self, task: TaskOrder) -> None:
        """Keep the task. First that it is ours: whatever happens now, it is asked for again."""
        make_private(self.root)
        _sync(self.root.parent)
        self.forget_end()  # of an earlier attempt
        _write(self._task_file, Held(job=task.job, attempt=task.attempt).model_dump())
        self.crawl.write_order(task.order)

    def files(self) -> dict[str, SealedFile]:
        try:
            found = json.loads(self._files_file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}  # they are measured again
        return {one["name"]: SealedFile(**one) for one in found}

    def keep_files(self, files: Collection[SealedFile]) -> None:
        _write(self._files_file, [asdict(file) for file in files])

    @property
    def end(self) -> JobEnd | None:
        """The end that was told, and perhaps accepted."""
        try:
            return JobEnd.model_validate_json(self._end_file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def keep_end(self, end: JobEnd) -> None:
        _write(self._end_file, end.model_dump(mode="json"))

    def forget_end(self) -> None:
        self._end_file.unlink(missing_ok=True)


class Work:
    """All folders of this collector."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._aside = root / PUT_ASIDE

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Two collectors must not work in one folder."""
        make_private(self.root)
        with (self.root / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Misconfigured(
                    message(
                        "Another collector works in %(folder)s. Stop it, or give this one a folder of its "
                        "own: collector.work in the settings.",
                        folder=str(self.root),
                    )
                ) from None
            for half in self.root.glob(f"{DELETED}*"):
                shutil.rmtree(half, ignore_errors=True)
            yield

    def of(self, job: int) -> JobFolder:
        return JobFolder(self.root / str(job))

    def held(self) -> list[Held]:
        """The jobs whose folders lie here."""
        return [held for held in (self.of(job).held for job in self._jobs()) if held is not None]

    def unreadable(self) -> list[int]:
        """Jobs whose folders do not say under which attempt they were crawled: nobody asks for them again."""
        folders = {job: self.of(job) for job in self._jobs()}
        return [job for job, folder in folders.items() if folder.held is None and any(folder.root.iterdir())]

    def _jobs(self) -> list[int]:
        return sorted(int(path.name) for path in self.root.iterdir() if path.name.isdigit() and path.is_dir())

    def put_aside(self, job: int) -> Path | None:
        """Move the folder of a job that is not ours any more to where a person looks for it.

        It may lie there for years: the passwords of web sites do not.
        """
        folder = self.of(job)
        if not folder.root.exists():
            return None
        folder.crawl.forget_secrets()
        make_private(self._aside)
        held = folder.held
        name = f"{job}-{held.attempt if held else 0}"
        taken = {path.name for path in self._aside.iterdir()}
        names = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
        target = self._aside / next(one for one in names if one not in taken)
        folder.root.rename(target)
        return target

    def names_put_aside(self) -> tuple[str, ...]:
        return tuple(sorted(path.name for path in self._aside.iterdir())) if self._aside.exists() else ()

    def delete(self, job: int) -> None:
        """First out of the way: half a folder must never look like one to go on with."""
        target = self.root / f"{DELETED}{job}"
        shutil.rmtree(target, ignore_errors=True)
        self.of(job).root.rename(target)
        shutil.rmtree(target, ignore_errors=True)


def _write(file: Path, facts: Any) -> None:
    """Whole or not at all."""
    fresh = file.with_suffix(".fresh")
    with fresh.open("w", encoding="utf-8") as opened:
        json.dump(facts, opened)
        opened.flush()
        os.fsync(opened.fileno())
    fresh.replace(file)
    _sync(file.parent)


def _sync(folder: Path) -> None:
    """What was renamed or made in it is still there after a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- Until when a job is ours.
#
# Two clocks are looked at, and the first to say so ends the lease: the one since the boot goes on while the
# process is frozen or the machine asleep; the other is put right after a virtual machine stood still.


_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
MARGIN = 2.0  # seconds: the header Date counts in whole ones, and clocks are looked at now and then
SHARE = 5  # of a short lease, the margin takes no more than this part


class LeaseLost(ArmariumError):  # noqa: N818  (reads as what happened)
    """The job is no longer ours: nothing more is written, fetched or sent for it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment by both clocks."""

    boot: float
    wall: float

    @classmethod
    def present(cls) -> "Moment":
        return cls(time.clock_gettime(_SINCE_BOOT), time.time())

    def later(self, seconds: float) -> "Moment":
        return Moment(self.boot + seconds, self.wall + seconds)

    def left(self) -> float:
        """Seconds until this moment, by the clock that sees it sooner."""
        present = Moment.present()
        return min(self.boot - present.boot, self.wall - present.wall)

    def line(self) -> bytes:
        """For the engine, which reads it with `read`."""
        return json.dumps([self.boot, self.wall]).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> "Moment":
        boot, wall = json.loads(line)
        return cls(float(boot), float(wall))


def end_of_lease(asked: Moment, seconds: float) -> Moment:
    """`seconds` are those that the server gave when it answered; they are counted from the question."""
    return asked.later(seconds - min(MARGIN, max(seconds, 0) / SHARE))


class Lease:
    """The lease of one job, as it was last extended."""

    def __init__(self, until: Moment) -> None:
        self._until = until

    @property
    def until(self) -> Moment:
        return self._until

    def extend(self, until: Moment) -> None:
        """Never shortened: answers may overtake each other."""
        if until.boot > self._until.boot:
            self._until = until

    def left(self) -> float:
        return self._until.left()

    def check(self) -> None:
        if self.left() <= 0:
            raise LeaseLost("The lease is over: the server could not be reached in time.")
