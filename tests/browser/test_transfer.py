"""The transfer, its mapping and findings in Chromium: both widths and themes, with and without scripts."""

import json

import pytest
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.records.model import Further
from tests.browser.conftest import NewPage
from tests.browser.soundness import EVERY_LOOK, assert_all_sound, assert_sound
from tests.browser.steps import enter
from tests.integration.selection.transfer.handing import Office
from tests.integration.selection.transfer.test_transfer import settled
from tests.integration.selection.world import world
from tests.site import RunningSite

LONG = "https://news.example/a-path-without-end/and-more-of-it/and-yet-more-of-it/index.html?with=a&query=b"


@pytest.fixture
def office(site: RunningSite) -> Office:
    site.account("root", Role.ADMINISTRATOR)
    return Office(site.house, world(site.house.database))


def furnished(office: Office) -> int:
    """Something in every group, a conflict among them; the number of the record that has it."""
    library = office.library
    first = library.record(LONG, title="A newspaper", further=(Further("https://news.example/map.xml"),))
    gone = library.record("https://gone.example/")
    changed = library.record("https://changed.example/")
    library.record("https://intranet/")
    office.transfer()
    found = office.configuration(first.id)
    by_hand = settled(found, max_objects=77, overrides={"scope": {"max_hops": 3}})
    office.house.domains.configurations.change(SYSTEM, found.domain, found.id, by_hand)
    library.records.change_fields(library.cora, gone.id, {"active": False})
    library.records.change_fields(library.cora, changed.id, {"frequency": Frequency.WEEKLY})
    library.record("https://music.example/", library.arts, budget=Budget.LARGE)
    office.rows("DELETE FROM selection_rule WHERE depth = 'page+2' RETURNING id")
    library.record("https://unmapped.example/", depth=Depth.PAGE_2)
    findings = office.house.transfer.findings
    findings.add(library.ada, first.id, "The menu\nis missing.", "Choose a larger depth.")
    facts = {"objects": 5000, "bytes": 10**8, "stop": "configuration-object-limit"}
    office.rows(
        "INSERT INTO selection_finding (record, at, author, kind, budget, job, facts) "
        "VALUES (:record, now(), 'armarium', 'object-limit', 'medium', 12, CAST(:facts AS jsonb)) "
        "RETURNING id",
        record=first.id,
        facts=json.dumps(facts),
    )
    return first.id


@pytest.mark.timeout(600)
def test_every_page_is_accessible_and_fits_its_width(
    new_page: NewPage, office: Office, site: RunningSite
) -> None:
    record = furnished(office)
    page = new_page()
    enter(page, site, "root")
    assert_all_sound(
        page,
        (
            "/selection/transfer?kind=conflict",
            "/selection/transfer/runs",
            "/selection/transfer/runs/1",
            "/selection/mapping/rules/new",
            "/selection/mapping/rules/1",
            f"/selection/mapping/targets/{office.library.press.id}/monthly",
            f"/selection/records/{record}/findings",
            f"/selection/records/{record}",
            f"/selection/records/{record}/harvests",
        ),
    )
    page.goto("/selection/mapping/rules/new")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert_sound(page, *EVERY_LOOK)


def test_a_conflict_is_settled_without_scripts(new_page: NewPage, office: Office, site: RunningSite) -> None:
    furnished(office)
    page = new_page(scripts=False)
    enter(page, site, "root")
    page.goto("/selection/transfer")
    page.get_by_label("Collection").select_option(label="Press")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Conflict 1").click()
    page.get_by_role("button", name="Keep planning's A newspaper").click()
    expect(page.get_by_text("are kept.")).to_be_visible()
    page.goto("/selection/transfer")
    expect(page.get_by_role("link", name="Conflict")).to_have_count(0)
    page.get_by_role("button", name="Transfer now").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Transfer")


def test_a_transfer_is_watched_while_it_runs(page: Page, office: Office, site: RunningSite) -> None:
    office.library.record("https://news.example/", title="A newspaper")
    enter(page, site, "root")
    page.goto("/selection/transfer")
    page.get_by_role("button", name="Transfer now").click()
    run = page.locator("#transfer-run")
    expect(run.get_by_text("Waiting")).to_be_visible()
    expect(page.get_by_text("Live")).to_be_visible()
    office.house.transfer.transfers.carry_out(1)
    expect(run.get_by_role("link", name="A newspaper")).to_be_visible()
    expect(run.get_by_text("Done", exact=True)).to_be_visible()
