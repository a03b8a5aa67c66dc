"""The pages of the rules: every width, both themes, by keyboard, and without scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from armarium.access.networks.model import NewNetwork
from armarium.access.networks.service import Networks
from armarium.access.policy.model import Audience, Period, RuleEffect, Terms
from armarium.access.rules.service import Rules
from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.core.services import Services
from armarium.db.database import Database
from tests.browser.conftest import NewPage
from tests.browser.soundness import assert_all_sound
from tests.browser.steps import enter
from tests.integration.index.world import MONTHS, World
from tests.site import RunningSite, running_site

PAGES = (
    "/access/rules",
    "/access/rules?state=ended",
    "/access/rules?q=nothing",
    "/access/rules/new",
    "/access/rules/1",
    "/access/rules/2",
    "/access/rules/4",
    "/access/take-downs",
    "/access/take-downs?ended=true",
    "/access/take-downs/new",
    "/access/networks",
    "/access/networks/new",
    "/access/networks/1",
    "/access/networks/1?edit=yes",
    "/access/why",
    "/access/why?url=http://www.example.org/news&date=2026-01&networks=1&accredited=yes",
    "/access/why?url=http://else.net/&date=tomorrow",
)


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    """With captures, a network, and rules of every kind."""
    world = World(database, tmp_path / "home")
    world.take(*MONTHS)
    world.index()
    with running_site(database, world.home) as running:
        running.account("ada", Role.CURATOR)
        services: Services = running.app.state.services
        room = (
            services.get(Networks)
            .add(
                SYSTEM,
                NewNetwork(
                    "Salle de lecture",
                    (
                        "192.0.2.0/24",
                        "2001:db8::/32",
                    ),
                ),
            )
            .id
        )
        here = Audience(accredited=True, networks=frozenset({room}))
        rules = services.get(Rules)
        for terms in (
            Terms(RuleEffect.RESTRICT, pattern="*.example.org", public_message="Only in our reading rooms."),
            Terms(
                RuleEffect.ALLOW, pattern="*.example.org", audience=here, one_reader=True, no_downloads=True
            ),
            Terms(
                RuleEffect.EMBARGO, pattern="example.org/news/", embargo=Period(1, 6), captured_from="2024"
            ),
            Terms(RuleEffect.HIDE, pattern="example.org/about", take_down=True, reason="Letter of 3 May"),
            Terms(RuleEffect.HIDE, pattern="https://example.org/" + "very-long-name/" * 12 + "page"),
        ):
            rules.add(SYSTEM, terms)
        rules.end(
            SYSTEM, rules.add(SYSTEM, Terms(RuleEffect.HIDE, pattern="old.net")).id, "The owner agreed."
        )
        yield running
        running.house.close()
    world.house.close()


@pytest.mark.timeout(600)
def test_the_pages_of_the_rules_are_accessible_and_fit_their_width(
    new_page: NewPage, site: RunningSite
) -> None:
    page = new_page()
    enter(page, site, "ada")
    assert_all_sound(page, PAGES)


def test_what_a_rule_covers_is_shown_while_it_is_typed(new_page: NewPage, site: RunningSite) -> None:
    page = new_page()
    enter(page, site, "ada")
    page.goto("/access/rules/new")
    covers = page.get_by_role("region", name="What it covers")
    page.get_by_label("Address", exact=True).press_sequentially("images.example.org")
    expect(covers).to_contain_text("All pages of images.example.org")
    expect(covers).to_contain_text("4 captures that the archive has now")
    page.get_by_label("Scope").select_option("domain")
    expect(covers).to_contain_text("and all its hosts")
    page.get_by_label("Captured from").fill("2026")
    expect(covers).to_contain_text("2 captures that the archive has now")
    page.get_by_label("Reason").fill("Agreement")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Rule")
    expect(page.get_by_text("It applies from now on.")).to_be_visible()


def test_something_is_taken_down_and_explained_by_keyboard_and_without_scripts(
    new_page: NewPage, site: RunningSite
) -> None:
    page = new_page(scripts=False)
    enter(page, site, "ada")
    page.goto("/access/take-downs/new")
    page.get_by_label("Address", exact=True).fill("https://www.example.org/news")
    page.get_by_role("button", name="Preview").press("Enter")
    expect(page.get_by_role("region", name="What it covers")).to_contain_text("4 captures")
    page.get_by_label("Reason").fill("Court order")
    page.get_by_role("button", name="Take down").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Rule 7")
    page.goto("/access/why")
    page.get_by_label("Address").fill("http://example.org/news")
    page.get_by_label("An accredited reader").check()
    page.get_by_label("Salle de lecture").check()
    page.get_by_role("button", name="Check").click()
    answer = page.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("restricted")
    expect(answer.get_by_role("listitem").first).to_contain_text("Rule 7")
    expect(answer.get_by_role("listitem").first).to_contain_text("decides")
