"""A collector and the real server: a whole job, a kill, a command, and a revoked machine."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.planning.tables.harvests import arrival
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.model import FileFilter
from armarium.storage.model import FileState
from tests.integration.collector.collecting import collecting, eventually
from tests.integration.harvest.crawl.harvesting import QUICK
from tests.integration.harvest.crawl.website import Website, links, website
from tests.integration.planning.collectors.world import World
from tests.site import RunningSite, running_site

PAGES = 20
PLANNING = {"ARMARIUM_PLANNING_LEASE_SECONDS": "5", "ARMARIUM_PLANNING_LEASE_WAIT_SECONDS": "1"}


@pytest.fixture
def web() -> Iterator[Website]:
    pages = {f"/{number}": links(f"/{number + 1}") for number in range(1, PAGES)}
    with website({"/": links("/1"), **pages, f"/{PAGES}": links()}, seconds=0.05) as web:
        yield web


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path / "server", **PLANNING) as site:
        yield site


@pytest.fixture
def world(site: RunningSite, database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path / "server", PLANNING)


def job_for(world: World, web: Website) -> int:
    order: dict[str, Any] = {
        **QUICK,
        "name": "job-1",
        "scope": {"max_hops": 1000, "contain_traps": False},
        "limits": {"min_free_disk": 0},
        "recording": {"max_file_bytes": 20_000},
    }
    return world.job(f"127.0.0.1:{web.port}", order=order)


def enrolment(world: World) -> str:
    return world.collectors.new_code(SYSTEM).code


def arrivals(world: World, number: int) -> list[Any]:
    return world.rows(sa.select(arrival).where(arrival.c.job == number))


def is_done(site: RunningSite, world: World, number: int) -> bool:
    """There is no worker here: whatever has landed is stored now."""
    files = site.house.storage.files
    sought = FileFilter(state=FileState.STORING)
    landed, _ = Catalogue(site.house.database).page(sought, limit=100)
    for file in landed:
        files.store(file.id)
    return bool(world.row(number).state == "done")


def test_a_job_goes_through_although_its_collector_is_killed(
    site: RunningSite, world: World, web: Website, tmp_path: Path
) -> None:
    number = job_for(world, web)
    with collecting(tmp_path / "home", site.address, enrolment=enrolment(world)) as machine:
        eventually(lambda: machine.logged(number) > 2)
        machine.kill()
        assert world.row(number).state != "done"
        machine.start()
        eventually(lambda: is_done(site, world, number))
        eventually(lambda: not (machine.work / str(number)).exists())
    files = arrivals(world, number)
    assert {file.kind for file in files} == {"data", "metadata", "index"}
    files = [file for file in files if file.kind != "index"]
    assert {file.state for file in files} == {"stored"}
    for file in files:
        for replica in ("one", "two"):
            [copy] = (tmp_path / "server" / "replicas" / replica).rglob(file.name)
            assert sha256(copy.read_bytes()).hexdigest() == file.sha256
    assert world.row(number).objects == PAGES + 1
    assert [attempt for attempt, _ in world.attempts(number)] == [1, 2]
    assert world.attempts(number)[-1] == (2, "done")
    assert web.paths.count("/1") == 1


def test_a_revoked_collector_crawls_no_further(
    site: RunningSite, world: World, web: Website, tmp_path: Path
) -> None:
    number = job_for(world, web)
    with collecting(tmp_path / "home", site.address, enrolment=enrolment(world)) as machine:
        eventually(lambda: machine.logged(number) > 2)
        world.collectors.revoke(SYSTEM, world.collectors.named("alpha").id)
        assert machine.wait() == 78
        assert not machine.engines()
        assert "is revoked" in machine.log
        assert (machine.work / str(number)).exists()
    world.leases.expire()
    assert world.row(number).state == "new"
