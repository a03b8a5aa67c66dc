"""The pages of the index: every width, both themes, and without scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.index.chain.model import Choice
from tests.browser.conftest import NewPage
from tests.browser.soundness import assert_all_sound
from tests.browser.steps import enter
from tests.integration.index.world import MONTHS, NEWS, World
from tests.site import RunningSite, running_site

PAGES = (
    f"/index/lookup?url={NEWS}&order=newest",
    "/index/lookup?url=www.example.org&match=host&status=many",
    "/index/lookup?url=nothing.example",
    "/index/chain/rebuild",
    "/index/collections/new",
    "/index/collections/1",
    "/index/collections/2",
    "/index/collections/2/edit",
    "/index/files/1",
)


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    """With captures, a collection, merges, and a file that could not be indexed."""
    world = World(database, tmp_path / "home")
    world.take(*MONTHS)
    world.index()
    world.chain.merge_big(now=bool(world.chain.merge_days()))
    world.take("2026-05")
    world.fail("attic-2026-05-0", "The gzip member at byte 4096 is cut off.")
    with running_site(database, world.home) as running:
        running.account("ada", Role.ADMINISTRATOR)
        collections = world.chain.collections
        added = collections.add(SYSTEM, "attic", Choice("Attic", [3], [1]))
        collections.fill(added.id)
        yield running
        running.house.close()
    world.house.close()


@pytest.mark.timeout(600)
def test_the_pages_of_the_index_are_accessible_and_fit_their_width(
    new_page: NewPage, site: RunningSite
) -> None:
    page = new_page()
    enter(page, site, "ada")
    assert_all_sound(page, PAGES)


def test_captures_are_found_month_by_month_without_scripts(new_page: NewPage, site: RunningSite) -> None:
    page = new_page(scripts=False)
    enter(page, site, "ada")
    page.goto("/index/lookup")
    page.get_by_label("Address").fill("www.example.org/news")
    page.get_by_role("button", name="Find", exact=True).click()
    page.get_by_role("link", name="January 2026, captures: 2").click()
    expect(page.get_by_role("row")).to_have_count(3)
    expect(page.get_by_label("From")).to_have_value("202601")
