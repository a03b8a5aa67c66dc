"""The search box, the menu and the keyboard."""

from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from tests.browser.conftest import PHONE, NewPage
from tests.browser.soundness import EVERY_LOOK, assert_sound
from tests.browser.steps import enter
from tests.site import RunningSite


def test_the_search_box_finds_pages_and_things_by_the_keyboard(page: Page, site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    enter(page, site, "ada")
    page.goto("/administration/system")
    page.keyboard.press("Control+k")
    page.keyboard.type("audit l")
    found = page.locator("#find").get_by_role("link", name="Audit log").first
    expect(found).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(found).to_be_focused()
    assert_sound(page, *EVERY_LOOK)
    page.keyboard.press("Enter")
    page.wait_for_url("**/administration/audit")
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_url(f"{site.address}/")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")


def test_what_was_seen_lately_is_offered_first(page: Page, site: RunningSite) -> None:
    number = site.account("ada", Role.ADMINISTRATOR)
    enter(page, site, "ada")
    page.goto(f"/administration/accounts/{number}")
    page.goto("/")
    page.get_by_label("Search", exact=True).first.click()
    page.locator("#find").get_by_role("link", name="Ada").click()
    page.wait_for_url(f"**/administration/accounts/{number}")
    # Who types faster than is answered is not led to what stood there before.
    page.route(
        "**/find?q=backup", lambda route: None if "x-part" in route.request.headers else route.continue_()
    )
    page.keyboard.press("Control+k")
    page.keyboard.type("backup")
    page.keyboard.press("Enter")
    page.wait_for_url("**/find?q=backup")
    # What is gone is not offered again.
    seen = f"seen-{number}"
    page.evaluate(
        "(key) => localStorage.setItem(key, JSON.stringify([{href: '/planning/traps/77', title: 'Old'}]))",
        seen,
    )
    page.goto("/planning/traps/77")
    assert page.evaluate("(key) => localStorage.getItem(key)", seen) == "[]"


def test_the_menu_shows_where_one_is_and_only_what_one_uses(new_page: NewPage, site: RunningSite) -> None:
    site.account("lea", Role.LIBRARIAN)
    page = new_page()
    enter(page, site, "lea")
    page.goto("/selection/records")
    menu = page.locator(".cupboard > .places")
    expect(menu.get_by_role("link", name="Records")).to_have_attribute("aria-current", "page")
    expect(menu.get_by_role("link", name="Records")).to_be_in_viewport()
    expect(menu.locator("a:visible")).to_have_count(13)
    menu.get_by_role("link", name="Harvest", exact=True).click()
    page.wait_for_url("**/harvesting/running")
    expect(menu.get_by_role("link", name="Jobs", exact=True)).to_be_visible()
    expect(menu.get_by_role("link", name="Channels")).to_have_count(0)
    expect(menu.get_by_role("link", name="Records")).to_have_count(0)
    phone = new_page(viewport=PHONE, scripts=False)
    enter(phone, site, "lea")
    phone.goto("/selection/records")
    phone.get_by_text("Menu", exact=True).click()
    phone.locator(".menu-sheet").get_by_role("searchbox").fill("jobs")
    phone.locator(".menu-sheet").get_by_role("searchbox").press("Enter")
    expect(phone.locator(".found").get_by_role("link", name="Running jobs")).to_be_visible()
