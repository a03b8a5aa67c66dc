"""The page after sign-in, as people see it: sound for all, calm, and up to date by itself."""

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.db.announce import announce
from armarium.db.database import Database
from tests.browser.conftest import NewPage
from tests.browser.soundness import EVERY_LOOK, assert_sound
from tests.browser.steps import enter, wait_on
from tests.busy import fill, own
from tests.site import RunningSite

NARROW = {"width": 390, "height": 800}


@pytest.fixture
def busy(site: RunningSite, database: Database) -> RunningSite:
    fill(database)
    site.account("ada", Role.ADMINISTRATOR)
    return site


def test_it_is_sound_with_everything_on_it(page: Page, busy: RunningSite) -> None:
    enter(page, busy, "ada")
    page.goto("/")
    expect(page.get_by_role("heading", name="The year")).to_be_visible()
    for summary in page.locator("summary", has_text="Numbers").all():
        summary.click()
    expect(page.get_by_role("img", name="Objects harvested")).to_be_visible()
    assert_sound(page, *EVERY_LOOK)


def test_the_report_is_sound_and_on_paper_without_the_menu(page: Page, busy: RunningSite) -> None:
    enter(page, busy, "ada")
    page.goto("/report")
    expect(page.get_by_role("heading", name="Forecast of storage")).to_be_visible()
    assert_sound(page, *EVERY_LOOK)
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Menu")).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_a_new_house_is_sound_and_leads_to_the_first_step(new_page: NewPage, site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    page = new_page(viewport=NARROW)
    enter(page, site, "ada")
    page.goto("/")
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    assert_sound(page)
    page.get_by_role("link", name="Create a collection").click()
    expect(page).to_have_url(f"{site.address}/selection/collections/new")


def test_the_keyboard_leads_straight_to_the_work(
    new_page: NewPage, site: RunningSite, database: Database
) -> None:
    fill(database)
    own(database, site.account("lia", Role.LIBRARIAN), "lia", "Press")
    page = new_page(scripts=False)
    enter(page, site, "lia")
    page.goto("/")
    page.locator("#main").focus()
    page.keyboard.press("Tab")  # to the help of this page
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Your rejected records")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.address}/selection/tray#refused")


def test_it_renews_itself_and_leaves_the_reader_where_they_are(
    new_page: NewPage, busy: RunningSite, database: Database
) -> None:
    page = new_page(viewport=NARROW)
    enter(page, busy, "ada")
    page.goto("/")
    page.get_by_text("Numbers").first.click()
    link = page.get_by_role("link", name="Failed jobs: 6")
    link.focus()  # which scrolls, too
    focused = page.evaluate("window.scrollY")
    page.mouse.wheel(0, 300)
    wait_on(page, lambda: page.evaluate("window.scrollY") > focused)
    before = page.evaluate("window.scrollY")
    expect(page.locator("[data-live-sign]")).to_have_text("Live")
    with database.transaction() as connection:
        connection.execute(
            sa.text("UPDATE selection_record SET state = 'validated' WHERE state = 'proposed'")
        )
        connection.execute(sa.text("UPDATE job SET objects = 4321 WHERE state = 'started'"))
        announce(connection, "records")
    expect(page.get_by_role("link", name="Proposals to decide")).to_have_count(0)
    expect(page.get_by_text("4,321 objects").first).to_be_visible()
    expect(link).to_be_focused()
    assert page.evaluate("window.scrollY") == before
    expect(page.locator(".plot details[open]")).to_have_count(1)


#: Stands in for the browser's stream, and is faster than any house: it never pauses long enough.
RESTLESS = """
window.EventSource = class extends EventTarget {
  static CLOSED = 2;
  readyState = 1;
  constructor() {
    super();
    setTimeout(() => this.dispatchEvent(new Event("open")));
    this.going = setInterval(() => this.dispatchEvent(new MessageEvent("changed", { data: "records" })), 20);
  }
  close() {
    clearInterval(this.going);
  }
};
"""


def test_a_house_that_changes_all_the_time_is_shown_as_it_is(
    new_page: NewPage, busy: RunningSite, database: Database
) -> None:
    page = new_page()
    page.add_init_script(RESTLESS)
    enter(page, busy, "ada")
    page.goto("/")
    expect(page.locator("[data-live-sign]")).to_have_text("Live")
    expect(page.get_by_role("link", name="Proposals to decide")).to_be_visible()
    with database.transaction() as connection:
        decided = "UPDATE selection_record SET state = 'validated' WHERE state = 'proposed'"
        connection.execute(sa.text(decided))
    expect(page.get_by_role("link", name="Proposals to decide")).to_have_count(0)
