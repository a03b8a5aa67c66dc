"""Readers at a terminal of the reading room, in a real browser: both origins, locks, and a clean end."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect

from armarium.access.accreditation.model import Period
from armarium.access.accreditation.service import Accreditations
from armarium.access.model import Reader
from armarium.access.readers import sessions
from armarium.access.settings import AccessSettings
from armarium.access.statistics.counting import LiveUses
from armarium.accounts.model import Profile, Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from tests.browser.conftest import DESKTOP, PATIENCE, NewPage
from tests.browser.soundness import EVERY_LOOK, assert_all_sound, assert_sound
from tests.browser.steps import enter, wait_on
from tests.integration.access.readers.world import (
    LONE_PAGE,
    ROOM_PAGE,
    TIME,
    ReadingRoom,
    page_address,
    reading_room,
)
from tests.site import PASSWORD, RunningSite


@pytest.fixture
def room(database: Database, tmp_path: Path) -> Iterator[ReadingRoom]:
    (tmp_path / "readers").mkdir()
    terms = "Nothing may be copied.\n\nBe quiet, others read."
    with reading_room(database, tmp_path / "readers", terms=terms) as found:
        for name in ("amelie", "boris"):
            found.account(name, Role.READER)
            accredit(database, name)
        yield found


def accredit(database: Database, name: str) -> None:
    accreditations = Accreditations(database, "UTC")
    today = accreditations.today()
    accreditations.add(SYSTEM, name, Period(today, today + timedelta(days=5)), "card 4711")


def terminal(chromium: Browser, room: ReadingRoom) -> Page:
    context: BrowserContext = chromium.new_context(
        base_url=room.settings.reading,
        viewport={"width": DESKTOP["width"], "height": DESKTOP["height"]},
        locale="en-GB",
    )
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def come_in(page: Page, name: str, url: str) -> None:
    page.goto(f"/-/sign-in?next=/all/{TIME}/{url}")
    page.get_by_label("Account name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="I accept these terms").click()
    page.wait_for_url(f"**/all/{TIME}/{url}")


def inside(page: Page, room: ReadingRoom) -> Frame:
    """The archived page, when it is there."""
    page.frame_locator("iframe").get_by_text(f"Here is {ROOM_PAGE}").wait_for()
    return next(frame for frame in page.frames if frame.url.startswith(room.settings.content))


def test_an_accredited_reader_reads_and_leaves_nothing_behind_for_the_next(
    chromium: Browser, room: ReadingRoom
) -> None:
    page = terminal(chromium, room)
    come_in(page, "amelie", ROOM_PAGE)
    archived = inside(page, room)
    archived.evaluate("localStorage.secret = 'what I read'")
    assert "armarium" not in archived.evaluate("document.cookie")
    page.goto("/")
    page.get_by_role("link", name="End session").click()
    page.get_by_role("button", name="End session").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your session has ended")
    page.wait_for_load_state("networkidle")
    assert not [cookie for cookie in page.context.cookies() if cookie["name"].startswith("armarium")]
    come_in(page, "boris", ROOM_PAGE)
    left = inside(page, room).evaluate("Object.keys(localStorage)")
    assert "secret" not in left


def is_let_in(page: Page) -> bool:
    page.reload()
    frame = page.frame_locator("iframe")
    frame.get_by_text(re.compile("Alone at last|Only one reader at a time")).first.wait_for()
    return frame.get_by_text("Alone at last").is_visible()


def test_a_page_for_one_reader_is_free_when_the_other_has_left_it(
    chromium: Browser, room: ReadingRoom
) -> None:
    hers, his = terminal(chromium, room), terminal(chromium, room)
    come_in(hers, "amelie", LONE_PAGE)
    expect(hers.frame_locator("iframe").get_by_text("Alone at last")).to_be_visible()
    come_in(his, "boris", LONE_PAGE)
    expect(his.frame_locator("iframe").get_by_text("Only one reader at a time")).to_be_visible()
    hers.goto("/")
    wait_on(his, lambda: is_let_in(his))


def test_a_terminal_whose_session_has_ended_leaves_the_page(
    chromium: Browser, room: ReadingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = terminal(chromium, room)
    page.clock.install()
    come_in(page, "amelie", ROOM_PAGE)
    inside(page, room)
    room.services.accounts.end(SYSTEM, room.accounts.named("amelie"))
    monkeypatch.setattr(sessions, "FRESH", 0.0)
    page.clock.fast_forward("01:01")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your session has ended")


def test_an_archived_page_cannot_end_a_session_or_free_a_page(chromium: Browser, room: ReadingRoom) -> None:
    page = terminal(chromium, room)
    come_in(page, "amelie", LONE_PAGE)
    page.frame_locator("iframe").get_by_text("Alone at last").wait_for()
    archived = next(frame for frame in page.frames if frame.url.startswith(room.settings.content))
    tried = """async (reading) => {
      const held = "do=release&url=http://lone.example/";
      for (const [path, body] of [["/-/sign-out", ""], ["/-/part/lock", held]]) {
        const order = { method: "POST", body, credentials: "include", mode: "no-cors" };
        await fetch(reading + path, order).catch(() => "the policy of the page forbids it");
      }
    }"""
    archived.evaluate(tried, room.settings.reading)
    assert page.evaluate("fetch('/-/part/session').then(answer => answer.status)") == 204
    content = room.content().get(page_address(LONE_PAGE))
    assert "Alone at last" not in content.text


def test_the_readers_own_pages_are_accessible_and_fit_their_width(
    chromium: Browser, room: ReadingRoom
) -> None:
    page = terminal(chromium, room)
    assert_all_sound(page, ("/-/sign-in", "/-/terms", "/-/sign-out", "/-/left"))
    page.goto("/-/sign-in")
    page.get_by_label("Account name").fill("amelie")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Name or password is not right.")
    assert_sound(page, *EVERY_LOOK)


def test_the_staff_s_pages_about_readers_and_use_are_sound(
    page: Page, site: RunningSite, database: Database
) -> None:
    site.account("carla", Role.CURATOR)
    enter(page, site, "carla")
    for path in ("/access/readers", "/access/use"):  # with nothing to show
        page.goto(path)
        assert_sound(page, *EVERY_LOOK)
    site.account("amelie", Role.READER)
    accredit(database, "amelie")
    uses = LiveUses(database, "UTC")
    for kind in ("visit", "page", "part", "search"):
        for _ in range(9):
            uses.note(kind, "shown", collection="all", reader=Reader(), size=5000, domain="www.example.org")
    uses.note("page", "missing", collection="news-and-opinions-of-the-year", reader=Reader())
    uses.flush()
    assert_all_sound(page, (f"/access/readers{path}" for path in ("", "/new", "/import", "/1")))
    page.goto("/access/use")
    assert_sound(page, *EVERY_LOOK)


def test_a_curator_takes_a_list_in_and_renews_a_reader(
    new_page: NewPage, site: RunningSite, database: Database
) -> None:
    for name in ("amelie", "boris"):
        site.account(name, Role.READER)
    site.account("carla", Role.CURATOR)
    page = new_page()
    enter(page, site, "carla")
    page.goto("/")
    page.get_by_role("link", name="Readers", exact=True).first.click()
    page.get_by_role("link", name="Import a list").click()
    page.get_by_label("List").fill("amelie,2026-01-01,2030-12-31,card 1\nboris,2026-01-01,2030-12-31")
    page.get_by_role("button", name="Check list").click()
    expect(page.get_by_text("2 lines, all ready to import.")).to_be_visible()
    page.get_by_role("button", name="Accredit all").click()
    expect(page.get_by_text("Readers accredited: 2.")).to_be_visible()
    page.get_by_role("link", name="Amelie").click()
    page.get_by_role("button", name="Renew until").click()
    expect(page.get_by_text("amelie is accredited until 2031-12-31.")).to_be_visible()
    page.get_by_role("button", name="End now").click()
    page.get_by_role("dialog").get_by_role("button", name="End now").click()
    expect(page.get_by_text("ended by staff")).to_be_visible()


def test_a_reader_s_first_password_leads_to_the_readers_site(new_page: NewPage, site: RunningSite) -> None:
    accounts = site.house.accounts
    rita = accounts.create(SYSTEM, Profile("rita", "Rita", "", "", frozenset({Role.READER})))
    reading = site.house.settings[AccessSettings].reading
    page = new_page()
    page.goto(f"/welcome/{accounts.password_link(SYSTEM, rita.id).key}")
    for label in page.locator("input[type=password]").all():
        label.fill(PASSWORD)
    with page.expect_request(lambda asked: asked.url.startswith(f"{reading}/-/enter?ticket=")):
        page.keyboard.press("Enter")
