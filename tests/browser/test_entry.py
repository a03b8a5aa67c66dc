"""A librarian's morning with the keyboard alone: twenty addresses are pasted, looked at, made records."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.selection.collections.model import Choices, Collection
from armarium.selection.collections.service import Collections
from armarium.selection.model import Budget, Combination, Depth, Frequency
from armarium.selection.permissions import ITSELF
from armarium.selection.records import queries
from armarium.selection.records.model import Draft, Record
from armarium.selection.records.writing import Entered
from tests.browser.conftest import PHONE, NewPage
from tests.browser.soundness import EVERY_LOOK, assert_sound
from tests.browser.steps import enter, tab_to
from tests.integration.selection.entry.desk import BROKEN, OPEN, WEB, titled, working
from tests.site import RunningSite, running_site
from tests.sites.paths import moved, paths
from tests.sites.serving import Site

PATIENCE = 120_000  # ms: a worker has to start on a machine that does much else
FINE, REDIRECTING, DEAD, KNOWN = 12, 3, 3, 2
TOO_MUCH = Combination(Budget.LARGE, Frequency.DAILY, Depth.DOMAIN)


@pytest.fixture
def web() -> Iterator[Site]:
    answers = {f"/fine{number}": titled(f"Site {number}") for number in range(FINE)}
    answers |= {f"/old{number}": moved(f"/new{number}") for number in range(REDIRECTING)}
    answers |= {f"/new{number}": titled(f"New {number}") for number in range(REDIRECTING)}
    answers |= {"/dead0": BROKEN}
    with paths(answers, host=WEB) as site:
        yield site


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    environ = {
        "ARMARIUM_ENTRY_ALLOWED_RANGES": OPEN,
        "ARMARIUM_ENTRY_PAUSE": "0",
        "ARMARIUM_ENTRY_SECONDS": "120",  # a machine that does much else is slow
        "ARMARIUM_ENTRY_PICTURE_SECONDS": "100",
    }
    with running_site(database, tmp_path, **environ) as running:
        yield running


@pytest.fixture
def press(site: RunningSite, web: Site) -> Collection:
    """A collection of Lia's that has two of the addresses already."""
    lia = site.account("lia", Role.LIBRARIAN)
    collections = Collections(site.house.database)
    made = collections.create(SYSTEM, Choices("Press"), themes=["News", "Opinion"])
    collections.set_members(SYSTEM, made.id, [lia])
    collections.set_matrix(SYSTEM, {TOO_MUCH: "More than a crawler can do in a day."})
    for number in range(KNOWN):
        draft = Draft(
            made.id,
            f"{web.address}known{number}",
            made.themes[0].id,
            Budget.SMALL,
            Frequency.ANNUAL,
            Depth.HOST,
            title=f"Known {number}",
        )
        site.house.selection.records.create(ITSELF, Entered(draft))
    return made


def addresses(web: Site) -> list[str]:
    names = [f"fine{number}" for number in range(FINE)]
    names += [f"old{number}" for number in range(REDIRECTING)]
    names += ["dead0", "absent"]
    names += [f"known{number}" for number in range(KNOWN)]
    return [*(f"{web.address}{name}" for name in names), "http://127.0.0.1/"]


def choose(page: Page, selector: str, label: str) -> None:
    """Choose from a list by typing the beginning of a word."""
    tab_to(page, page.locator(selector))
    page.keyboard.type(label)
    expect(page.locator(f"{selector} option:checked")).to_have_text(label)


