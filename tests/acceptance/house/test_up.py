"""`armarium up` as a user meets it."""

import os
import re
import signal
from typing import Any

import httpx
import psutil

from armarium.db.embedded import running
from armarium.server.child import Timing
from tests.acceptance.house.conftest import PATIENCE, LivingHouse

END_SECONDS = 10.0
PASSWORD = "correct horse battery staple"


def answers(house: LivingHouse, path: str = "/sign-in") -> bool:
    try:
        return httpx.get(house.address + path, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def sign_in(browser: httpx.Client, link: str) -> None:
    token = re.search(r'name="csrf_token" value="([^"]+)"', browser.get(link).text)
    assert token
    form = {"csrf_token": token[1], "name": "ada", "display_name": "Ada"}
    entered = browser.post(link, data={**form, "password": PASSWORD, "repeat": PASSWORD})
    assert entered.headers["location"] == "/"


def test_everything_starts_lets_somebody_in_and_ends_in_time(house: LivingHouse) -> None:
    house.anew = True
    up = house.up()
    link = house.link()
    with httpx.Client(timeout=PATIENCE) as browser:
        sign_in(browser, link)
        home = browser.get(house.address + "/")
        assert "Welcome, Ada" in home.text
        house.wait(lambda: "worker-1" in browser.get(house.address + "/administration/system").text)
    assert {"up", "supervisor", "web", "postgres"} <= set(house.processes())
    house.wait(lambda: '"scheduler leads"' in house.log)  # one of the workers

    listed = house.command("system", "--json")
    assert listed.returncode == 0
    assert '"supervisor"' in listed.stdout

    up.send_signal(signal.SIGTERM)
    assert up.wait(PATIENCE) == 0
    # The clock would tell more about the machine: whoever takes too long is killed, and nobody was.
    assert Timing().grace < END_SECONDS
    assert "did not end in time" not in house.log
    assert house.processes() == {}
    assert link.rsplit("/", 1)[1] not in house.log

    assert house.command("accounts", "add", "lea", "--role", "librarian").returncode == 0
    assert house.processes() == {}, "a command leaves no database running"


def test_a_frozen_child_of_a_killed_supervisor_is_ended_by_the_next_start(house: LivingHouse) -> None:
    up = house.up()
    house.link()
    frozen = house.processes()["web"]
    frozen.suspend()
    os.kill(up.pid, signal.SIGKILL)
    up.wait()
    house.up()
    house.wait(lambda: house.output.count("Armarium is ready") == 2)
    assert not frozen.is_running() or frozen.status() == psutil.STATUS_ZOMBIE


def test_a_worker_that_hangs_is_told_of_and_started_again(house: LivingHouse) -> None:
    house.environment = {**house.environment, "ARMARIUM_SERVER_HUNG_AFTER_SECONDS": "20"}
    house.up()
    house.link()
    house.wait(lambda: states(house).get("worker-1") == "running")
    [frozen] = [process for name, process in house.processes().items() if name.startswith("worker")]
    frozen.suspend()

    house.wait(lambda: '"process is silent"' in house.log)  # said although no worker can
    assert frozen.status() == psutil.STATUS_STOPPED
    house.wait(lambda: not frozen.is_running() or frozen.status() == psutil.STATUS_ZOMBIE)
    house.wait(lambda: any(task["state"] == "finished" for task in sendings(house)))  # by the new worker


def sendings(house: LivingHouse) -> list[dict[str, Any]]:
    return house.listed("tasks", "list", "--name", "notify.send", "--most", "100000")


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
        assert process.wait(PATIENCE) == 0
    assert house.processes() == {}, "the last to leave stops the database"


def test_a_process_waits_for_a_database_that_is_away_at_its_start(house: LivingHouse) -> None:
    elsewhere = house.folder / "elsewhere"
    with running(elsewhere) as url:
        pass
    house.environment = {**house.environment, "ARMARIUM_DATABASE_URL": url}
    started = house.up()
    house.wait(lambda: "not started yet; trying again" in house.log)
    refused = house.command("system")
    assert refused.returncode == 1, "a command does not wait"
    assert started.poll() is None
    with running(elsewhere):
        house.link()
        house.wait(lambda: answers(house))
        house.end()


def test_an_open_page_does_not_hold_up_the_end(house: LivingHouse) -> None:
    web = house.start("web")
    house.wait(lambda: answers(house))
    link = house.command("accounts", "add", "ada", "--role", "administrator").stdout
    assert "/welcome/" in link
    with httpx.Client(timeout=PATIENCE) as browser:
        sign_in(browser, re.findall(r"http://\S+/welcome/\S+", link)[0])
        with browser.stream("GET", house.address + "/live", params={"topic": "tasks"}, timeout=30) as stream:
            lines = stream.iter_lines()
            next(lines)
            web.send_signal(signal.SIGTERM)
            list(lines)  # the stream comes to an end, and is not cut off
    assert web.wait(PATIENCE) == 0
    assert '"event": "draining"' in house.log
