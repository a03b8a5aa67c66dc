"""Cleaning: objects that nobody reads any more, and what killed processes left behind."""

import shutil
from datetime import timedelta

from armarium.core import clock
from armarium.db.database import Database
from armarium.index.chain import collection_queries, run_queries
from armarium.index.chain.collections import settle
from armarium.index.chain.publishing import Press
from armarium.index.chain.steps import Steps
from armarium.index.settings import IndexSettings

ABANDONED = timedelta(hours=24)  # no piece takes that long from being announced to being live
STEPS_KEPT = timedelta(days=90)
AT_ONCE = 1000


class Cleaner:
    def __init__(self, database: Database, press: Press, settings: IndexSettings, steps: Steps) -> None:
        self._database = database
        self._press = press
        self._settings = settings
        self._steps = steps

    def clean(self) -> int:
        now = clock.now()
        retired = now - timedelta(hours=self._settings.keep_retired_hours)
        abandoned = now - ABANDONED
        deleted = 0
        with self._steps.step("clean"):
            with self._database.transaction() as connection:
                for collection in collection_queries.active(connection, hold=True):
                    settle(connection, collection)
                run_queries.retire_needless(connection)
                run_queries.forget_steps(connection, now - STEPS_KEPT)
            while True:
                with self._database.transaction() as connection:
                    runs = run_queries.done_with(connection, retired, abandoned, AT_ONCE)
                for run in runs:
                    # Under the lock of its row, so that nobody makes it live meanwhile: see publishing.py.
                    with self._database.transaction() as connection:
                        name = run_queries.hold_done_with(connection, run, retired, abandoned)
                        if name:
                            self._press.place.delete(name)
                            run_queries.delete(connection, run)
                            deleted += 1
                if len(runs) < AT_ONCE:
                    break
            self._clear_work()
        return deleted

    def _clear_work(self) -> None:
        before = (clock.now() - ABANDONED).timestamp()
        self._press.place.clear(before)
        for folder in self._press.work.glob("*"):
            if folder.is_dir() and folder.stat().st_mtime < before:
                shutil.rmtree(folder, ignore_errors=True)
