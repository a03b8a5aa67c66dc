"""The process table on a real PostgreSQL."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import text

from armarium.db.announce import CHANNEL
from armarium.db.database import Database
from armarium.processes.model import Introduction, Process, ProcessState, Pulse
from armarium.processes.service import VANISHED, Processes

WORKER = Introduction(
    kind="worker",
    name="worker-1",
    machine="cellar",
    pid=os.getpid(),
    version="0.1.0",
    interval=timedelta(seconds=5),
    restarts=2,
    monitoring="http://127.0.0.1:4711",
)


@pytest.fixture
def processes(database: Database) -> Processes:
    return Processes(database)


def pass_time(database: Database, seconds: float, *spared: int) -> None:
    """Let everything in the table have happened earlier; those spared have been beating all the while."""
    with database.transaction() as connection:
        connection.execute(
            text(
                "UPDATE process SET started = started - :age, steady_since = steady_since - :age, "
                "heartbeat = CASE WHEN id = ANY(:spared) THEN heartbeat ELSE heartbeat - :age END"
            ),
            {"age": timedelta(seconds=seconds), "spared": list(spared)},
        )


def only(processes: Processes) -> Process:
    (process,) = processes.current()
    return process


def test_a_process_is_listed_with_what_it_said_about_itself(processes: Processes) -> None:
    identity = processes.register(WORKER)
    assert only(processes).state is ProcessState.STARTING

    known = processes.beat(identity, Pulse(message="Indexing.", memory=10, disk_free=20, disk_total=30))

    process = only(processes)
    assert known
    assert (process.id, process.kind, process.name, process.machine) == (
        identity,
        "worker",
        "worker-1",
        "cellar",
    )
    assert (process.pid, process.version, process.restarts) == (os.getpid(), "0.1.0", 2)
    assert (process.state, process.message) == (ProcessState.RUNNING, "Indexing.")
    assert (process.memory, process.disk_free, process.disk_total) == (10, 20, 30)
    assert process.monitoring == "http://127.0.0.1:4711"
    assert process.interval == timedelta(seconds=5)
    assert process.heartbeat >= process.started


def test_pages_are_told_when_the_state_of_a_process_changes_but_not_of_every_heartbeat(
    processes: Processes, database: Database
) -> None:
    identity = processes.register(WORKER)
    with psycopg.connect(database.url, autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")

        for _ in range(5):
            processes.beat(identity, Pulse())
        processes.beat(identity, Pulse(ProcessState.DRAINING))
        pass_time(database, 16)
        processes.beat(identity, Pulse(ProcessState.DRAINING))  # was silent

        told = [notice.payload for notice in listener.notifies(timeout=60, stop_after=3)]
        assert told == ["processes"] * 3
        assert list(listener.notifies(timeout=0.2)) == []


def test_a_heartbeat_of_a_process_that_was_forgotten_says_so(processes: Processes) -> None:
    assert not processes.beat(4711, Pulse())


def test_a_process_that_left_is_listed_as_ended(processes: Processes) -> None:
    identity = processes.register(WORKER)
    processes.leave(identity, "Stopped.")

    assert (only(processes).state, only(processes).message) == (ProcessState.ENDED, "Stopped.")


def test_a_killed_process_counts_as_ended_when_its_successor_registers(processes: Processes) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    killed = processes.register(replace(WORKER, pid=gone.pid))

    successor = processes.register(WORKER)

    states = {process.id: (process.state, process.message) for process in processes.current()}
    assert states[killed] == (ProcessState.ENDED, VANISHED)
    assert states[successor][0] is ProcessState.STARTING


def test_a_living_namesake_and_one_on_another_machine_are_left_alone(processes: Processes) -> None:
    processes.register(replace(WORKER, pid=os.getppid()))
    processes.register(replace(WORKER, machine="attic", pid=2**22 + 1))

    processes.register(WORKER)

    assert [process.state for process in processes.current()] == [ProcessState.STARTING] * 3


def test_a_process_without_heartbeats_is_listed_as_silent(processes: Processes, database: Database) -> None:
    processes.register(WORKER)
    pass_time(database, 16)

    assert only(processes).state is ProcessState.SILENT


def test_silence_is_told_once_and_again_after_the_process_came_back(
    processes: Processes, database: Database
) -> None:
    witness = processes.register(replace(WORKER, name="scheduler", kind="scheduler"))
    worker = processes.register(WORKER)
    processes.beat(worker, Pulse())
    pass_time(database, 16, witness)

    assert [process.id for process in processes.newly_silent()] == [worker]
    assert processes.newly_silent() == []

    processes.beat(worker, Pulse())
    assert processes.newly_silent() == []
    pass_time(database, 16, witness)
    assert [process.id for process in processes.newly_silent()] == [worker]


def test_two_that_ask_at_once_never_hear_of_the_same_process(
    processes: Processes, database: Database
) -> None:
    witness = processes.register(replace(WORKER, name="scheduler"))
    expected = {processes.register(replace(WORKER, name=f"worker-{n}")) for n in range(20)}
    pass_time(database, 16, witness)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: processes.newly_silent(), range(4)))

    told = [process.id for answer in answers for process in answer]
    assert sorted(told) == sorted(expected)


def test_nobody_is_blamed_when_the_database_was_away_for_everybody(
    processes: Processes, database: Database
) -> None:
    scheduler = processes.register(replace(WORKER, name="scheduler"))
    processes.register(WORKER)
    pass_time(database, 60)

    processes.beat(scheduler, Pulse())  # the first that reaches the database again

    assert processes.newly_silent() == []
    pass_time(database, 16, scheduler)  # and the worker still says nothing
    assert [process.name for process in processes.newly_silent()] == ["worker-1"]


def test_the_silence_of_a_draining_process_is_noticed_but_not_told(
    processes: Processes, database: Database
) -> None:
    witness = processes.register(replace(WORKER, name="scheduler"))
    worker = processes.register(WORKER)
    processes.beat(worker, Pulse(state=ProcessState.DRAINING))
    pass_time(database, 16, witness)

    assert processes.newly_silent() == []


def test_what_ended_or_fell_silent_long_ago_is_forgotten(processes: Processes, database: Database) -> None:
    ended = processes.register(replace(WORKER, name="ended"))
    processes.leave(ended)
    processes.register(replace(WORKER, name="silent"))
    pass_time(database, 8 * 86_400)
    processes.register(replace(WORKER, name="living"))

    assert processes.forget(timedelta(days=7)) == 2

    assert [process.name for process in processes.current()] == ["living"]
