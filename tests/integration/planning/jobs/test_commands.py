"""`armarium plan jobs` and `armarium plan domains history`."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.core.services import Services
from armarium.db.database import Database
from armarium.planning.commands import plan_commands
from armarium.planning.model import JobState
from armarium.server.assembly import House
from armarium.settings import Settings
from armarium.terminal.session import Session
from tests.integration.planning.jobs.world import state_of, world_in

S = JobState
Plan = Callable[..., Result]


@pytest.fixture
def plan(house: House) -> Plan:
    """The commands, in the house of this test."""

    @contextmanager
    def enter(_: Settings) -> Iterator[Services]:
        yield house.services()

    session = Session(load=lambda: house.settings, enter=enter)
    return lambda *words: CliRunner().invoke(plan_commands, list(words), obj=session)


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_jobs_are_listed_shown_and_resubmitted(plan: Plan, database: Database) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        broken, waits = world.job(S.FAILED), world.job(S.NEW)
    listed = told(plan("jobs", "list", "--state", "failed", "--json"))
    assert [one["id"] for one in listed["items"]] == [broken]
    assert "Sites of the day" in plan("jobs", "list").output
    assert "heartbeat" in told(plan("jobs", "show", str(waits), "--json"))["why_waiting"]
    assert told(plan("jobs", "resubmit", str(broken), "--json"))["changed"] == [broken]
    left = plan("jobs", "resubmit", str(broken))
    assert (left.exit_code, "Left as they were" in left.output) == (1, True)
    assert plan("jobs", "cancel", str(waits)).exit_code == 0
    assert state_of(database, waits) == "cancelled"


def test_a_rejection_can_be_undone_from_a_shell(plan: Plan, database: Database) -> None:
    with database.transaction() as connection:
        number = world_in(connection).job(S.FAILED)
    assert plan("jobs", "reject", str(number), "--reason", "gone").exit_code == 0
    assert state_of(database, number) == "rejected"
    assert plan("jobs", "reject", str(number), "--undo").exit_code == 0
    assert state_of(database, number) == "failed"


def test_a_running_job_is_steered_and_its_answer_read(plan: Plan, database: Database) -> None:
    with database.transaction() as connection:
        number = str(world_in(connection).job(S.STARTED))
    for words in (
        ("pause",),
        ("resume",),
        ("checkpoint",),
        ("terminate",),
        ("budget", "example.fr", "--objects", "-1"),
        ("filter", "/cal/", "--preview"),
    ):
        assert told(plan("jobs", words[0], number, *words[1:], "--json"))["verb"] == words[0]
    command = told(plan("jobs", "log", number, " 404 ", "--json"))["id"]
    with database.transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE job_command SET answered_at = now(), accepted = true, "
            """answer = '{"lines": ["a line"], "searched": 3, "complete": true}'"""
        )
    assert "a line" in plan("jobs", "answer", str(command)).output


def test_the_history_of_a_domain_is_shown(plan: Plan, database: Database) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        number = world.job(S.DONE)
        world.holds(number, world.domain("example.fr"), objects=7, bytes=70, stop_reason="complete")
    assert told(plan("domains", "history", "example.fr", "--json"))["total"]["objects"] == 7
    assert "complete" in plan("domains", "history", "www.example.fr").output
