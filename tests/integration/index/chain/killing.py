"""Rounds of the chain in processes that are killed: `killing.py URL FOLDER`, told by lines on standard input.

Each line is `MOMENT SECONDS`: a child goes through the whole chain and kills itself (-9) at so many moments,
which are the ends of transactions that change something, before and after, and whatever happens to objects,
or after so many seconds. The answer is `killed` or `finished`. All that a child needs was loaded before
it was forked.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.database import Database
from armarium.index.chain.service import Chain
from armarium.index.runs.folder import FolderPlace
from tests.integration.index.chain.archive import chain_of

HERE = Path(__file__)


class Fate:
    """Counts the moments, and ends the process at one of them."""

    def __init__(self, moment: int) -> None:
        self._left = moment

    def moment(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class MortalDatabase(Database):
    def __init__(self, url: str, fate: Fate) -> None:
        super().__init__(url, application="killed")
        self._fate = fate

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        with super().transaction() as connection:
            yield connection
            wrote = connection.scalar(sa.text("SELECT pg_current_xact_id_if_assigned()")) is not None
            if wrote:
                self._fate.moment()  # all was said, and nothing is committed
        if wrote:
            self._fate.moment()


class MortalPlace(FolderPlace):
    def __init__(self, folder: Path, fate: Fate) -> None:
        super().__init__(folder)
        self._fate = fate

    def publish(self, name: str, path: Path) -> None:
        super().publish(name, path)
        self._fate.moment()

    def delete(self, name: str) -> None:
        super().delete(name)
        self._fate.moment()


def go_through(chain: Chain, files: list[int]) -> None:
    """All that the tasks of some days would do."""
    chain.sweep()
    for number, file in enumerate(files, 1):
        chain.index(file)
        if number % 4 == 0:
            chain.merge_days()
        if number % 6 == 0:
            chain.merge_big(now=True)
            chain.clean()
    chain.merge_days()
    chain.merge_big(now=True)
    chain.clean()


def live_and_die(url: str, folder: Path, moment: int, seconds: float) -> None:
    if seconds:
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()
    fate = Fate(moment)
    database = MortalDatabase(url, fate)
    chain, archive = chain_of(database, folder, keep_retired_hours=0)
    press = chain._merger._press  # the one that all parts of the chain share
    press.place = MortalPlace(folder / "index", fate)
    go_through(chain, [file.id for file in archive.stored_after(0, 1000)])


def main(url: str, folder: Path) -> None:
    for line in sys.stdin:
        moment, seconds = line.split()
        child = os.fork()
        if child == 0:
            status = 3
            os.dup2(2, 1)  # what it logs is no answer
            try:
                live_and_die(url, folder, int(moment), float(seconds))
                status = 0
            finally:
                sys.stderr.flush()
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        words = {0: "finished", signal.SIGKILL: "killed"}
        sys.stdout.write(words.get(ended, f"failed {ended}") + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
