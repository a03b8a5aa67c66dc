"""The runs of this moment."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from armarium.db.database import Database
from armarium.formats.cdx.query import Match, Query
from armarium.index.chain.live import LiveRuns, _Seen
from armarium.index.runs import BadRun, BlockCache
from armarium.index.runs.folder import FolderPlace

PATIENCE = 60  # seconds


def told_nobody(bad: BadRun) -> None:
    raise AssertionError(f"no run is bad here: {bad}")


class Slow(LiveRuns):
    """As if the database took its time for one collection."""

    def __init__(self, folder: Path) -> None:
        database = Database("postgresql://nowhere.invalid/", application="tests")
        super().__init__(database, FolderPlace(folder), BlockCache(), told_nobody)
        self.asked, self.answered = Event(), Event()
        self.reads = 0

    def _read(self, name: str) -> _Seen:
        self.reads += 1
        if name == "slow":
            self.asked.set()
            assert self.answered.wait(PATIENCE)
        return _Seen(float("inf"), frozenset(), [])


def found(runs: LiveRuns, collection: str) -> list[bytes]:
    return list(runs.lookup(collection).raw(Query(match=Match.RANGE)))


def test_who_asks_one_collection_does_not_wait_for_another(tmp_path: Path) -> None:
    runs = Slow(tmp_path)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(found, runs, "slow")
        assert runs.asked.wait(PATIENCE)
        assert found(runs, "quick") == []
        runs.answered.set()
        assert waiting.result(PATIENCE) == []


def test_what_was_read_before_this_process_changed_something_is_read_again(tmp_path: Path) -> None:
    runs = Slow(tmp_path)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(runs._now, "slow")
        assert runs.asked.wait(PATIENCE)
        runs.forget()
        runs.answered.set()
        waiting.result(PATIENCE)
    runs._now("slow")
    runs._now("slow")
    assert runs.reads == 2
