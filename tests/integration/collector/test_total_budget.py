"""Two real collectors crawl two jobs of one run: together they bring what its budget says, and no more."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.core.collecting import BUDGET_SPENT
from armarium.db.database import Database
from armarium.planning.budgets import Share, share_out
from armarium.planning.tables.harvests import harvest_run
from tests.integration.collector.collecting import collecting, eventually
from tests.integration.collector.test_real_site import PLANNING, enrolment, is_done
from tests.integration.harvest.crawl.harvesting import QUICK
from tests.integration.harvest.crawl.website import Website, links, website
from tests.integration.planning.collectors.test_endings import history
from tests.integration.planning.collectors.world import World
from tests.site import RunningSite, running_site

LARGE, SMALL = 60, 6  # pages
BEGUN, RAISED = 10, 30  # objects


def chain(pages: int) -> dict[str, Any]:
    """Each page leads to the next."""
    return {f"/{number or ''}": links(f"/{number + 1}") for number in range(pages)}


@pytest.fixture
def large() -> Iterator[Website]:
    with website(chain(LARGE)) as web:
        yield web


@pytest.fixture
def small() -> Iterator[Website]:
    """Slow enough for the other one to wait for it."""
    with website(chain(SMALL - 1) | {f"/{SMALL - 1}": links()}, seconds=2) as web:
        yield web


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path / "server", **PLANNING) as site:
        yield site


def budgeted(world: World, *webs: Website) -> list[int]:
    order = {**QUICK, "scope": {"max_hops": 1000, "contain_traps": False}, "limits": {"min_free_disk": 0}}
    jobs = [world.job(f"127.0.0.1:{web.port}", order=order, estimate=100) for web in webs]
    world.change(sa.update(harvest_run).values(total_objects=BEGUN))
    with world.database.transaction() as connection:
        share_out(connection, connection.execute(sa.select(harvest_run.c.id)).scalar_one())
    return jobs


def waits(world: World, number: int) -> bool:
    return bool((world.row(number).report.get("report") or {}).get("waits_for_budget"))


def test_two_jobs_keep_one_budget_also_when_it_is_raised_while_they_run(
    database: Database, site: RunningSite, large: Website, small: Website, tmp_path: Path
) -> None:
    world = World(database, tmp_path / "server", PLANNING)
    first, second = budgeted(world, large, small)
    codes = [enrolment(world), enrolment(world)]
    with (
        collecting(tmp_path / "one", site.address, enrolment=codes[0], name="one"),
        collecting(tmp_path / "two", site.address, enrolment=codes[1], name="two"),
    ):
        eventually(lambda: waits(world, first))
        assert len(large.asked) == BEGUN // 2
        assert len(small.asked) <= BEGUN // 2
        site.house.harvests.raise_budget(SYSTEM, 1, 1, Share(RAISED))
        eventually(lambda: is_done(site, world, first) and is_done(site, world, second))

    assert (len(large.asked), len(small.asked)) == (RAISED - SMALL, SMALL)
    assert (world.row(first).objects, world.row(second).objects) == (RAISED - SMALL, SMALL)
    assert world.row(first).outcome == BUDGET_SPENT
    reasons = [next(iter(history(world, number).values()))[2] for number in (first, second)]
    assert reasons == ["total-budget", "complete"]
    run = site.house.harvests.run(1, 1)
    assert (run.objects, run.total_objects, run.left_objects, run.cut_off) == (RAISED, RAISED, 0, 1)
