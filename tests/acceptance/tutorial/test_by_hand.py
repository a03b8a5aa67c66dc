"""Every step of docs/tutorial/by-hand.md, in Chromium, against the house that it starts."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.acceptance.tutorial.album import FOLDER, Album
from tests.acceptance.tutorial.house import House, by_hand
from tests.acceptance.tutorial.walker import PATIENCE, Walker
from tests.chromium import running_chromium

TUTORIAL = FOLDER.parent / "by-hand.md"
WINDOW: ViewportSize = {"width": 1120, "height": 700}
SITES = ("gazette", "ferry", "festival")
HARVEST = "Public life · weekly"


@pytest.fixture
def page() -> Iterator[Page]:
    with running_chromium() as browser:
        context = browser.new_context(viewport=WINDOW, locale="en-GB", color_scheme="light")
        context.set_default_timeout(PATIENCE)
        yield context.new_page()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with by_hand(tmp_path) as running:
        yield running


@pytest.mark.timeout(1800)
def test_the_tutorial_can_be_followed_step_by_step(
    page: Page, house: House, request: pytest.FixtureRequest
) -> None:
    walker = Walker(page, house, Album(renew=request.config.getoption("--renew-pictures")))
    look_at_the_web(walker)
    enter(walker)
    decide(walker)
    hand_over(walker)
    harvest(walker, run=1)
    look_at_the_files(walker)
    read(walker)
    let_a_month_pass(walker)
    harvest(walker, run=2)
    compare(walker)
    walker.album.close()
    assert named_in_bold() - walker.met == set(), "The tutorial names what its test neither pressed nor saw."
    assert pictures_shown() == walker.album.taken


def look_at_the_web(walker: Walker) -> None:
    walker.page.goto(walker.house.web)
    walker.see("Let a month pass")
    walker.picture("small-web")
    walker.follow("The Saltmarsh Gazette")
    walker.heading("Saltmarsh today")


def enter(walker: Walker) -> None:
    walker.sign_in("librarian")
    walker.follow("Select")
    walker.follow("Add sites")
    walker.choose("Collection", "Public life")
    given = [f"http://{word}.localhost:{walker.house.port}/" for word in (*SITES, "gazete")]
    walker.fill("Addresses", "\n".join(given))
    walker.press("Check")
    expect(walker.page.locator("#entry progress")).to_have_count(0, timeout=PATIENCE)
    walker.see("Invalid 1")
    walker.picture("entered")
    walker.choose("Theme", "News")
    walker.press("Create records")
    expect(walker.page.get_by_text("Records created: 3.")).to_be_visible()
    walker.sign_out()


def decide(walker: Walker) -> None:
    walker.sign_in("curator")
    walker.follow("Select")
    walker.see("Inbox")
    expect(walker.page.get_by_text("3 proposals")).to_be_visible()
    walker.picture("in-tray")
    walker.tick("Select all rows")
    walker.press("Validate selected")
    walker.see("Nothing waits for you.")


def hand_over(walker: Walker) -> None:
    walker.follow("Transfer")
    walker.see("Changes")
    walker.picture("transfer")
    walker.press("Transfer now")
    walker.heading("Transfer 1")
    walker.see("Done")
    walker.sign_out()


def harvest(walker: Walker, run: int) -> None:
    walker.sign_in("engineer")
    walker.follow("Plan")
    walker.follow(HARVEST)
    if run == 1:
        walker.see("Activate")
    walker.press("Run now")
    walker.page.get_by_role("dialog").get_by_role("button", name="Run now").click()
    walker.heading(f"Run {run}")
    walker.follow("Harvest")
    walker.heading("Running jobs")
    walker.follow("Jobs")
    walker.follow(f"Job {run}")
    walker.see("Done")
    expect(walker.page.get_by_role("button", name="Cancel job")).to_have_count(0)
    walker.page.reload()  # the parts of a live page follow at their own paces: the picture shows the whole
    expect(walker.page.get_by_text(re.compile("In the archive: "))).to_be_visible(timeout=PATIENCE)
    walker.picture(f"job-{run}")
    walker.sign_out()


def look_at_the_files(walker: Walker) -> None:
    walker.sign_in("preservation")
    walker.follow("Archive")
    walker.follow("Files")
    expect(walker.page.get_by_text("two: verified")).to_have_count(2, timeout=PATIENCE)
    walker.picture("files")
    walker.follow("Replicas")
    walker.heading("Replicas")
    walker.follow("Find captures")
    walker.fill("Address", f"http://gazette.localhost:{walker.house.port}/")
    walker.press("Find")
    walker.see("1 capture")
    walker.picture("index")
    walker.sign_out()


def seek(walker: Walker, button: str) -> None:
    walker.page.goto(walker.house.readers)
    walker.fill("Address, or part of it", f"gazette.localhost:{walker.house.port}")
    walker.press(button)


def archived(walker: Walker, words: str) -> None:
    """The archived page itself, in its frame, with its picture."""
    frame = walker.page.frame_locator("iframe")
    expect(frame.get_by_text(words).first).to_be_visible(timeout=PATIENCE)
    expect(frame.locator("main figure img")).to_have_js_property("complete", True)


def read(walker: Walker) -> None:
    seek(walker, "Open the page")
    archived(walker, "A herring is missing.")
    walker.picture("read-first")


def let_a_month_pass(walker: Walker) -> None:
    walker.page.goto(walker.house.web)
    walker.press("Let a month pass")
    expect(walker.page.get_by_text("as it is today")).to_be_visible()


def compare(walker: Walker) -> None:
    seek(walker, "Show captures")
    expect(walker.page.locator("main")).to_contain_text("2 captures.", timeout=PATIENCE)
    walker.picture("captures")
    walker.page.locator(".page-lead a").last.click()
    archived(walker, "The herring has been found.")
    walker.picture("read-second")
    walker.met.add("Earlier capture")
    walker.page.get_by_role("link", name=re.compile("Earlier capture")).click()
    archived(walker, "A herring is missing.")


def named_in_bold() -> set[str]:
    return {
        " ".join(words.split()) for words in re.findall(r"\*\*(.+?)\*\*", TUTORIAL.read_text(), re.DOTALL)
    }


def pictures_shown() -> list[str]:
    return re.findall(r"\]\(pictures/([a-z0-9-]+)\.png\)", TUTORIAL.read_text())
