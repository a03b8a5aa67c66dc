"""Repairs and audits killed with -9 between any two steps, and gone on with."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from armarium.db.database import Database
from armarium.storage.backends.place import Place
from armarium.storage.model import AuditKind, CopyState, RepairState, RunState
from armarium.storage.repairs.execution import Execution
from tests.integration.storage.audits.world import World

NAME = "one.warc.gz"


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before(call: Callable[..., Any]) -> Callable[..., Any]:
    return die


def after(call: Callable[..., Any]) -> Callable[..., Any]:
    def done_and_dead(*arguments: Any, **more: Any) -> None:
        call(*arguments, **more)
        die()

    return done_and_dead


STEPS: dict[str, tuple[str, Callable[..., Any]]] = {
    "before it is moved aside": ("set_aside", before),
    "after it was moved aside": ("set_aside", after),
    "before the good one is put": ("put", before),
    "after the good one was put": ("put", after),
    "before the end is written": ("_read_back", before),
}


def killed(world: World, work: Callable[[World], object], verb: str, when: Callable[..., Any]) -> None:
    """Do the work in another process, which is killed at the step."""

    def in_child() -> None:
        database = Database(world.database.url, application="child")
        child = World(database, world.home, folders=0)
        target: Place | Execution = child.replicas.place(child.replica("b"))
        if verb.startswith("_"):
            target = child.repairs._execution
        object.__setattr__(target, verb, when(getattr(target, verb)))
        work(child)

    process = multiprocessing.get_context("fork").Process(target=in_child)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("step", STEPS)
def test_a_repair_that_was_killed_goes_on_and_nothing_is_lost(world: World, step: str) -> None:
    file = world.store(NAME)
    good, bad = world.content("a", NAME), world.flip("b", NAME)
    world.audit("b")
    number = world.repair_of("b").id
    killed(world, lambda child: child.repairs.carry_out(number), *STEPS[step])
    assert world.repairs.get(number).state is RepairState.RUNNING
    assert {world.content(name, NAME) for name in "ac"} == {good}
    assert world.repairs.carry_out(number) is RepairState.DONE
    assert world.content("b", NAME) == good
    assert world.state("b", file) == CopyState.ACCEPTED
    assert [path.read_bytes() for path in world.asides("b")] == [bad]
    (aside,) = world.events("aside")
    assert aside["key"] == f"aside/{world.asides('b')[0].name}"
    assert world.repairs.get(number).aside == aside["key"]


def test_an_audit_that_was_killed_goes_on_and_counts_each_file_once(world: World, tmp_path: Path) -> None:
    files = [world.store(f"{number}.warc.gz") for number in range(3)]
    world.flip("b", files[1].name)
    number = world.audits.start(world.person("ada"), world.replica("b").id, AuditKind.CHECKSUM)
    killed(world, lambda child: child.audits.carry_on(number), "sums", after)
    assert world.audits.get(number).state is RunState.RUNNING
    assert world.audits.carry_on(number) is RunState.FINISHED
    run = world.audits.get(number)
    assert (run.files, run.ok, run.corrupt) == (3, 2, 1)
    assert len(world.found_repairs()) == 1
