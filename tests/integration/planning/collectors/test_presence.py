"""Collectors among the processes of the system page, and the page that takes a new one in."""

from dataclasses import replace

import pytest

from armarium.core.actor import SYSTEM
from armarium.core.collecting import Machine
from armarium.core.errors import Refused
from armarium.planning.collectors.health import pulse_of
from armarium.planning.collectors.pages import reach_of
from armarium.processes.model import ProcessState
from armarium.processes.service import Processes
from tests.integration.planning.collectors.world import World


def test_a_collector_that_asks_for_work_is_a_process_once(world: World) -> None:
    world.job()
    c = world.crawler()
    task = c.take()
    c.ask(free=0, jobs=[task.job])
    (found,) = Processes(world.database).current()
    assert (found.kind, found.name, found.state) == ("collector", "c1", ProcessState.RUNNING)
    assert found.message == "1 of 1 slot busy."
    assert found.disk_free == 10**12
    world.collectors.change(SYSTEM, c.collector.id, active=False)
    c.ask(free=0, jobs=[task.job])
    (found,) = Processes(world.database).current()
    assert found.state is ProcessState.DRAINING


def test_its_trouble_is_told_with_its_slots(world: World) -> None:
    known = replace(world.crawler().collector, slots=4)
    pulse = pulse_of(known, Machine(slots=2, jobs=(1, 2), trouble="The disk is full."))
    assert pulse.message == "2 of 2 slots busy. The disk is full."


def test_a_new_collector_gets_a_name_that_nobody_has(world: World) -> None:
    world.crawler("collector-1")
    assert world.collectors.free_name() == "collector-2"
    assert world.collectors.free_name("crawler.paris") == "crawler.paris"
    for name in ("collector-1", "With Spaces", "a;b"):
        with pytest.raises(Refused):
            world.collectors.free_name(name)


def test_addresses_that_other_machines_cannot_use_are_known() -> None:
    for address in ("http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000"):
        assert reach_of(address) == "here"
    assert reach_of("http://archive.example") == "http"
    assert reach_of("https://archive.example") == ""
