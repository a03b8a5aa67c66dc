"""Kill -9 at random while tasks run: in the end every task has run to its end and nothing is stuck."""

import random
from pathlib import Path
from typing import Any

import psutil
import pytest

from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.notify.model import Notification, Severity
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from tests.acceptance.house.conftest import LivingHouse
from tests.acceptance.house.test_up import answers

TASKS_PER_KILL = 4


def defer_many(house: LivingHouse, count: int) -> None:
    """What a room does: notify inside a transaction of its own."""
    settings = load(SECTIONS, home=house.home, environ=dict(house.environment))
    with running(house.home) as url:
        database = Database(url, application="test")
        assembled = House(settings, database)
        for number in range(count):
            with database.transaction() as connection:
                about = message("Number %(number)s", number=number)
                assembled.notifier.notify(
                    connection, Notification(Severity.INFORMATION, about, about, key=f"number {number}")
                )
        database.close()


def victims(house: LivingHouse, chance: random.Random) -> list[psutil.Process]:
    """One process of the house, or now and then all of them."""
    living = house.processes()
    if chance.random() < 0.25:
        return list(living.values())
    return [living[chance.choice(sorted(living))]] if living else []


def sendings(house: LivingHouse) -> list[dict[str, Any]]:
    return house.listed("tasks", "list", "--name", "notify.send", "--most", "100000")


def test_every_task_runs_to_its_end_through_kills_at_random(
    house: LivingHouse, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A longer run: pytest tests/acceptance/house/test_kills.py --kills 200 --seed 7 --timeout 3600."""
    kills, seed = request.config.getoption("--kills"), request.config.getoption("--seed")
    chance = random.Random(seed)
    up = house.up()
    house.link()
    defer_many(house, kills * TASKS_PER_KILL)
    for _ in range(kills):
        house.kill(*victims(house, chance))
        if "up" not in house.processes():
            up.wait()
            up = house.up()
        # Long enough for something to run again, short enough to hit it while it starts.
        house.wait_a_moment(chance.uniform(0.2, 3.0))
    house.wait(lambda: answers(house))
    house.wait(lambda: all(task["state"] == "finished" for task in sendings(house)), patience=60 + 5 * kills)

    numbered = [task["arguments"] for task in sendings(house) if task["arguments"]["channel"] == "diary"]
    done = {int(file.stem) for file in (tmp_path / "diary").glob("*.done")}
    assert {arguments["notification"] for arguments in numbered} == done, f"seed {seed}"
    assert len(done) >= kills * TASKS_PER_KILL
    assert {"up", "web", "scheduler", "postgres"} <= set(house.processes())
