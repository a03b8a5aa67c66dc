"""The shell of the site: every page, every width, both themes, keyboard, live parts."""

import pytest
from playwright.sync_api import Page, Route, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from tests.browser.conftest import PHONE, NewPage
from tests.browser.soundness import EVERY_LOOK, Look, assert_all_sound, assert_sound
from tests.browser.steps import enter
from tests.site import RunningSite

#: That the menu does not lead to: see test_every_page.py.
PAGES = (
    "/account",
    "/administration/tasks?state=failed",
    "/administration/accounts/new",
    "/administration/accounts/1",
    "/administration/accounts/1/edit",
    "/administration/settings#web",
    "/administration/api?operation=read_task",
    "/nothing-here",
)


@pytest.fixture
def lived_in(site: RunningSite) -> RunningSite:
    """A site in which something has happened, so that lists are not empty."""
    site.account("ada", Role.ADMINISTRATOR)
    site.account("lea", Role.LIBRARIAN)
    site.house.test_sender.send(SYSTEM)
    return site


@pytest.mark.timeout(600)
def test_every_page_is_accessible_and_fits_its_width(new_page: NewPage, lived_in: RunningSite) -> None:
    page = new_page()
    page.goto("/sign-in")
    assert_sound(page, *EVERY_LOOK)
    enter(page, lived_in, "ada")
    assert_all_sound(page, PAGES)
    page.goto("/")
    assert_sound(page, Look(PHONE, dark=False))  # by all rules: what is around every page is another there


def test_the_keyboard_reaches_content_first_and_every_entry_of_the_navigation(
    page: Page, lived_in: RunningSite
) -> None:
    enter(page, lived_in, "ada")
    page.goto("/administration/system")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.goto("/administration/system")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.innerText.trim()"))
    assert {"Tasks", "Accounts", "Audit log", "Settings"} <= reached


def test_a_menu_opens_with_the_keyboard_and_closes_with_escape(page: Page, lived_in: RunningSite) -> None:
    enter(page, lived_in, "ada")
    page.goto("/")
    mine = page.locator("details.menu-me")
    mine.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(mine.get_by_role("link", name="My account")).to_be_visible()
    page.keyboard.press("Escape")
    expect(mine.get_by_role("link", name="My account")).to_be_hidden()


def test_the_theme_is_chosen_and_kept(page: Page, lived_in: RunningSite) -> None:
    enter(page, lived_in, "ada")
    page.goto("/")
    page.locator("details.menu-me summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto("/administration/audit")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_everything_works_without_scripts(new_page: NewPage, lived_in: RunningSite) -> None:
    page = new_page(scripts=False)
    enter(page, lived_in, "ada")
    page.goto("/administration/accounts/2/edit")
    page.get_by_label("Digital curator").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The account lea was saved.")).to_be_visible()
    page.get_by_role("button", name="New one-time link").click()
    expect(page.get_by_role("textbox", name="Link")).to_be_visible()


def test_settings_are_filtered_as_one_types_and_found_by_their_anchor(
    page: Page, lived_in: RunningSite
) -> None:
    enter(page, lived_in, "ada")
    page.goto("/administration/settings")
    port = page.locator('[id="web.port"]')
    expect(port).to_be_hidden()
    page.get_by_label("Filter settings").fill("port on which")
    expect(port).to_be_visible()
    expect(page.locator(".settings > div:visible")).to_have_count(5)
    page.get_by_label("Filter settings").fill("zebra")
    expect(page.get_by_text("Nothing found.")).to_be_visible()
    page.goto("/administration/settings#web.port")
    page.reload()
    expect(port).to_be_visible()


def test_a_list_changes_by_itself_when_something_happens_elsewhere(page: Page, lived_in: RunningSite) -> None:
    enter(page, lived_in, "ada")
    page.goto("/administration/notifications")
    expect(page.get_by_text("Test of the notifications")).to_have_count(1)
    expect(page.get_by_text("Live")).to_be_visible()
    lived_in.house.test_sender.send(SYSTEM)
    expect(page.get_by_text("Test of the notifications")).to_have_count(2)


def test_what_happens_before_a_page_listens_is_shown_too(page: Page, lived_in: RunningSite) -> None:
    def happens_first(route: Route) -> None:
        lived_in.house.test_sender.send(SYSTEM)
        route.continue_()

    enter(page, lived_in, "ada")
    page.route("**/live?*", happens_first, times=1)
    page.goto("/administration/notifications")
    expect(page.get_by_text("Test of the notifications")).to_have_count(2)


def test_a_page_whose_session_ended_elsewhere_says_so(page: Page, lived_in: RunningSite) -> None:
    enter(page, lived_in, "ada")
    page.goto("/administration/notifications")
    expect(page.get_by_text("Live")).to_be_visible()
    house = lived_in.house
    house.sessions.end(SYSTEM, house.accounts.named("ada"))
    house.test_sender.send(SYSTEM)
    expect(page.get_by_text("Your session has ended")).to_be_visible()


def test_what_a_list_cuts_off_is_read_under_the_pointer(page: Page, lived_in: RunningSite) -> None:
    name = "Ada Augusta King, Countess of Lovelace, Enchantress of Numbers"
    ada = lived_in.house.accounts.named("ada")
    lived_in.house.accounts.change_own(SYSTEM, ada.id, name, "", "")
    enter(page, lived_in, "ada")
    page.goto("/administration/accounts")
    clipped, whole = page.locator("th.clip", has_text=name), page.locator("th.clip", has_text="Lea")
    for cell in (clipped, whole):
        cell.hover()
    expect(clipped).to_have_attribute("title", name)
    expect(whole).not_to_have_attribute("title", "Lea")
