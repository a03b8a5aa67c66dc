"""From the page of a job to the next harvest: look, find the gaps, hand them over."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.db.database import Database
from armarium.planning.harvests.service import Harvests
from tests.browser.conftest import NewPage
from tests.browser.soundness import assert_all_sound
from tests.browser.steps import enter
from tests.integration.access.viewings.reading import both_sites
from tests.integration.access.viewings.world import ViewerWorld
from tests.integration.access.world import Page as Capture
from tests.site import RunningSite

START = """<!doctype html><title>Start</title><h1>A small site</h1>
<p><img src="/logo.png" alt="logo"> <a href="/news">News</a> <a href="/gone">An old page</a>"""
PAGES = [
    Capture("http://a.example/", START),
    Capture("http://a.example/news", "<!doctype html><title>News</title><h1>All the news</h1>"),
]
ELSEWHERE = [Capture("http://a.example/gone", "<!doctype html><title>Gone</title><h1>Of another job</h1>")]
PICTURE, GONE = "http://a.example/logo.png", "http://a.example/gone"


@pytest.fixture
def there(database: Database, tmp_path: Path) -> Iterator[ViewerWorld]:
    """A job with a gap, and another one that brought what is missing in the first."""
    world = ViewerWorld(database, tmp_path / "home")
    world.harvested("a.example", captures=PAGES)
    world.harvested("b.example", captures=ELSEWHERE)
    yield world
    world.close()


@pytest.fixture
def site(there: ViewerWorld) -> Iterator[RunningSite]:
    with both_sites(there) as running:
        running.account("cora", Role.CURATOR)
        yield running


def test_from_a_job_to_its_gaps_to_the_next_harvest(
    page: Page, there: ViewerWorld, site: RunningSite
) -> None:
    enter(page, site, "cora")
    page.goto("/harvesting/jobs/1")
    page.get_by_role("button", name="Start viewing").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("harvest: 1")
    expect(page.get_by_text("Nothing missing so far")).to_be_visible()
    with page.expect_popup() as everything:
        page.get_by_role("link", name="Browse").click()
    expect(everything.value.get_by_role("heading", level=1)).to_be_visible()
    assert everything.value.url.endswith("/viewing-1/")
    page.get_by_role("link", name="Jobs and files").click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="http://a.example/", exact=True).click()
    browsing = opened.value
    archived = browsing.frame_locator("iframe")
    expect(archived.get_by_role("heading", name="A small site")).to_be_visible()
    assert "/viewing-1/" in browsing.url
    archived.get_by_role("link", name="News").click()
    expect(archived.get_by_role("heading", name="All the news")).to_be_visible()
    browsing.go_back()
    archived.get_by_role("link", name="An old page").click()
    # Another job has it, which this viewing must not show.
    expect(archived.get_by_role("heading", level=1)).to_be_visible()
    expect(archived.get_by_text("Of another job")).to_have_count(0)

    page.get_by_role("link", name="Missing addresses").click()
    row = page.get_by_role("row").filter(has_text=PICTURE)
    expect(row).to_contain_text("Pictures")
    expect(row).to_contain_text("from http://a.example/")
    expect(page.get_by_role("row").filter(has_text=GONE)).to_contain_text("Pages")
    page.get_by_role("checkbox", name=PICTURE).check()
    page.get_by_role("checkbox", name=GONE).check()
    page.get_by_label("Name of the new harvest").fill("Gaps of job 1")
    page.get_by_role("button", name="Add to harvest").click()
    expect(page.get_by_text("Added to the harvest Gaps of job 1.")).to_be_visible()
    page.get_by_role("link", name="Go to harvest").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Gaps of job 1")
    harvest = there.services.get(Harvests).named("Gaps of job 1")
    assert harvest.runs == 1
    assert there.seeds() == [GONE, PICTURE]


def test_the_list_grows_while_somebody_browses_and_keeps_what_was_ticked(
    page: Page, there: ViewerWorld, site: RunningSite
) -> None:
    enter(page, site, "cora")
    page.goto("/harvesting/jobs/1")
    page.get_by_role("button", name="Start viewing").click()
    there.viewings.note_missing(1, GONE, "", "")
    expect(page.get_by_role("checkbox", name=GONE)).to_be_visible()
    page.get_by_role("checkbox", name=GONE).check()
    page.get_by_label("Name of the new harvest").fill("Half typ")
    there.viewings.note_missing(1, PICTURE, "", "")
    expect(page.get_by_role("checkbox", name=PICTURE)).to_be_visible()
    expect(page.get_by_role("checkbox", name=GONE)).to_be_checked()
    expect(page.get_by_label("Name of the new harvest")).to_have_value("Half typ")


def test_the_page_of_a_job_shows_what_it_brought_once_that_is_indexed(
    page: Page, there: ViewerWorld, site: RunningSite
) -> None:
    number = there.job("c.example")
    enter(page, site, "cora")
    page.goto(f"/harvesting/jobs/{number}")
    expect(page.get_by_text("Live")).to_be_visible()
    expect(page.locator("#job-panel")).to_be_hidden()  # as long as it waits
    there.done(number, captures=PAGES)
    expect(page.get_by_text("In the archive: 2 captures in 2 files")).to_be_visible()
    expect(page.get_by_role("button", name="Start viewing")).to_be_visible()


@pytest.mark.timeout(600)
def test_the_pages_of_viewings_are_accessible_and_fit_their_width(
    new_page: NewPage, there: ViewerWorld, site: RunningSite
) -> None:
    page = new_page()
    enter(page, site, "cora")
    page.goto("/harvesting/jobs/1")
    page.get_by_role("button", name="Start viewing").click()
    page.wait_for_url("**/access/viewings/1")
    long = "http://a.example/" + "a-long-word-without-any-break" * 10 + ".css?x=1"
    there.miss(there.viewings.page(there.everybody, limit=1)[0][0], PICTURE, GONE, long, referrer=long)
    paths = ("", "/new", "/1", "/1?kind=image", "/1?kind=font", "/1/jobs", "/1/jobs/1", "/1/edit")
    assert_all_sound(page, (f"/access/viewings{path}" for path in paths))
    assert_all_sound(page, ("/access/viewings?of=everybody", "/access/panels/job/1", "/harvesting/jobs/1"))


def test_everything_works_without_scripts(new_page: NewPage, there: ViewerWorld, site: RunningSite) -> None:
    page = new_page(scripts=False)
    enter(page, site, "cora")
    page.goto("/access/viewings/new")
    page.get_by_label("Jobs", exact=True).fill("1-2")
    page.get_by_role("button", name="Start viewing").click()
    there.miss(there.viewings.page(there.everybody, limit=1)[0][0], PICTURE, GONE)
    page.reload()
    page.get_by_role("checkbox", name=PICTURE).check()
    page.get_by_role("button", name="Remove from list").click()
    expect(page.get_by_text("Addresses removed: 1.")).to_be_visible()
    expect(page.get_by_role("checkbox", name=GONE)).to_be_visible()
    expect(page.get_by_role("checkbox", name=PICTURE)).to_have_count(0)
