"""What a newcomer does on the first day, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from tests.acceptance.tutorial.album import Album
from tests.browser.conftest import NewPage
from tests.browser.steps import enter, sign_in
from tests.site import PASSWORD, RunningSite

LANGUAGES = {"Français": "Se connecter", "Deutsch": "Anmelden", "Dansk": "Log ind", "Italiano": "Accedi"}


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def test_the_one_time_link_makes_the_first_administrator(
    page: Page, site: RunningSite, request: pytest.FixtureRequest
) -> None:
    album = Album(renew=request.config.getoption("--renew-pictures"))
    link = site.house.accounts.first_link()
    assert link
    page.goto(f"/welcome/{link.key}")
    heading(page, "Welcome to Armarium")
    album.take(page, "first-welcome")
    page.get_by_label("Account name").fill("ada")
    page.get_by_label("Your name").fill("Ada Lovelace")
    page.get_by_label("Password", exact=True).fill("short")
    page.get_by_label("The same password again").fill("short")
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("alert")).to_contain_text("at least 12 characters")
    expect(page.get_by_label("Account name")).to_have_value("ada")

    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same password again").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    heading(page, "Welcome, Ada Lovelace")
    expect(page.locator("[data-live-sign]")).to_have_attribute("data-state", "live")
    album.take(page, "first-home")
    assert site.house.accounts.named("ada").roles == {Role.ADMINISTRATOR}

    page.goto(f"/welcome/{link.key}")
    expect(page.get_by_text("This link has been used or has expired")).to_be_visible()
    album.close()


def test_signing_in_leads_to_the_page_that_was_asked_for(page: Page, site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    page.goto("/administration/audit?who=ada")
    heading(page, "Sign in")
    page.get_by_label("Account name").fill("Ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    heading(page, "Audit log")
    expect(page.get_by_label("Who")).to_have_value("ada")


def test_signing_out_ends_the_session(page: Page, site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    sign_in(page, "ada")
    page.locator("summary", has_text="Ada").click()
    page.get_by_role("button", name="Sign out").click()
    heading(page, "Sign in")
    page.goto("/account")
    heading(page, "Sign in")


def test_the_language_can_be_switched_before_sign_in(page: Page) -> None:
    page.goto("/sign-in")
    for language, words in LANGUAGES.items():
        page.get_by_role("button", name=language).click()
        expect(page.get_by_role("button", name=words)).to_be_visible()
        page.reload()
        expect(page.get_by_role("button", name=words)).to_be_visible()


def test_the_language_follows_an_account_to_another_browser(new_page: NewPage, site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    one = new_page()
    enter(one, site, "ada")
    one.goto("/account")
    one.get_by_role("combobox", name="Language").select_option(label="Français")
    one.get_by_role("button", name="Save profile").click()
    expect(one.locator("html")).to_have_attribute("lang", "fr")

    other = new_page()
    other.goto("/sign-in")
    other.get_by_label("Account name").fill("ada")
    other.get_by_label("Password").fill(PASSWORD)
    other.keyboard.press("Enter")
    expect(other.locator("html")).to_have_attribute("lang", "fr")


def test_an_administrator_adds_a_colleague_who_then_signs_in(new_page: NewPage, site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    page = new_page()
    enter(page, site, "ada")
    page.goto("/administration/accounts")
    page.get_by_role("link", name="New account").click()
    page.get_by_label("Account name").fill("bob")
    page.get_by_label("Name", exact=True).fill("Bob the Engineer")
    page.get_by_label("Content librarian").uncheck()
    page.get_by_label("Crawl engineer").check()
    page.get_by_role("button", name="Create account").click()
    link = page.get_by_role("textbox", name="Link").input_value()

    colleague = new_page()
    colleague.goto(link)
    colleague.get_by_label("Password", exact=True).fill(PASSWORD)
    colleague.get_by_label("The same password again").fill(PASSWORD)
    colleague.get_by_role("button", name="Save and sign in").click()
    heading(colleague, "Welcome, Bob the Engineer")
    expect(colleague.get_by_role("link", name="Tasks").first).to_be_visible()
    expect(colleague.get_by_role("link", name="Accounts")).to_have_count(0)
    assert site.house.accounts.named("bob").roles == {Role.ENGINEER}


def test_a_page_that_is_forbidden_says_so(page: Page, site: RunningSite) -> None:
    site.account("lea", Role.LIBRARIAN)
    enter(page, site, "lea")
    answer = page.goto("/administration/accounts")
    assert answer
    assert answer.status == 403
    heading(page, "Not allowed")
    expect(page.get_by_text("accounts.view")).to_be_visible()


def test_a_refused_change_is_shown_on_its_page_with_what_was_typed(page: Page, site: RunningSite) -> None:
    number = site.account("ada", Role.ADMINISTRATOR)
    enter(page, site, "ada")
    page.goto(f"/administration/accounts/{number}/edit")
    page.get_by_label("Email").fill("ada@library.example")
    page.get_by_label("Administrator", exact=True).uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("last administrator")
    expect(page.get_by_label("Email")).to_have_value("ada@library.example")
    assert site.house.accounts.get(number).roles == {Role.ADMINISTRATOR}


def test_an_api_token_is_shown_once_and_can_be_revoked(page: Page, site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    enter(page, site, "ada")
    page.goto("/account")
    page.get_by_text("Create a token").click()
    page.locator("#token-name").fill("nightly figures")
    page.get_by_label("See background tasks").check()
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_label("Token", exact=True).input_value()
    with site.client() as client:
        headers = {"Authorization": f"Bearer {secret}"}
        assert client.get("/api/tasks", headers=headers).status_code == 200
        assert client.get("/api/accounts", headers=headers).status_code == 403
        page.goto("/account")
        expect(page.get_by_label("Token", exact=True)).to_have_count(0)
        page.get_by_role("button", name="Revoke nightly figures").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(page.get_by_text("The token “nightly figures” was revoked.")).to_be_visible()
        assert client.get("/api/tasks", headers=headers).status_code == 401
