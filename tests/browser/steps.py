"""Steps that several tests take."""

from playwright.sync_api import Page, expect

from tests.site import PASSWORD


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("/sign-in")
    page.get_by_label("Account name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Welcome")
