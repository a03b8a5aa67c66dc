"""Who is silent, who comes first, what is news."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from armarium.processes.model import (
    Process,
    ProcessState,
    as_of,
    in_order,
    storable_message,
    worth_a_notification,
)

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)

WORKER = Process(
    id=1,
    kind="worker",
    name="worker-1",
    machine="cellar",
    pid=4711,
    version="0.1.0",
    state=ProcessState.RUNNING,
    started=NOON - timedelta(hours=1),
    heartbeat=NOON,
    interval=timedelta(seconds=5),
    message="",
    monitoring=None,
    memory=None,
    disk_free=None,
    disk_total=None,
    restarts=0,
)


def test_a_process_is_silent_after_three_intervals_without_a_heartbeat() -> None:
    assert as_of(WORKER, NOON + timedelta(seconds=15)).state is ProcessState.RUNNING
    assert as_of(WORKER, NOON + timedelta(seconds=15.1)).state is ProcessState.SILENT


def test_a_process_with_slow_heartbeats_is_given_more_time() -> None:
    slow = replace(WORKER, interval=timedelta(minutes=1))

    assert as_of(slow, NOON + timedelta(minutes=3)).state is ProcessState.RUNNING


def test_a_process_that_said_goodbye_is_not_silent() -> None:
    ended = replace(WORKER, state=ProcessState.ENDED)

    assert as_of(ended, NOON + timedelta(days=1)) == ended


def test_trouble_comes_first_and_history_last_and_names_are_counted() -> None:
    def named(name: str, state: ProcessState) -> Process:
        return replace(WORKER, name=name, kind=name.partition("-")[0], state=state)

    processes = [
        named("worker-10", ProcessState.RUNNING),
        named("worker-2", ProcessState.DRAINING),
        named("web", ProcessState.STARTING),
        named("access", ProcessState.ENDED),
        named("worker-3", ProcessState.SILENT),
    ]

    assert [p.name for p in in_order(processes)] == ["worker-3", "web", "worker-2", "worker-10", "access"]


@pytest.mark.parametrize(
    ("last_told", "news"),
    [(ProcessState.RUNNING, True), (ProcessState.STARTING, True), (ProcessState.DRAINING, False)],
)
def test_the_silence_of_a_process_that_was_told_to_stop_is_no_news(
    last_told: ProcessState, news: bool
) -> None:
    assert worth_a_notification(replace(WORKER, state=last_told)) is news


def test_a_message_that_the_database_would_refuse_is_made_storable_message() -> None:
    assert storable_message("a\0b\udc80" + "x" * 5000) == "ab\\udc80" + "x" * 996
