"""The folder of one crawl: what lies where, and who works in it.

order.json              what was asked for
state/frontier.sqlite   queues and what was seen; any SQLite tool reads it
state/control.sock      where `armarium harvest` talks to the crawl
state/lock              held by the process that crawls
state/processes         how many share the crawl
warcs/                  each file with its index, NAME.cdxj
logs/  reports/  summary.json
"""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import NotFound, Refused
from armarium.core.invalid import in_words

INTERRUPTED = "Interrupted"  # the status of a crawl that can be resumed


class CrawlFolder:
    """Paths of a crawl. With several processes, each has its own part of state and logs."""

    def __init__(self, root: Path, part: int | None = None) -> None:
        self.root = root
        self.part = part
        name = "" if part is None else f"part-{part}"
        self.state = root / "state" / name
        self.warcs = root / "warcs"
        self.logs = root / "logs" / name
        self.reports = root / "reports" / name
        self.order_file = root / "order.json"
        self._fresh_order = root / "order.fresh"
        self.summary_file = root / "summary.json"
        self.frontier_file = self.state / "frontier.sqlite"
        self.control_file = self.state / "control.sock"
        self.temporary = self.state / "temporary"
        self._processes_file = root / "state" / "processes"

    def create(self) -> None:
        for folder in (self.state, self.warcs, self.logs, self.reports, self.temporary):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def begun(self) -> bool:
        return self.order_file.exists()

    @property
    def processes(self) -> int:
        """How many share the crawl, each with its own part of the queues; 0: it was never begun."""
        try:
            return int(self._processes_file.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):  # of an earlier version, which did not write it down
            return len(list(self.state.glob("part-*"))) or int(self.frontier_file.exists())

    def keep_processes(self, count: int) -> None:
        """Before the first of them begins: a kill may come when only some of them have a part."""
        self.state.mkdir(parents=True, exist_ok=True)
        fresh = self._processes_file.with_suffix(".fresh")
        fresh.write_text(str(count), encoding="ascii")
        fresh.replace(self._processes_file)

    def write_order(self, order: CrawlOrder, *, secrets: bool = True) -> None:
        """Keep the order. Whole or not at all: a crawl cut off here was never begun."""
        fresh = self._fresh_order
        with fresh.open("w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)  # credentials may be in it
            file.write(order.model_dump_json(indent=2, context={"secrets": secrets}))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.order_file)

    def forget_secrets(self) -> None:
        """Keep the order without its passwords, for a crawl that nobody goes on with."""
        self._fresh_order.unlink(missing_ok=True)  # of a process that was killed while it wrote
        try:
            self.write_order(self.read_order(), secrets=False)
        except NotFound:
            return
        except (Refused, OSError):  # it cannot be read, or the disk is full
            self._fresh_order.unlink(missing_ok=True)
            self.order_file.unlink(missing_ok=True)

    def read_order(self) -> CrawlOrder:
        try:
            text = self.order_file.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(
                f"{self.root} holds no crawl: there is no order.json in it. "
                "Begin one with: armarium crawl URL… --out DIR"
            ) from None
        try:
            return CrawlOrder.model_validate_json(text)
        except ValidationError as error:
            wrong = " ".join(in_words(one) for one in error.errors())
            raise Refused(f"{self.order_file} is no order of this version. {wrong}") from None

    def final_summary(self) -> dict[str, Any] | None:
        """The summary of a crawl that has ended for good; None if it can be gone on with."""
        try:
            summary: dict[str, Any] = json.loads(self.summary_file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return None if summary.get("status") == INTERRUPTED else summary

    @contextmanager
    def locked(self, patience: float = 0.0) -> Iterator[None]:
        """Only one process may crawl into a folder. One that was told to end gets some patience."""
        try:
            self.state.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(f"{self.root} cannot be the folder of a crawl: {error.strerror}.") from None
        with (self.state / "lock").open("a") as lock:
            try:
                _lock(lock, patience)
            except BlockingIOError:
                raise Refused(
                    f"Another process is crawling into {self.root}. "
                    f"See what it does with: armarium harvest status {self.root}"
                ) from None
            yield


def _lock(file: IO[str], patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise
            time.sleep(0.05)


# --- Room on the disk that is kept for the end: with it, a crawl whose disk is full can still put in order
# what
# it has.


SIZE = 32 * 1024 * 1024  # bytes: what is gathered in memory between two commits, and the reports
_SHARE = 4  # of a disk that is nearly full, no more than one part of so many


class Reserve:
    """A file that is of no use but for its size."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def take(self) -> None:
        """As much as there is room for; a disk that has none is noticed soon enough."""
        size = min(SIZE, shutil.disk_usage(self._path.parent).free // _SHARE)
        with suppress(OSError), self._path.open("wb") as file:
            if size:
                os.posix_fallocate(file.fileno(), 0, size)

    def release(self) -> None:
        with suppress(OSError):  # on a disk that takes nothing any more; the crawl pauses nonetheless
            self._path.unlink(missing_ok=True)
