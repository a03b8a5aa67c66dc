"""Signing in by a directory and by a provider, in a real browser, with the keyboard, without scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.db.database import Database
from tests.browser.conftest import NewPage
from tests.browser.soundness import EVERY_LOOK, assert_sound
from tests.browser.steps import enter, sign_in
from tests.site import RunningSite, running_site
from tests.sites.forging_provider import CLIENT, Forger, Person, running_forger
from tests.sites.forging_provider import SECRET as CLIENT_SECRET
from tests.slapd import Directory, running_directory

SECRET = "a secret of the library"


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Directory]:
    with running_directory(tmp_path / "directory") as running:
        yield running


@pytest.fixture
def forger() -> Iterator[Forger]:
    with running_forger() as running:
        running.person = Person(name="berta")
        yield running


@pytest.fixture
def site(database: Database, tmp_path: Path, directory: Directory, forger: Forger) -> Iterator[RunningSite]:
    environ = {
        **directory.environ,
        "ARMARIUM_OPENID_ISSUER": forger.issuer,
        "ARMARIUM_OPENID_TITLE": "the library's login",
        "ARMARIUM_OPENID_CLIENT_ID": CLIENT,
        "ARMARIUM_OPENID_CLIENT_SECRET": CLIENT_SECRET,
        "ARMARIUM_OPENID_ROLES": "curators = curator",
    }
    with running_site(database, tmp_path / "home", **environ) as running:
        yield running


def test_one_form_for_all_and_a_button_for_the_provider(
    new_page: NewPage, site: RunningSite, directory: Directory
) -> None:
    directory.group("curators", directory.person("anna", SECRET))
    page = new_page(scripts=False)
    sign_in(page, "anna", SECRET)
    page.goto("/account")
    expect(page.get_by_text("Your password is kept there")).to_be_visible()
    other = new_page(scripts=False)
    other.goto("/account")  # leads to the sign-in page, and from the provider back here
    way = other.get_by_role("link", name="Sign in with the library's login")
    way.focus()
    other.keyboard.press("Enter")
    expect(other.get_by_role("heading", level=1)).to_have_text("My account")
    expect(other.get_by_text("berta", exact=False).first).to_be_visible()


def test_every_page_of_it_is_sound_on_a_telephone_and_in_the_dark(
    page: Page, site: RunningSite, directory: Directory
) -> None:
    directory.group("curators", directory.person("anna", SECRET))
    directory.group("a group with a rather long name that has to be broken", directory.person("gast", SECRET))
    site.account("chief", Role.ADMINISTRATOR)
    assert site.client().sign_in("anna", SECRET).status_code == 303
    number = site.house.accounts.named("anna").id
    page.goto("/sign-in")
    assert_sound(page, *EVERY_LOOK)
    refused(page)
    assert_sound(page, *EVERY_LOOK)
    enter(page, site, "chief")
    page.goto("/administration/accounts")
    assert_sound(page, *EVERY_LOOK)
    page.goto(f"/administration/accounts/{number}")
    expect(page.get_by_text("Directory (LDAP)").first).to_be_visible()
    assert_sound(page, *EVERY_LOOK)


def refused(page: Page) -> None:
    page.get_by_label("Account name").fill("gast")
    page.get_by_label("Password").fill(SECRET)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You cannot come in yet")
