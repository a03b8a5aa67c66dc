"""The life of leases, lived in many orders: whatever happens, a job is one collector's, and ends once."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from armarium.core.collecting import EndKind, Held, Phase, TaskOrder
from armarium.db.database import Database
from armarium.planning.collectors.model import Declined
from armarium.planning.model import LEASED
from tests.integration.planning.collectors.world import Crawler, World

NAMES = ("c1", "c2")
names = st.sampled_from(NAMES)


class LeaseLife(RuleBasedStateMachine):
    """Two collectors, each with what lies on its disk, and a server that knows better than both."""

    world: World  # set by the test: one database for all runs, with fresh jobs in each
    crawlers: dict[str, Crawler]

    def __init__(self) -> None:
        super().__init__()
        self.world.drop_jobs()
        self.jobs = [self.world.job(), self.world.job()]
        self.disk: dict[str, dict[int, TaskOrder]] = {name: {} for name in NAMES}  # folders
        self.working: dict[str, set[int]] = {name: set() for name in NAMES}
        self.ended: dict[int, int] = {}

    @rule(name=names, lost=st.booleans(), free=st.integers(0, 1))
    def ask_for_work(self, name: str, lost: bool, free: int) -> None:
        idle = [task for job, task in self.disk[name].items() if job not in self.working[name]]
        held = [Held(job=task.job, attempt=task.attempt) for task in idle]
        answer = self.crawlers[name].ask(jobs=sorted(self.working[name]), held=held, free=free)
        if lost:
            return
        for one in answer.abandon:
            del self.disk[name][one.job]
        if answer.token:
            task = self.crawlers[name].opened(answer.token)
            assert task.job not in self.ended
            assert task.resume == (task.job in self.disk[name]), "resumed without a folder, or begun twice"
            self.disk[name][task.job] = task
            self.working[name].add(task.job)

    @rule(name=names, phase=st.sampled_from(list(Phase)))
    def beat(self, name: str, phase: Phase) -> None:
        for job in sorted(self.working[name]):
            task = self.disk[name][job]
            try:
                self.crawlers[name].beat(task, phase)
            except Declined:
                assert self.is_lost(name, task)
                self.working[name].discard(job)
            else:
                assert not self.is_lost(name, task)

    @rule(name=names, kind=st.sampled_from([EndKind.DONE, EndKind.RETURNED]), twice=st.booleans())
    def end(self, name: str, kind: EndKind, twice: bool) -> None:
        for job in sorted(self.working[name]):
            task = self.disk[name][job]
            try:
                for _ in range(2 if twice else 1):
                    self.crawlers[name].end(task, kind)
            except Declined:
                assert self.is_lost(name, task)
            else:
                assert job not in self.ended, "ended a second time"
                if kind is EndKind.DONE:
                    self.ended[job] = task.attempt
                    del self.disk[name][job]
            self.working[name].discard(job)

    @rule(name=names)
    def restart(self, name: str) -> None:
        """Killed: it forgets what it did, and finds its folders."""
        self.working[name].clear()

    @rule(place=st.integers(0, 1))
    def fall_silent(self, place: int) -> None:
        if self.world.row(self.jobs[place]).state in LEASED:
            self.world.let_lease_end(self.jobs[place])

    @rule()
    def look_for_ended_leases(self) -> None:
        self.world.leases.expire()

    def is_lost(self, name: str, task: TaskOrder) -> bool:
        row = self.world.row(task.job)
        mine = row.collector == self.crawlers[name].collector.id and row.attempt == task.attempt
        return not (mine and row.state in LEASED and row.lease_until > self.world.database_time())

    @invariant()
    def every_job_is_in_one_place(self) -> None:
        for job in self.jobs:
            row = self.world.row(job)
            open_attempts = [attempt for attempt, end in self.world.attempts(job) if not end]
            assert open_attempts == ([row.attempt] if row.state in LEASED else [])
            assert (row.lease_until is not None) == (row.state in LEASED)
            assert (row.state == "done") == (job in self.ended)
            assert row.attempt == self.ended.get(job, row.attempt)


@pytest.mark.timeout(240)
def test_a_job_is_in_one_place_and_ends_once_whatever_happens(database: Database, tmp_path: Path) -> None:
    world = World(database, tmp_path / "home", {"ARMARIUM_PLANNING_MAX_ATTEMPTS": "100"})
    LeaseLife.world = world
    LeaseLife.crawlers = {name: world.crawler(name) for name in NAMES}
    chosen = settings(
        max_examples=6, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(LeaseLife, settings=chosen)
