"""kill -9 of the supervisor: no child outlives it, or at the latest the next start."""

import os
import signal
import time

import psutil

from tests.integration.server.conftest import House, lives, until


def test_children_end_within_ten_seconds_of_the_supervisors_death_even_deaf_ones(house: House) -> None:
    supervisor = house.with_child("web").with_child("worker-1", "deaf").start()
    house.wait_ready("web", "worker-1")

    supervisor.kill()
    until(lambda: not house.living())

    assert house.drained("web")


def test_a_frozen_child_that_outlived_its_supervisor_is_ended_at_the_next_start(house: House) -> None:
    supervisor = house.with_child("web").with_child("worker-1").start()
    house.wait_ready("web", "worker-1")
    frozen = psutil.Process(house.newest("worker-1"))
    frozen.suspend()
    until(lambda: frozen.status() == psutil.STATUS_STOPPED)

    supervisor.kill()
    supervisor.wait()
    until(lambda: not lives(house.newest("web")))
    assert lives(frozen.pid)
    house.start()
    until(lambda: len(house.births("worker-1")) == 2)

    assert not lives(frozen.pid)
    assert lives(house.newest("worker-1"))


def test_an_old_child_and_its_successor_never_live_at_the_same_time(house: House) -> None:
    supervisor = house.with_child("worker-1", "deaf").start()
    house.wait_ready("worker-1")

    supervisor.kill()
    supervisor.wait()
    house.start()  # at once: the old child is still waiting for its own end
    until(lambda: len(house.births("worker-1")) == 2)

    assert not lives(house.births("worker-1")[0].pid)


def test_nothing_is_left_after_the_supervisor_is_killed_ten_times_in_the_middle_of_things(
    house: House,
) -> None:
    house.with_child("web").with_child("worker-1", "crashing").with_timing(first_pause=0.05)

    for turn in range(10):
        born = len(house.pids())
        supervisor = house.start()
        until(lambda: len(house.pids()) > born)  # noqa: B023  (waited for within the loop)
        time.sleep(turn * 0.01)  # each time at another moment of starting and restarting
        supervisor.kill()
        supervisor.wait()

    until(lambda: not house.living())


def test_a_supervisor_started_after_a_kill_stops_as_cleanly_as_any(house: House) -> None:
    house.with_child("web").start().kill()
    supervisor = house.start()
    house.wait_ready("web")

    os.kill(supervisor.pid, signal.SIGTERM)

    assert supervisor.wait(60) == 0
    assert not house.living()
