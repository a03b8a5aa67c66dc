"""Steps that several tests take."""

import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.site import PASSWORD, PATIENCE, SESSION, RunningSite

MOST_TABS = 400
HAS_FOCUS = "(all) => all.includes(document.activeElement)"


def enter(page: Page, site: RunningSite, name: str) -> None:
    """As after signing in, where that is not what the test is about: it costs as much as a page."""
    page.context.add_cookies([{"name": SESSION, "value": site.session(name), "url": site.address}])


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("/sign-in")
    page.get_by_label("Account name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Welcome")


def wait_on(page: Page, condition: Callable[[], object]) -> None:
    """Wait for something that only Playwright's own objects know, and let them hear of it meanwhile."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited too long"
        page.wait_for_timeout(50)


def tab_to(page: Page, wanted: Locator) -> None:
    """To the first of these, as somebody without a mouse: from the top of a page straight to its content."""
    expect(wanted.first).to_be_attached()
    if page.evaluate("document.activeElement === document.body"):
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    for _ in range(MOST_TABS):
        if wanted.evaluate_all(HAS_FOCUS):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {wanted}")