def test_twenty_addresses_become_records_by_keyboard(
    page: Page, site: RunningSite, press: Collection, web: Site, database: Database, tmp_path: Path
) -> None:
    given = addresses(web)
    assert len(given) == 20
    enter(page, site, "lia")
    page.goto("/selection/enter")
    choose(page, "select[name=collection]", "Press")
    tab_to(page, page.locator("textarea"))
    page.keyboard.insert_text("\n".join(given))
    tab_to(page, page.locator("main button[type=submit]"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Check results")
    expect(page.locator("#entry progress")).to_be_visible()
    with working("worker", database, tmp_path):
        # The page renews itself: nobody reloads it.
        expect(page.locator("#entry progress")).to_have_count(0, timeout=PATIENCE)
    for words, count in (("Answers", FINE), ("Redirects", REDIRECTING), ("Invalid", DEAD), ("Known", KNOWN)):
        expect(page.locator(".entry-counts").get_by_text(f"{words} {count}", exact=True)).to_be_visible()
    expect(page.locator("input[name=line]:checked")).to_have_count(FINE + REDIRECTING)
    take_with_the_keyboard(page, web)
    expect(page.get_by_text("Records created: 14.")).to_be_visible()
    made = {one.address: one for one in records(site)}
    assert len(made) == KNOWN + 14
    assert f"{web.address}fine0" not in made  # its tick was taken away
    assert f"{web.address}old0" in made  # chosen instead of where it leads
    assert f"{web.address}new1" in made
    assert {one.responsible_name for one in made.values() if one.check} == {"lia"}
    assert {one.theme_name for one in made.values() if one.check} == {"Opinion"}
    assert all(one.check for address, one in made.items() if "known" not in address)


def take_with_the_keyboard(page: Page, web: Site) -> None:
    """One line is left out, one redirect is taken as it was entered, a wrong combination is impossible."""
    tab_to(page, page.locator("input[name=line]"))
    page.keyboard.press("Space")
    tab_to(page, page.locator("input[type=radio]"))
    page.keyboard.press("ArrowUp")
    expect(page.locator(f"input[type=radio][value='{web.address}old0']")).to_be_checked()
    choose(page, "select[name=theme]", "Opinion")
    choose(page, "select[name=budget]", "Large")
    choose(page, "select[name=frequency]", "Daily")
    refused = page.locator("select[name=depth] option[value=domain]")
    expect(refused).to_be_disabled()
    expect(page.locator("#depth-why")).to_contain_text("More than a crawler can do in a day.")
    tab_to(page, page.locator(".entry-settings button[type=submit]"))
    page.keyboard.press("Enter")


def records(site: RunningSite) -> list[Record]:
    with site.house.database.transaction() as connection:
        return queries.by_ids(connection, range(1, 100))


def checked(site: RunningSite, page: Page, *lines: str) -> int:
    """Enter these on the page, and look at them: in a thread, since Playwright has a loop in this one."""
    page.goto("/selection/enter")
    page.get_by_label("Addresses").fill("\n".join(lines))
    page.get_by_role("button", name="Check").click()
    number = int(page.url.rpartition("/")[2])
    with ThreadPoolExecutor(1) as thread:
        thread.submit(site.house.selection.checks.run, number).result()
    page.reload()
    return number


def test_the_page_needs_no_script(new_page: NewPage, site: RunningSite, press: Collection, web: Site) -> None:
    page = new_page(viewport=PHONE, scripts=False)
    enter(page, site, "lia")
    checked(site, page, *addresses(web)[11:13])
    page.get_by_label("Theme").select_option("News")
    page.get_by_role("button", name="Create records").click()
    expect(page.get_by_text("Records created: 2.")).to_be_visible()


def test_the_pages_are_accessible_and_fit_their_width(
    page: Page, site: RunningSite, press: Collection, web: Site
) -> None:
    enter(page, site, "lia")
    page.goto("/selection/enter")
    assert_sound(page, *EVERY_LOOK)
    several = checked(site, page, *addresses(web)[11:], web.address + "fine11", "no address")
    page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))")
    assert_sound(page, *EVERY_LOOK)
    checked(site, page, web.address + "fine0")
    expect(page.get_by_label("Title")).to_have_value("Site 0")
    expect(page.get_by_role("img", name="Picture of")).to_be_visible()
    assert_sound(page, *EVERY_LOOK)
    line = site.house.selection.checks.lines(several)[0]
    page.goto(f"/selection/checks/{line.check.id}")
    assert_sound(page, *EVERY_LOOK)
