"""Import with a trial, its report, the import; export: in Chromium, at every width, without scripts too."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.selection.collections.model import Choices
from armarium.selection.exchange.model import Mode
from armarium.selection.permissions import ITSELF
from tests.browser.conftest import NewPage
from tests.browser.soundness import EVERY_LOOK, assert_sound
from tests.browser.steps import enter
from tests.site import RunningSite, running_site

FILE = (
    "address;title;frequency\n"
    "https://good.example/;A good line;monthly\n"
    "https://bad.example/;A bad line;every full moon\n"
    "no address at all;;\n"
)


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path) as running:
        ada = running.account("ada", Role.LIBRARIAN)
        collections = running.house.selection.collections
        press = collections.create(SYSTEM, Choices("Press"), themes=["News"], default_theme="News")
        collections.set_members(SYSTEM, press.id, [ada])
        yield running
        running.house.close()


def hand_in(page: Page, tmp_path: Path, content: str = FILE) -> None:
    file = tmp_path / "list.csv"
    file.write_text(content)
    page.goto("/selection/import")
    page.get_by_label("File").set_input_files(file)
    page.get_by_label("Collection").select_option("Press")
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("list.csv")


def test_a_file_is_tried_its_report_read_and_its_good_lines_imported(
    page: Page, site: RunningSite, tmp_path: Path
) -> None:
    imports = site.house.selection.imports
    enter(page, site, "ada")
    hand_in(page, tmp_path)
    expect(page.get_by_text("Waiting to start.")).to_be_visible()
    imports.run(1)
    # The report comes by itself: the page is live.
    faults = page.get_by_role("row")
    expect(faults).to_have_count(3, timeout=60_000)
    expect(faults.nth(1)).to_contain_text("Frequency")
    expect(faults.nth(1)).to_contain_text("every full moon")
    expect(page.get_by_text("Records to be created")).to_be_visible()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download as CSV").click()
    assert "every full moon" in Path(downloading.value.path()).read_text("utf-8-sig")
    page.get_by_role("button", name="Import the valid lines").click()
    expect(page.get_by_role("heading", name="Importing the file")).to_be_visible()
    imports.run(1)
    expect(page.get_by_text("The file is imported.")).to_be_visible(timeout=60_000)
    assert site.house.selection.records.get(1).title == "A good line"


def test_without_scripts_all_of_it_works_as_well(
    new_page: NewPage, site: RunningSite, tmp_path: Path
) -> None:
    imports = site.house.selection.imports
    page = new_page(scripts=False)
    enter(page, site, "ada")
    hand_in(page, tmp_path, "address\nhttps://good.example/\n")
    imports.run(1)
    page.reload()
    page.get_by_role("button", name="Import", exact=True).click()
    imports.run(1)
    page.reload()
    expect(page.get_by_text("The file is imported.")).to_be_visible()
    page.goto("/selection/export")
    page.get_by_label("Format").select_option("csv")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Export").click()
    assert "https://good.example/" in Path(downloading.value.path()).read_text("utf-8-sig")


@pytest.mark.timeout(600)
def test_the_pages_of_exchange_are_accessible_and_fit_their_width(
    new_page: NewPage, site: RunningSite, tmp_path: Path
) -> None:
    imports = site.house.selection.imports
    for mode, runs in ((Mode.TRIAL, True), (Mode.GOOD, True), (Mode.ALL, False), (Mode.ALL, True)):
        kept = imports.keep(ITSELF, f"{mode}.csv", [FILE.encode("cp1252") + b"\xe9;;\n"], mode, 1)
        if runs:
            imports.run(kept.id)
    page = new_page()
    enter(page, site, "ada")
    for path in ("/selection/import", *(f"/selection/import/{n}" for n in range(1, 5)), "/selection/export"):
        page.goto(path)
        for details in page.locator("main details").all():
            details.locator("summary").click()
        assert_sound(page, *EVERY_LOOK)
