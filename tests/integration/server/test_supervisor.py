"""The supervisor with real children: starting, crashing, stopping."""

import os
import signal
import time
from itertools import pairwise

import psutil

from tests.integration.server.conftest import House, lives, until


def test_children_start_and_tell_where_they_answer_when_they_are_ready(house: House) -> None:
    house.with_child("web").with_child("worker-1").start()

    house.wait_ready("web", "worker-1")

    assert sorted(house.events("ready")) == [
        ["web", "http://127.0.0.1/web"],
        ["worker-1", "http://127.0.0.1/worker-1"],
    ]


def test_a_crashing_child_is_restarted_after_growing_pauses_and_reported(house: House) -> None:
    house.with_child("worker-1", "crashing").with_timing(first_pause=0.2).start()

    until(lambda: len(house.births("worker-1")) >= 4)

    births = house.births("worker-1")
    pauses = [later.time - earlier.time for earlier, later in pairwise(births)]
    assert pauses[0] >= 0.2
    assert pauses[1] >= 0.4
    assert pauses[2] >= 0.8
    assert [birth.restarts for birth in births[:4]] == [0, 1, 2, 3]
    assert sorted(house.events("crash"))[:3] == [["worker-1", 3, 0], ["worker-1", 3, 1], ["worker-1", 3, 2]]


def test_a_child_that_lived_long_enough_is_restarted_after_the_short_pause_again(house: House) -> None:
    house.with_child("worker-1").with_timing(first_pause=0.1, longest_pause=600.0, settled=0.0).start()

    for life in (1, 2, 3):
        until(lambda: len(house.events("ready")) >= life)  # noqa: B023  (waited for within the loop)
        os.kill(house.newest("worker-1"), signal.SIGKILL)
    until(lambda: len(house.births("worker-1")) == 4)

    pauses = [line["pause_seconds"] for line in house.log() if "pause_seconds" in line]
    assert pauses == [0.1, 0.1, 0.1]
    assert house.events("crash")[-1] == ["worker-1", -signal.SIGKILL, 2]


def test_a_child_that_hangs_is_killed_and_started_again(house: House) -> None:
    house.with_child("web").with_child("worker-1").with_timing(hung=4.0).start()
    house.wait_ready("web", "worker-1")

    os.kill(frozen := house.newest("worker-1"), signal.SIGSTOP)
    until(lambda: len(house.births("worker-1")) == 2)

    assert not lives(frozen)
    assert house.events("crash") == [["worker-1", -signal.SIGKILL, 0]]
    assert any(line["event"] == "child hangs; killing it" for line in house.log())
    assert len(house.births("web")) == 1


def test_nobody_hangs_when_the_whole_machine_was_suspended(house: House) -> None:
    supervisor = house.with_child("worker-1").with_timing(hung=4.0).start()
    house.wait_ready("worker-1")
    child = house.newest("worker-1")

    for pid in (supervisor.pid, child):
        os.kill(pid, signal.SIGSTOP)
    time.sleep(6)
    os.kill(supervisor.pid, signal.SIGCONT)  # it wakes first
    time.sleep(1)
    os.kill(child, signal.SIGCONT)
    time.sleep(5)

    assert len(house.births("worker-1")) == 1
    assert lives(child)


def test_a_callback_that_fails_does_not_keep_a_child_from_being_restarted(house: House) -> None:
    house.with_child("worker-1", "crashing").with_timing(first_pause=0.1)
    house.start(troublesome_callbacks=True)

    until(lambda: len(house.births("worker-1")) >= 3)


def test_what_a_crashed_child_had_started_is_ended_before_it_starts_again(house: House) -> None:
    house.with_child("collector", "parent").start()
    house.wait_ready("collector")
    grandchild = int((house.folder / "grandchild").read_text())

    os.kill(house.newest("collector"), signal.SIGKILL)
    until(lambda: len(house.births("collector")) == 2)

    assert not lives(grandchild)


def test_a_command_that_does_not_exist_is_reported_and_the_others_go_on(house: House) -> None:
    house.with_child("web").with_command("odd", str(house.folder / "no such program")).start()

    house.wait_ready("web")
    until(lambda: house.events("crash"))

    assert house.events("crash")[0] == ["odd", 127, 0]
    assert lives(house.newest("web"))


def test_sigterm_lets_the_children_end_their_work_and_leaves_nothing(house: House) -> None:
    supervisor = house.with_child("web").with_child("worker-1").start()
    house.wait_ready("web", "worker-1")

    supervisor.terminate()

    assert supervisor.wait(60) == 0
    assert house.drained("web")
    assert house.drained("worker-1")
    assert not house.living()


def test_sigterm_ends_even_a_child_that_does_not_listen_within_ten_seconds(house: House) -> None:
    supervisor = house.with_child("web").with_child("worker-1", "deaf").start()
    house.wait_ready("web", "worker-1")

    supervisor.terminate()

    assert supervisor.wait(60) == 0
    assert not house.living()


def test_sigterm_reaches_a_child_that_was_frozen(house: House) -> None:
    supervisor = house.with_child("worker-1").start()
    house.wait_ready("worker-1")
    frozen = psutil.Process(house.newest("worker-1"))
    frozen.suspend()
    until(lambda: frozen.status() == psutil.STATUS_STOPPED)

    supervisor.terminate()

    assert supervisor.wait(60) == 0
    assert house.drained("worker-1")


def test_sigterm_ends_a_supervisor_whose_child_is_between_two_lives(house: House) -> None:
    supervisor = (
        house.with_child("worker-1", "crashing").with_timing(first_pause=600.0, longest_pause=600).start()
    )
    until(lambda: house.events("crash"))

    supervisor.terminate()

    assert supervisor.wait(60) == 0
    assert len(house.births("worker-1")) == 1


def test_a_second_interrupt_ends_the_waiting(house: House) -> None:
    house.with_child("worker-1", "deaf").with_timing(grace=600.0)
    supervisor = house.start()
    house.wait_ready("worker-1")

    supervisor.send_signal(signal.SIGINT)
    until(lambda: any(line["event"] == "stopping" for line in house.log()))
    assert lives(house.newest("worker-1"))
    supervisor.send_signal(signal.SIGINT)

    assert supervisor.wait(60) == 0
    assert not house.living()


def test_a_child_that_can_never_start_stops_everything_with_its_reason(house: House) -> None:
    supervisor = house.with_child("worker-1").with_child("web", "hopeless").start()

    assert supervisor.wait(60) == 1

    assert house.error() == "Misconfigured: web cannot start: The port 80 is taken. Choose another."
    assert len(house.births("web")) == 1
    assert not house.living()


def test_a_child_that_was_ready_once_is_tried_again_even_when_it_cannot_start_now(house: House) -> None:
    supervisor = house.with_child("web", "spoilt").with_timing(first_pause=0.1).start()

    until(lambda: len(house.births("web")) >= 3)

    assert supervisor.poll() is None


def test_a_second_supervisor_is_refused_and_told_who_runs_and_where(house: House) -> None:
    first = house.with_child("web").start()
    house.wait_ready("web")

    second = house.start()

    assert second.wait(60) == 1
    assert house.error().startswith(f"Refused: Armarium already runs on {house.home}: process {first.pid}, ")
    assert "http://127.0.0.1/web" in house.error()
    assert first.poll() is None
    assert lives(house.newest("web"))
