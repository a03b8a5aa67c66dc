"""Steps that several tests take."""

import time
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.site import PASSWORD, PATIENCE


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
