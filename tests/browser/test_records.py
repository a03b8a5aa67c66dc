"""Records in Chromium: a curator's in-tray by keyboard, the form, both widths and themes."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from armarium.selection.model import Budget, Frequency, RecordState
from armarium.selection.records.model import Further, Record
from tests.browser.conftest import NewPage
from tests.browser.soundness import EVERY_LOOK, assert_all_sound, assert_sound
from tests.browser.steps import enter, tab_to
from tests.integration.selection.records.desk import Desk
from tests.integration.selection.world import world
from tests.site import RunningSite

LONG = (
    "https://www.news.example/a-path-without-end/and-more-of-it/and-yet-more-of-it/index.html?with=a&query=b"
)


@pytest.fixture
def desk(site: RunningSite) -> Desk:
    return Desk(site, world(site.house.database))


def proposals(desk: Desk, many: int) -> list[Record]:
    library = desk.library
    return [library.record(f"https://{n}.example/", by=library.ada, title=f"Site {n}") for n in range(many)]


def state_of(desk: Desk, record: Record) -> tuple[RecordState, str]:
    found = desk.library.records.get(record.id)
    return found.state, found.state_reason


def test_a_curator_empties_the_tray_by_keyboard(page: Page, desk: Desk) -> None:
    first, second, third, fourth = proposals(desk, 4)
    enter(page, desk.site, "cora")
    page.goto("/selection/tray")
    tab_to(page, page.locator(f"#tick-{first.id}"))
    page.keyboard.press("v")
    expect(page.get_by_text("Validated records: 1.")).to_be_visible()
    assert state_of(desk, first) == (RecordState.VALIDATED, "")

    tab_to(page, page.locator(f"#tick-{second.id}"))
    page.keyboard.press("r")
    expect(page.locator(f"#reason-{second.id}")).to_be_focused()
    page.keyboard.type("Too much of it.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Rejected records: 1.")).to_be_visible()
    assert state_of(desk, second) == (RecordState.REFUSED, "Too much of it.")

    tab_to(page, page.locator(f"#tick-{third.id}"))
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"#tick-{fourth.id}")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowUp")
    expect(page.locator(f"#tick-{third.id}")).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Validate selected"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Validated records: 2.")).to_be_visible()
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    assert {state_of(desk, one) for one in (third, fourth)} == {(RecordState.VALIDATED, "")}


def test_enter_in_the_reason_refuses_and_never_validates(page: Page, desk: Desk) -> None:
    first, second = proposals(desk, 2)
    enter(page, desk.site, "cora")
    page.goto("/selection/tray")
    page.get_by_role("checkbox", name="Select all rows").check()
    page.get_by_label("Reason for rejecting").fill("Out of scope.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Rejected records: 2.")).to_be_visible()
    assert {state_of(desk, one) for one in (first, second)} == {(RecordState.REFUSED, "Out of scope.")}


def test_the_tray_changes_by_itself_and_keeps_what_was_done_in_it(page: Page, desk: Desk) -> None:
    first, second = proposals(desk, 2)
    enter(page, desk.site, "cora")
    page.goto("/selection/tray")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    page.locator(f"#tick-{second.id}").check()
    page.get_by_label("Reason for rejecting").fill("Half a rea")
    library = desk.library
    library.record("https://new.example/", by=library.ada, title="Just proposed")
    library.records.decide(library.cora, [first.id], RecordState.VALIDATED)
    library.records.comment(library.ben, second.id, "Have a look at its feed.")
    expect(page.get_by_role("link", name="Just proposed")).to_be_visible()
    expect(page.get_by_text("Have a look at its feed.")).to_be_visible()
    expect(page.get_by_role("link", name="Site 0")).to_have_count(0)
    expect(page.locator(f"#tick-{second.id}")).to_be_checked()
    expect(page.get_by_label("Reason for rejecting")).to_have_value("Half a rea")
    expect(page.get_by_role("checkbox", name="Select all rows")).to_be_visible()


def test_a_refused_record_comes_back_corrected(page: Page, desk: Desk) -> None:
    (record,) = proposals(desk, 1)
    desk.library.records.decide(desk.library.cora, [record.id], RecordState.REFUSED, "Only its news.")
    enter(page, desk.site, "ada")
    page.goto("/")
    expect(page.get_by_role("link", name="Your rejected records: 1")).to_be_visible()
    page.goto("/selection/tray")
    expect(page.get_by_text("Only its news.")).to_be_visible()
    page.get_by_role("link", name="Correct Site 0").click()
    page.get_by_label("Address", exact=True).fill("https://0.example/news/")
    page.get_by_label("Depth").select_option("path")
    page.get_by_role("button", name="Save and propose again").click()
    expect(page.get_by_text("is saved and waits for a curator")).to_be_visible()
    expect(page.locator("#record-state")).to_contain_text("Proposed")
    expect(page.locator("#record-history")).to_contain_text("Record proposed again")
    assert state_of(desk, record) == (RecordState.PROPOSED, "")


def test_what_does_not_go_together_cannot_be_chosen(page: Page, desk: Desk) -> None:
    enter(page, desk.site, "ada")
    page.goto("/selection/records/new")
    page.get_by_label("Address", exact=True).fill("news.example")
    page.get_by_label("Budget").select_option(Budget.LARGE.value)
    page.get_by_label("Frequency").select_option(Frequency.DAILY.value)
    impossible = page.locator("#depth option[value=domain]")
    expect(impossible).to_be_disabled()
    expect(page.get_by_text("More than a crawler can do in a day.").first).to_be_visible()
    page.get_by_role("button", name="Create record").click()
    expect(page.get_by_text("is created and waits for a curator")).to_be_visible()


def test_comments_appear_while_one_reads(page: Page, desk: Desk) -> None:
    (record,) = proposals(desk, 1)
    enter(page, desk.site, "ada")
    page.goto(f"/selection/records/{record.id}")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    desk.library.records.comment(desk.library.cora, record.id, "Is there a feed?")
    expect(page.locator("#record-comments")).to_contain_text("Is there a feed?")
    page.get_by_label("Your comment").fill("There is <b>one</b>.")
    page.get_by_role("button", name="Add comment").click()
    expect(page.locator("#record-comments")).to_contain_text("There is <b>one</b>.")


def test_everything_works_without_scripts(new_page: NewPage, desk: Desk) -> None:
    first, second = proposals(desk, 2)
    page = new_page(scripts=False)
    enter(page, desk.site, "cora")
    page.goto("/selection/tray")
    page.locator(f"#tick-{first.id}").check()
    page.get_by_role("button", name="Validate selected").click()
    expect(page.get_by_text("Validated records: 1.")).to_be_visible()
    page.goto(f"/selection/records/{second.id}")
    page.locator("#rejection summary").last.click()
    page.get_by_label("Reason").fill("Out of scope.")
    page.get_by_role("button", name="Reject the record").click()
    expect(page.get_by_text("is rejected; its librarian sees the reason.")).to_be_visible()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Move to another collection").click()
    page.get_by_label("Collection and theme").select_option(label="Music")
    page.get_by_role("button", name="Move the record").click()
    expect(page.get_by_text("has moved from Press to Arts")).to_be_visible()


@pytest.mark.timeout(600)
def test_every_page_is_accessible_and_fits_its_width(new_page: NewPage, desk: Desk) -> None:
    library = desk.library
    further = (Further("https://www.news.example/sitemap.xml", "a sitemap"),)
    notes: dict[str, Any] = {
        "content_notes": "A paper.\nSince 1998.",
        "technical_notes": "Slow.",
        "further": further,
    }
    record = library.record(LONG, by=library.ada, responsible=library.numbers["ada"], **notes)
    shop, gone = library.record(f"{LONG}2"), library.record("https://gone.example/", active=False)
    library.records.comment(library.ben, record.id, "Is this ours?")
    library.records.decide(library.cora, [shop.id], RecordState.REFUSED, "A shop.\nNothing else.")
    library.records.change_fields(library.cora, shop.id, {"responsible": library.numbers["ada"]})
    page = new_page()
    enter(page, desk.site, "ada")
    assert_all_sound(
        page, ("/selection/tray", f"/selection/records/{shop.id}", f"/selection/records/{gone.id}")
    )
    page = new_page()
    enter(page, desk.site, "cora")
    address = f"/selection/records/{record.id}"
    tabs = [f"{address}/{tab}" for tab in ("description", "harvests", "history")]
    parts = (address, *tabs, f"{address}/edit", f"{address}/move")
    assert_all_sound(page, ("/", "/selection/tray", "/selection/records/new", *parts))
    page.goto(f"{address}/edit")
    page.get_by_role("textbox", name="Language").fill("no code")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert_sound(page, *EVERY_LOOK)
