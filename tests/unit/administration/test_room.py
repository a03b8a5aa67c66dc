"""Which disks the operators are told of."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from armarium.administration.upkeep import little_room, short_of_room
from armarium.processes.model import Process, ProcessState

NOW = datetime(2026, 11, 15, tzinfo=UTC)
GB = 1_000_000_000
WEB = Process(
    id=1,
    kind="web",
    name="web",
    machine="cellar",
    pid=1,
    version="1",
    state=ProcessState.RUNNING,
    started=NOW,
    heartbeat=NOW,
    interval=timedelta(seconds=5),
    message="",
    monitoring=None,
    memory=None,
    disk_free=50 * GB,
    disk_total=100 * GB,
    restarts=0,
)
FULL = replace(WEB, disk_free=9 * GB)


def test_each_machine_with_less_than_a_tenth_free_is_told_once() -> None:
    attic = replace(FULL, machine="attic")
    found = short_of_room([FULL, replace(FULL, name="worker"), attic, replace(WEB, machine="shed")])
    assert [process.machine for process in found] == ["cellar", "attic"]


def test_what_was_seen_last_counts() -> None:
    later = replace(WEB, name="worker", heartbeat=NOW + timedelta(seconds=5))
    assert short_of_room([FULL, later]) == []


def test_those_that_ended_or_know_nothing_are_not_asked() -> None:
    unknown = replace(WEB, disk_free=None, disk_total=None)
    assert short_of_room([replace(FULL, state=ProcessState.ENDED), unknown]) == []


def test_the_words_name_the_machine_and_the_figures() -> None:
    told = little_room(FULL)
    assert "cellar" in str(told.subject)
    assert "9.0 of 100.0 GB" in str(told.text)
