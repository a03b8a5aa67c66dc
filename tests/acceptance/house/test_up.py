"""`armarium up` as a user meets it."""

import os
import re
import signal
import time

import httpx
import psutil

from tests.acceptance.house.conftest import LivingHouse, free_port

END_SECONDS = 10.0
PASSWORD = "correct horse battery staple"


def answers(house: LivingHouse, path: str = "/sign-in") -> bool:
    try:
        return httpx.get(house.address + path, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def test_everything_starts_lets_somebody_in_and_ends_within_ten_seconds(
    house: LivingHouse,
) -> None:
    up = house.up()
    link = house.link()
    with httpx.Client() as browser:
        token = re.search(r'name="csrf_token" value="([^"]+)"', browser.get(link).text)
        assert token
        form = {"csrf_token": token[1], "name": "ada", "display_name": "Ada"}
        entered = browser.post(link, data={**form, "password": PASSWORD, "repeat": PASSWORD})
        assert entered.headers["location"] == "/"
        home = browser.get(house.address + "/")
        assert "Welcome, Ada" in home.text
        house.wait(lambda: "worker-1" in browser.get(house.address + "/administration/system").text)
    assert {"up", "web", "scheduler", "postgres"} <= set(house.processes())

    listed = house.command("system", "--json")
    assert listed.returncode == 0
    assert '"scheduler"' in listed.stdout

    began = time.monotonic()
    up.send_signal(signal.SIGTERM)
    assert up.wait(END_SECONDS + 5) == 0
    assert time.monotonic() - began < END_SECONDS
    assert house.processes() == {}
    assert link.rsplit("/", 1)[1] not in house.log


def test_a_second_start_on_the_same_folder_is_refused_with_the_way_out(house: LivingHouse) -> None:
    house.up()
    house.link()
    # The port is looked at first, so the second one gets a port of its own.
    house.environment = {**house.environment, "ARMARIUM_WEB_PORT": str(free_port())}
    refused = house.command("up")
    assert refused.returncode == 1
    assert "already runs on" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_taken_port_is_said_at_once(house: LivingHouse) -> None:
    house.up()
    house.link()
    refused = house.command("web")
    assert refused.returncode == 78
    assert "ARMARIUM_WEB_PORT" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_nothing_is_left_when_the_supervisor_is_killed(house: LivingHouse) -> None:
    up = house.up()
    house.link()
    os.kill(up.pid, signal.SIGKILL)
    up.wait()
    house.wait(lambda: not house.processes(), patience=20)


def test_a_frozen_child_of_a_killed_supervisor_is_ended_by_the_next_start(house: LivingHouse) -> None:
    up = house.up()
    house.link()
    frozen = house.processes()["scheduler"]
    frozen.suspend()
    os.kill(up.pid, signal.SIGKILL)
    up.wait()
    house.up()
    house.wait(lambda: house.output.count("Armarium is ready") == 2)
    assert not frozen.is_running() or frozen.status() == psutil.STATUS_ZOMBIE


def states(house: LivingHouse) -> dict[str, str]:
    return {process["name"]: process["state"] for process in house.listed("system")}


def test_each_process_can_run_alone(house: LivingHouse) -> None:
    web = house.start("web")
    house.wait(lambda: answers(house))
    worker = house.start("worker")
    scheduler = house.start("scheduler")
    house.wait(lambda: states(house) == {"web": "running", "worker": "running", "scheduler": "running"})
    for process in (web, worker, scheduler):
        process.send_signal(signal.SIGTERM)
        assert process.wait(END_SECONDS) == 0
    assert house.processes() == {}, "the last to leave stops the database"


def test_a_command_leaves_no_database_running(house: LivingHouse) -> None:
    assert house.command("accounts", "add", "ada", "--role", "administrator").returncode == 0
    assert house.processes() == {}
