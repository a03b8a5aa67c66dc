"""Nothing typed is lost: not by a session that ends, a form that is too large, a fault, or another tab."""

from dataclasses import replace

import pytest
from playwright.sync_api import Dialog, Page, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.planning.domains.service import Domains
from armarium.planning.traps.rules import TrapList
from armarium.planning.traps.service import TrapLists
from tests.browser.steps import enter, wait_on
from tests.site import PASSWORD, RunningSite

FORM = "/planning/traps/new"
BACK = "What you typed here before is back."
TYPE_MUCH = """(area) => {
    area.value = "x".repeat(99).concat("\\n").repeat(12_000)
    area.dispatchEvent(new Event("input", {bubbles: true}))
}"""


@pytest.fixture
def open_form(page: Page, site: RunningSite) -> Page:
    site.account("ada", Role.ADMINISTRATOR)
    enter(page, site, "ada")
    page.goto(FORM)
    page.get_by_label("Name", exact=True).fill("Calendars")
    page.get_by_label("Description").fill("Endless days")
    return page


def save(page: Page) -> None:
    page.get_by_role("button", name="Save").click()


def test_what_was_typed_survives_the_end_of_a_session(open_form: Page, site: RunningSite) -> None:
    page = open_form
    site.house.sessions.end(SYSTEM, site.house.accounts.named("ada"))
    save(page)
    expect(page.get_by_text("Your session has ended, and nothing was saved.")).to_be_visible()
    page.get_by_label("Account name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{FORM}")
    expect(page.get_by_text(BACK)).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("Endless days")
    page.get_by_label("Expressions").fill("/calendar/")
    save(page)
    expect(page.locator(".tone-good").first).to_be_visible()
    page.goto(FORM)
    expect(page.get_by_label("Name", exact=True)).to_have_value("")


def test_a_form_that_is_too_large_comes_back_as_it_was(open_form: Page) -> None:
    page = open_form
    page.get_by_label("Expressions").evaluate(TYPE_MUCH)
    save(page)
    page.get_by_role("link", name="Back to the form").click()
    expect(page.get_by_text(BACK)).to_be_visible()
    assert len(page.get_by_label("Expressions").input_value()) == 1_200_000
    page.get_by_role("button", name="Discard it").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("")


def test_all_that_is_wrong_is_told_at_once_and_is_no_news_when_it_is_mended(open_form: Page) -> None:
    page = open_form
    page.get_by_label("Name", exact=True).fill("")
    page.get_by_label("Expressions").fill("(")
    save(page)
    expect(page.locator(".problems li")).to_have_count(2)
    expect(page.locator("[aria-invalid]")).to_have_count(2)
    expect(page.get_by_text(BACK)).to_have_count(0)
    expect(page.get_by_label("Description")).to_have_value("Endless days")


def test_another_tab_and_one_after_a_crash_offer_the_draft(open_form: Page) -> None:
    first = open_form
    wait_on(first, lambda: "draft-" in first.evaluate("Object.keys(localStorage).join()"))
    second = first.context.new_page()
    second.goto(FORM)
    expect(second.get_by_label("Name", exact=True)).to_have_value("")
    second.get_by_role("button", name="Use the draft").click()
    expect(second.get_by_label("Name", exact=True)).to_have_value("Calendars")
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    second.once("dialog", leave)
    second.goto("/")
    assert asked == ["beforeunload"]
    second.locator("details.menu-me summary").click()
    second.get_by_role("button", name="Sign out").click()
    expect(second.get_by_role("heading", name="Sign in")).to_be_visible()
    assert second.evaluate("Object.keys(localStorage).length") == 0


def test_what_never_arrived_is_still_there_after_a_look_elsewhere(open_form: Page) -> None:
    page = open_form
    page.route(f"**{FORM}", lambda route: route.abort())
    save(page)
    page.wait_for_url("chrome-error://**")
    page.unroute(f"**{FORM}")
    page.goto("/")
    page.goto(FORM)
    expect(page.get_by_text(BACK)).to_be_visible()


def test_what_was_refused_at_another_address_is_back_in_its_form(open_form: Page) -> None:
    page = open_form
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto("/account")
    page.get_by_label("Your name").fill("Ada of the archive")
    page.get_by_label("Email").evaluate("(field) => { field.type = 'text'; field.value = 'no address' }")
    page.get_by_role("button", name="Save profile").click()
    expect(page.locator(".problems")).to_be_visible()
    page.goto("/account")
    expect(page.get_by_text(BACK)).to_be_visible()
    expect(page.get_by_label("Your name")).to_have_value("Ada of the archive")


def test_a_draft_does_not_undo_unasked_what_somebody_else_has_saved(
    open_form: Page, site: RunningSite
) -> None:
    page = open_form
    traps: TrapLists = site.app.state.services.get(TrapLists)
    made = traps.create(SYSTEM, TrapList(name="Calendars", expressions=("/calendar/",)))
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto(f"/planning/traps/{made.id}?edit=1")
    page.get_by_label("Description").fill("Mine")
    wait_on(page, lambda: "Mine" in page.evaluate("Object.values(localStorage).join()"))
    traps.change(SYSTEM, made.id, replace(made, description="Theirs"))
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_text("Somebody has saved changes since then.")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("Theirs")
    page.get_by_role("button", name="Use the draft").click()
    expect(page.get_by_label("Description")).to_have_value("Mine")


def test_the_words_of_a_credential_are_not_kept(open_form: Page, site: RunningSite) -> None:
    page = open_form
    domains: Domains = site.app.state.services.get(Domains)
    number = domains.create(SYSTEM, "example.org").id
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto(f"/planning/domains/{number}/credentials/new")
    page.get_by_label("What the form sends").fill("password=secret")
    page.wait_for_timeout(600)
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    assert "secret" not in page.evaluate("Object.values(localStorage).join()")
