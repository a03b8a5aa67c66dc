"""What one file of 100 MB costs from its arrival to the merged index, and how many make a day.

The real thing: the embedded PostgreSQL, two replicas in folders, every copy read back, the chain with its
children. CPU is that of this process, its children and the database together.
"""

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

from armarium.accounts.vault import Vault, VaultSettings
from armarium.core.storing import SealedFile
from armarium.formats.cdx.index import index
from armarium.formats.warc.reader import ArchiveReader
from armarium.notify.service import Notifier
from armarium.notify.settings import NotifySettings
from armarium.server.assembly import SECTIONS, TASK_KINDS, opened
from armarium.server.services.storage import StorageServices
from armarium.settings import load
from armarium.storage.model import Origin
from armarium.tasks.service import Tasks
from bench.formats.corpus import gzip_members

CAPTURES = 7200  # about 100 MB
FILES = 4
THREADS = 2
A_DAY = 20_000  # files, the most that the sources name
SECONDS = 86_400


class Cost(NamedTuple):
    cpu: float  # seconds for 100 MB
    wall: float


def measure(say: Callable[[str], None]) -> None:
    cores = os.cpu_count() or 1
    for with_index, what in ((False, "from elsewhere"), (True, "of our own engine, with its index")):
        with _keeping() as keeping:
            cost = _cost(keeping, with_index=with_index)
        by_cpu = SECONDS * cores / cost.cpu / A_DAY
        by_wall = SECONDS / cost.wall / A_DAY
        say(f"100 MB {what}: {cost.cpu:.2f} CPU s, {cost.wall:.2f} s by the clock, {THREADS} at a time")
        say(f"  {A_DAY} a day are passed {by_cpu:.1f} times by CPU, {by_wall:.1f} times by the clock")
    say(f"  load of the machine {os.getloadavg()[0]:.1f}")


@contextmanager
def _keeping() -> Iterator[StorageServices]:
    with tempfile.TemporaryDirectory() as folder:
        settings = load(SECTIONS, home=Path(folder), environ={})
        with opened(settings, application="bench") as house:
            tasks = Tasks(house.database, TASK_KINDS)
            notifier = Notifier(tasks, NotifySettings())
            vault = Vault(settings[VaultSettings], settings.home)
            keeping = StorageServices(settings, house.database, vault, tasks, notifier)
            yield keeping
            keeping.close()


def _cost(keeping: StorageServices, *, with_index: bool) -> Cost:
    sealed = list(_sealed(keeping.settings.home / "arrivals", with_index=with_index))
    megabytes = sum(file.size for file in sealed) / 1e6
    database = _postmaster(keeping.settings.home)
    begun, used = time.monotonic(), _cpu(database)

    def one(file: SealedFile) -> None:
        with keeping.database.transaction() as connection:
            number = keeping.files.register(connection, file, origin=Origin.COLLECTOR).id
        keeping.files.store(number)
        keeping.chain.index(number)

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(one, sealed))
    keeping.chain.merge_days()
    keeping.chain.merge_big(now=True)
    used = _cpu(database) - used
    found = sum(run.lines for run in keeping.chain.runs())
    assert found == CAPTURES * FILES, found
    return Cost(used / megabytes * 100, (time.monotonic() - begun) / megabytes * 100)


def _sealed(folder: Path, *, with_index: bool) -> Iterator[SealedFile]:
    folder.mkdir(parents=True)
    content = b"".join(gzip_members(CAPTURES))
    for number in range(FILES):
        path = folder / f"bench-{number}.warc.gz"
        path.write_bytes(content)
        companion = path.with_name(f"{path.name}.cdxj") if with_index else None
        if companion is not None:
            with path.open("rb") as file:
                lines = sorted(line.to_cdxj() for line in index(ArchiveReader(file), path.name))
            companion.write_bytes(b"".join(line + b"\n" for line in lines))
        digest = hashlib.sha256(content).hexdigest()
        yield SealedFile(path.name, "data", len(content), digest, path, companion=companion)


def _postmaster(home: Path) -> psutil.Process:
    [told] = home.glob("postgres/**/postmaster.pid")
    return psutil.Process(int(told.read_text().split("\n", 1)[0]))


def _cpu(database: psutil.Process) -> float:
    """Seconds of CPU of this process and of the database, with all that they have started."""
    total = 0.0
    for process in (psutil.Process(), database):
        for each in (process, *process.children(recursive=True)):
            times = each.cpu_times()
            total += times.user + times.system
        ended = process.cpu_times()
        total += ended.children_user + ended.children_system
    return total
