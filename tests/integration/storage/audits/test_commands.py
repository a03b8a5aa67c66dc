"""`armarium store audits` and `armarium store repairs`."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from armarium.core.services import Services
from armarium.db.database import Database
from armarium.settings import Settings, load
from armarium.storage.audits.commands import audits_commands
from armarium.storage.repairs.commands import repairs_commands
from armarium.terminal.session import Session
from tests.integration.storage.audits.world import World

Command = Callable[..., Result]


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path / "home", folders=2, automatic_repairs=False)


@pytest.fixture
def store(world: World) -> Command:
    @contextmanager
    def enter(_: Settings) -> Iterator[Services]:
        yield Services([world.audits, world.repairs, world.replicas])

    both = typer.Typer()
    both.add_typer(audits_commands, name="audits")
    both.add_typer(repairs_commands, name="repairs")
    session = Session(load=lambda: load((), home=world.home), enter=enter)
    return lambda *words: CliRunner().invoke(both, list(words), obj=session)


def told(result: Result, code: int = 0) -> Any:
    assert result.exit_code == code, result.output
    return json.loads(result.output)


def test_an_audit_is_started_listed_shown_and_cancelled(store: Command, world: World) -> None:
    world.store("one.warc.gz")
    started = told(store("audits", "start", "a", "--kind", "presence", "--json"))
    assert (started["replica"], started["state"]) == ("a", "waiting")
    number = str(started["id"])
    assert [one["id"] for one in told(store("audits", "list", "--json"))] == [started["id"]]
    assert told(store("audits", "cancel", number, "--json"))["state"] == "cancelled"
    assert told(store("audits", "show", number, "--json"))["damages"] == []
    assert "presence" in store("audits", "list").output
    assert "It found no damage." in store("audits", "show", number).output


def test_health_is_told_by_the_exit_code_too(store: Command, world: World) -> None:
    world.store("one.warc.gz")
    assert all(one["well"] for one in told(store("audits", "health", "--json")))
    world.flip("b", "one.warc.gz")
    world.audit("b")
    assert {one["name"] for one in told(store("audits", "health", "--json"), 1) if not one["well"]} == {"b"}
    assert "100.0 %" in store("audits", "health").output


def test_a_repair_is_listed_shown_approved_or_refused(store: Command, world: World) -> None:
    for name in ("one.warc.gz", "two.warc.gz"):
        world.store(name)
        world.flip("b", name)
    world.audit("b")
    world.repair_all()
    waiting = told(store("repairs", "list", "--waiting", "--json"))
    assert len(waiting) == 2
    first, second = (str(one["id"]) for one in waiting)
    assert told(store("repairs", "show", first, "--json"))["votes"]["outcome"] == "clear"
    assert "register" in store("repairs", "show", first).output
    assert told(store("repairs", "approve", first, "--json"))["state"] == "approved"
    assert told(store("repairs", "reject", second, "--why", "evidence", "--json"))["state"] == "refused"
    world.repair_all()
    assert "done" in store("repairs", "list").output


def test_repairs_are_approved_decided_and_refused_in_bulk(store: Command, world: World) -> None:
    for name in ("one.warc.gz", "two.warc.gz", "even.warc.gz"):
        world.store(name)
        world.flip("b", name)
    world.overwrite("sums", "even.warc.gz", b"{")
    world.overwrite("a", "even.warc.gz", world.content("b", "even.warc.gz"))
    world.audit("b")
    world.repair_all()
    votes = {one["file"]: one["vote"] for one in told(store("repairs", "list", "--waiting", "--json"))}
    assert votes["one.warc.gz"] == "a right; b other; sums right"
    held = f"{hashlib.sha256(world.content('b', 'even.warc.gz')).hexdigest()[:8]} (nothing, 0 records)"
    assert votes["even.warc.gz"] == f"a {held}; b {held}; sums unreadable"
    assert store("repairs", "approve").exit_code == 2
    assert told(store("repairs", "approve", "--all", "--replica", "a", "--json")) == {"done": 0, "left": []}
    assert told(store("repairs", "approve", "--all", "--json")) == {"done": 2, "left": []}
    left = told(store("repairs", "decide-all", "--all", "--reason", "likely", "--json"), 1)
    assert (left["done"], len(left["left"])) == (0, 1)
    slip = store("repairs", "decide-all", "--all", "--like=bb", "--reason=x")
    assert "no replica named bb" in str(slip.exception)
    decided = told(store("repairs", "decide-all", "--all", "--like", "b", "--reason", "tape", "--json"))
    assert decided == {"done": 1, "left": []}
    assert world.repair_of("b").decided_by


def test_a_tie_is_decided_from_the_shell(store: Command, world: World) -> None:
    file = world.store("one.warc.gz")
    world.overwrite("sums", file.name, b"{")
    world.path("a", file.name).unlink()
    good = world.content("b", file.name)
    world.flip("b", file.name)
    world.audit("b")
    world.repair_all()
    number = world.repair_of("b").id
    shown = store("repairs", "show", str(number)).output
    assert "May be decided for" in shown
    ballot = world.repairs.get(number).ballot
    assert ballot is not None
    sha256 = next(vote.sha256 for vote in ballot.votes if vote.sha256)
    decided = told(store("repairs", "decide", str(number), sha256, "--why", "best there is", "--json"))
    assert decided["state"] == "approved"
    for _ in range(3):
        world.repair_all()
    for repair in world.found_repairs():
        if repair.state == "proposed":
            world.repairs.approve(world.person(f"p{repair.id}"), repair.id)
    world.repair_all()
    assert world.files.get(file.id).sha256 == sha256
    assert world.content("a", file.name) == world.content("b", file.name) != good
