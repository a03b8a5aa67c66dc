"""A curator's morning: decide about proposals, hand them to planning, harvest, and see what came of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from armarium.accounts.model import Profile, Role
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.selection.collections.model import Choices
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.permissions import Editor
from armarium.selection.records.model import Draft
from armarium.selection.records.writing import Entered
from armarium.selection.transfer.mapping_service import TransferMappings
from armarium.selection.transfer.model import Rule
from armarium.server.assembly import House
from tests.acceptance.planning.archive import PROFILE, Archive, archive
from tests.acceptance.planning.machines import Machine
from tests.acceptance.planning.small_web import SmallWeb, small_web
from tests.acceptance.planning.wires import wires
from tests.browser.conftest import chromium  # noqa: F401
from tests.browser.steps import sign_in
from tests.site import PASSWORD

WANTED, UNWANTED = "gazette.example", "shop.example"
HARVEST = "Press · monthly"
PATIENCE = 60_000  # milliseconds


@pytest.fixture
def web() -> Iterator[SmallWeb]:
    with small_web() as web:
        yield web


@pytest.fixture
def there(tmp_path: Path, web: SmallWeb) -> Iterator[Archive]:
    """An archive with one collector, a curator, and what a librarian proposed."""
    with archive(tmp_path) as there, wires(1, 0) as [wire]:
        there.begin()
        wire.lead_to(there.port)
        there.furnish(web, [])
        with there.visit() as house:
            _propose(house, web)
        machine = Machine("crawler", tmp_path, wire, {}, there.enrolment())
        machine.start()
        try:
            yield there
        finally:
            machine.end()


def _propose(house: House, web: SmallWeb) -> None:
    account = house.accounts.create(
        SYSTEM, Profile("grace", "Grace Hopper", "", "", frozenset({Role.CURATOR}))
    )
    house.accounts.use_link(house.accounts.password_link(SYSTEM, account.id).key, PASSWORD, "127.0.0.1")
    press = house.selection.collections.create(SYSTEM, Choices("Press"), themes=["News"])
    librarian = Editor(Actor("ada", Via.PAGE), None, everywhere=True, validates=False)
    for domain in (WANTED, UNWANTED):
        draft = Draft(
            press.id,
            web.seed(domain),
            press.themes[0].id,
            Budget.SMALL,
            Frequency.MONTHLY,
            Depth.HOST,
            domain,
        )
        house.selection.records.create(librarian, Entered(draft, check=1))
    # The profile that knows the small web; one object too few, so that there is something to find.
    mappings = TransferMappings(house.database, house.transfer.desk)
    mappings.put_rule(SYSTEM, Rule(depth=Depth.HOST, frequency=Frequency.MONTHLY, profile=PROFILE))
    most = len(web.addresses(WANTED)) - 1
    mappings.put_rule(SYSTEM, Rule(budget=Budget.SMALL, depth=Depth.HOST, max_objects=most))


@pytest.fixture
def page(chromium: Browser, there: Archive) -> Iterator[Page]:  # noqa: F811
    context = chromium.new_context(base_url=f"http://127.0.0.1:{there.port}", locale="en-GB")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    sign_in(page, "grace")
    yield page
    context.close()


@pytest.mark.timeout(300)
def test_a_curator_decides_transfers_harvests_and_sees_what_came_of_it(
    page: Page, there: Archive, web: SmallWeb
) -> None:
    _decide(page)
    _transfer(page)
    _harvest(page, there)
    _look_back(page)


def _decide(page: Page) -> None:
    page.goto("/selection/tray")
    page.get_by_role("button", name=f"Validate {WANTED}").click()
    expect(page.get_by_role("button", name=f"Validate {WANTED}")).to_have_count(0)
    page.goto("/selection/tray")
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("Reason", exact=True).fill("A shop, not a newspaper.")
    page.get_by_role("button", name=f"Reject {UNWANTED}").click()
    expect(page.get_by_text("Nothing waits")).to_be_visible()


def _transfer(page: Page) -> None:
    page.goto("/selection/transfer")
    expect(page.get_by_role("rowheader", name=WANTED)).to_be_visible()
    expect(page.get_by_role("rowheader", name=UNWANTED)).to_have_count(0)
    page.get_by_role("button", name="Transfer now").click()
    expect(page.locator("#transfer-run").get_by_text("Done", exact=True)).to_be_visible()
    expect(page.get_by_role("rowheader", name=WANTED)).to_be_visible()
    page.goto("/selection/transfer")
    expect(page.get_by_text("Planning is up to date.")).to_be_visible()


def _harvest(page: Page, there: Archive) -> None:
    page.goto("/selection/mapping")
    page.get_by_role("link", name=HARVEST).click()
    page.get_by_role("button", name="Run now").click()
    page.locator("#confirm [data-yes]").click()
    there.house.wait(lambda: there.states() == {"done": 1})
    there.house.wait(lambda: there.ask("SELECT 1 FROM selection_record WHERE harvested_job = 1"))


def _look_back(page: Page) -> None:
    page.goto("/selection/records/1/harvests")
    harvested = page.locator("#panel-harvests")
    expect(harvested.get_by_text("Limit of objects of its budget").first).to_be_visible()
    expect(harvested.get_by_role("link", name="Job 1").first).to_be_visible()
    expect(harvested.get_by_role("link", name=HARVEST)).to_be_visible()
    expect(page.locator("#panel-planning").get_by_role("link", name=WANTED)).to_be_visible()
    page.goto("/selection/records/1")
    findings = page.locator("#panel-findings")
    expect(findings.get_by_text("Give it the budget “Medium”.")).to_be_visible()
    findings.get_by_role("button", name="Do it").click()
    expect(page.get_by_text("The record now has the proposed budget.")).to_be_visible()
    page.goto("/selection/transfer")
    expect(page.get_by_role("row", name=WANTED)).to_contain_text("50,000")
    page.get_by_role("link", name=WANTED).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(WANTED)
    page.get_by_role("navigation", name="Parts of this page").get_by_role("link", name="Harvests").click()
    page.locator("#panel-planning").get_by_role("link", name=WANTED).click()
    expect(page.get_by_role("link", name="Record 1", exact=True)).to_be_visible()
    page.get_by_role("link", name="Record 1", exact=True).click()
    expect(page).to_have_url(re.compile("/selection/records/1$"))
