"""Kill -9 at random while tasks run: in the end every task has run to its end and nothing is stuck."""

import random
from pathlib import Path

import psutil
import pytest

from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.notify.model import Notification, Severity
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from tests.acceptance.house.conftest import LivingHouse
from tests.acceptance.house.test_up import answers, sendings

TASKS_PER_KILL = 4
TASKS_AT_ONCE = 4  # tasks.concurrency, in one worker


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


def victims(house: LivingHouse, chance: random.Random) -> dict[str, psutil.Process]:
    """One process of the house, or now and then all of them."""
    living = house.processes()
    if chance.random() < 0.25 or not living:
        return living
    name = chance.choice(sorted(living))
    return {name: living[name]}


def marks(diary: Path, what: str) -> dict[int, int]:
    """How often each sending began, was done, or ran twice at the same time."""
    return {int(file.stem): file.stat().st_size for file in diary.glob(f"*.{what}")}


@pytest.mark.timeout(600)
def test_every_task_runs_to_its_end_through_kills_at_random(
    house: LivingHouse, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A longer run: pytest tests/acceptance/house/test_kills.py --kills 200 --seed 7 --timeout 3600."""
    kills, seed = request.config.getoption("--kills") or 3, request.config.getoption("--seed")
    chance = random.Random(seed)
    up = house.up()
    house.link()
    defer_many(house, kills * TASKS_PER_KILL)
    killed, met = 0, set[str]()
    while killed < kills or not any(name.startswith("worker") for name in met):
        chosen = victims(house, chance)
        killed, met = killed + 1, met | set(chosen)
        house.kill(*chosen.values())
        # One does not go on without the other; and a start too early, while the other still ends, is refused.
        if {"up", "supervisor"} & set(chosen) or up.poll() is not None:
            up.wait()
            up = house.up()
        # Long enough for something to run again, short enough to hit it while it starts.
        house.wait_a_moment(chance.uniform(0.2, 2.0))
    house.wait(lambda: answers(house), patience=120)
    house.wait(lambda: all(task["state"] == "finished" for task in sendings(house)), patience=60 + 5 * kills)

    numbered = [task["arguments"] for task in sendings(house) if task["arguments"]["channel"] == "diary"]
    diary = tmp_path / "diary"
    begun, done = marks(diary, "begun"), marks(diary, "done")
    assert {arguments["notification"] for arguments in numbered} == set(done), f"seed {seed}"
    assert len(done) >= kills * TASKS_PER_KILL
    assert marks(diary, "twice") == {}, f"seed {seed}: these ran twice at the same time"
    # A kill may cost a worker's tasks one run each, and nothing else costs any.
    assert sum(begun.values()) <= len(begun) + killed * TASKS_AT_ONCE, f"seed {seed}"
    assert sum(done.values()) <= sum(begun.values())
    assert {"up", "supervisor", "web", "postgres"} <= set(house.processes())
