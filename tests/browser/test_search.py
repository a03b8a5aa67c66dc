"""Searching, saving a search, and editing many records at once, in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.selection.bulk.model import Changes
from armarium.selection.bulk.service import BulkEdits
from armarium.selection.model import Frequency
from armarium.selection.permissions import shell_editor
from armarium.selection.records.writing import Entered
from armarium.selection.search.model import Question, Shared, Sharing
from armarium.selection.search.service import Searches
from tests.browser.conftest import NewPage
from tests.browser.soundness import EVERY_LOOK, assert_sound
from tests.browser.steps import enter
from tests.integration.selection.world import World, world
from tests.site import RunningSite, running_site

LONG = "https://press.example/" + "a-very-long-name-of-a-folder/" * 8


@pytest.fixture
def here(database: Database) -> World:
    """60 records of the press, of which 50 are about Lyon."""
    library = world(database)
    drafts = [
        library.draft(f"https://site{n}.example/", title=f"Site {n} of {'Lyon' if n < 50 else 'Metz'}")
        for n in range(60)
    ]
    library.records.create_many(library.cora, [Entered(one, check=1) for one in drafts])
    library.record(LONG, library.arts)
    return library


@pytest.fixture
def site(here: World, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(here.database, tmp_path / "home") as running:
        lia = running.account("lia", Role.LIBRARIAN)
        here.collections.set_members(SYSTEM, here.press.id, [lia, here.numbers["ada"]])
        yield running


def test_a_librarian_searches_saves_edits_fifty_records_and_undoes_it(page: Page, site: RunningSite) -> None:
    enter(page, site, "lia")
    page.goto("/selection/records")
    expect(page.get_by_text("61 records", exact=True)).to_be_visible()
    page.get_by_label("Title, address, keyword or note").fill("lyon")
    page.keyboard.press("Enter")
    expect(page.get_by_text("50 records", exact=True)).to_be_visible()
    page.get_by_text("Saved searches", exact=True).click()
    page.get_by_label("Save this search as").fill("Sites of Lyon")
    page.get_by_role("button", name="Save the search").click()
    page.get_by_text("Saved searches", exact=True).click()
    expect(page.get_by_role("link", name="Sites of Lyon")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Edit all 50 records found").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Edit 50 records")
    page.get_by_label("Responsible").fill("ada")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="50 records will change")).to_be_visible()
    page.get_by_role("button", name="Change 50 records").click()
    expect(page.get_by_role("heading", name="50 records were changed")).to_be_visible()
    page.goto("/selection/records?responsible=ada")
    expect(page.get_by_text("50 records", exact=True)).to_be_visible()
    page.goto("/selection/bulk")
    page.get_by_role("link", name="1", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone by lia: 50 records are as they were.")).to_be_visible()
    page.goto("/selection/records?responsible=ada")
    expect(page.get_by_text("No records found")).to_be_visible()


def test_records_are_ticked_sorted_and_narrowed_by_keyboard_without_scripts(
    new_page: NewPage, site: RunningSite
) -> None:
    page = new_page(scripts=False)
    enter(page, site, "lia")
    page.goto("/selection/records?q=metz&order=title")
    expect(page.locator("tbody tr").first).to_contain_text("Site 50 of Metz")
    page.get_by_role("link", name="Record", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("tbody tr").first).to_contain_text("Site 59 of Metz")
    for name in ("Select Site 51 of Metz", "Select Site 52 of Metz"):
        page.get_by_role("checkbox", name=name).focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Edit selected").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Edit 2 records")
    page.goto("/selection/records?q=metz&order=title")
    page.get_by_role("link", name="Without Text: metz").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("61 records", exact=True)).to_be_visible()
    page.get_by_text("Narrow down").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Arts", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 record", exact=True)).to_be_visible()


@pytest.mark.timeout(600)
def test_the_pages_are_accessible_and_fit_the_screen(
    new_page: NewPage, here: World, site: RunningSite
) -> None:
    services = site.app.state.services
    lia = shell_editor(SYSTEM)
    owner = site.house.accounts.named("lia").id
    searches: Searches = services.get(Searches)
    mine = searches.save(lia, "Mine", Question(q="lyon"), owner=owner)
    searches.save(lia, "Shared", Question(active=True), Sharing(Shared.EVERYBODY), owner=here.numbers["ada"])
    bulk: BulkEdits = services.get(BulkEdits)
    ada = bulk.preview(here.ada, Question(), Changes(frequency=Frequency.DAILY, keywords_add=("a", "b")))
    page = new_page()
    enter(page, site, "lia")
    for path in (
        "/selection/records",
        "/selection/records?q=lyon&state=validated&created_from=2020-01-01&collection=1&order=-title",
        "/selection/records?created_from=never",
        "/selection/records?q=nothing-of-this",
        "/selection/searches",
        f"/selection/searches/{mine.id}",
        "/selection/bulk/new?which=all&search=q%3Dlyon",
        "/selection/bulk",
        f"/selection/bulk/{ada.id}",
        f"/selection/bulk/{ada.id}/refused/not-yours",
    ):
        page.goto(path)
        for summary in page.locator("main details:not(.menu-drop) > summary").all():
            summary.click()
        assert_sound(page, *EVERY_LOOK)
