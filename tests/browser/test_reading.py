"""The readers' pages in a real browser: widths, themes, keyboard, no scripts; the frame that follows."""

import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.access.requests.site import Site
from armarium.formats.cdx import CdxLine
from tests.browser.conftest import DESKTOP, PATIENCE
from tests.browser.readers import readers_site
from tests.browser.soundness import EVERY_LOOK, assert_all_sound, assert_sound
from tests.browser.steps import wait_on
from tests.integration.access.world import Page as Captured

HOME = "http://www.example.org/"
NEWS = "http://www.example.org/news"
PICTURE = "http://www.example.org/lamp.svg"
LYING = "http://www.example.org/lying"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><path d="M0 0h40v40z"/></svg>'
HTML = (
    '<!doctype html><html lang="en"><title>{title}</title><h1>{title}</h1><img src="/lamp.svg" alt="lamp">'
    '<p><a href="/news">To the news</a> <a href="/gone">To a page that is gone</a> '
    '<a href="http://bank.example/#rates">To another host</a> <a href="/lamp.png">To a picture</a></p></html>'
)
LIES = """<!doctype html><html lang="en"><title>Lying</title><h1>Lying</h1><script>
for (const said of [
  {armarium: "page", url: "http://trusted.example/", timestamp: "20200101000000", title: "Trusted"},
  {armarium: "page", url: "javascript:alert(1)", timestamp: "20200101000000"},
  {armarium: "part", url: "http://www.example.org/<img src=x onerror=alert(1)>", timestamp: "20100101000000"},
  {armarium: "part", url: "javascript:alert(1)", timestamp: "20100101000000"},
  {armarium: "part", url: 7, timestamp: {}}, "text", null, 7,
]) [].constructor.constructor("return window['t' + 'op']")()["post" + "Message"](said, "*");
</script></html>"""
BANK = "http://bank.example/"
FALSE = "http://false.example/"
DISGUISED = "http://disguised.example/"
FALSE_PICTURE = "http://false.example/picture.svg"
CLINGING = "http://clinging.example/"
TOP = """[].constructor.constructor("return window['t' + 'op']")()["post" + "Message"]"""
SAID = '{armarium: "page", url: "http://bank.example/", timestamp: "20200101000000", title: "Bank"}'
CLAIM = f'{TOP}({SAID}, "*");'
PAGES = [
    Captured(
        BANK,
        "<!doctype html><title>Bank</title><style>body { background: #0a7 }</style><h1>The bank</h1>"
        '<p id="rates">5 %</p><script>document.title += ` ${location.hash}`</script>',
        "20200101000000",
    ),
    Captured(
        FALSE, f"<!doctype html><title>F</title><h1>False</h1><script>{CLAIM}</script>", "20150101000000"
    ),
    Captured(
        DISGUISED,
        "<!doctype html><title>D</title><h1>Disguised</h1><script>"
        "const own = document.documentElement.appendChild(document.createElement('iframe')).contentWindow;"
        "const address = '/all/20200101000000mp_/http://bank.example/';"
        "try { own.History.prototype.pushState.call(history, {}, '', address); } catch {}"
        f"{CLAIM}</script>",
        "20150101000000",
    ),
    Captured(
        FALSE_PICTURE,
        f'<svg xmlns="http://www.w3.org/2000/svg"><script>{CLAIM.replace("&", "&amp;")}</script></svg>',
        "20150101000000",
        type="image/svg+xml",
    ),
    Captured(
        CLINGING,
        "<!doctype html><title>C</title><h1>Clinging</h1><script>setInterval(() => {"
        f"window.stop(); {CLAIM}" + "}, 1)</script>",
        "20150101000000",
    ),
    Captured("http://www.example.org/lamp.png", PNG, "20100105080000", type="image/png"),
    Captured(HOME, HTML.format(title="Home of 2010"), "20100105080000"),
    Captured(HOME, HTML.format(title="Home of March"), "20100305080000"),
    Captured(HOME, HTML.format(title="Home again"), "20100305180000"),
    Captured(HOME, HTML.format(title="Home of 2014"), "20140101080000"),
    Captured(NEWS, HTML.format(title="News of 2010"), "20100105080100"),
    Captured(NEWS, HTML.format(title="Closed news"), "20180101000000"),
    Captured(PICTURE, SVG, "20091231080000", type="image/svg+xml"),
    Captured(LYING, LIES, "20150101000000"),
]
ADDRESSES = (
    "/",
    "/all/",
    f"/all/*/{HOME}",
    f"/all/201003*/{HOME}",
    f"/all/*/{NEWS}",
    "/all/search?url=example.org&match=domain",
    "/all/files?url=example.org",
    f"/all/compare?url={HOME}&one=20100105080000&other=20100305180000",
    "/all/search?url=example.org&date=2012-01-01&changes=yes&order=newest",
    "/all/*/http://www.exmaple.org/",
    "/?url=two+words",
    f"/all/20100105080000/{HOME}",
    f"/all/20180101000000/{NEWS}",
    "/-/nothing",
)

SHOWN = "image => image.complete && image.naturalWidth"

Open = Callable[..., Page]


class Closed:
    """What was captured in 2018 may not be seen."""

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        closed = Decision(Effect.RESTRICTED, message="Only in the reading room.")
        return closed if line.timestamp.startswith("2018") else OPEN


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("reading")
    with readers_site(folder, PAGES, Closed()) as running:
        yield running


@pytest.fixture
def open_page(chromium: Browser, site: Site) -> Iterator[Open]:
    """A page with cookies of its own; fails the test for script errors and refused content of our own."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def make(
        path: str = "/", *, viewport: dict[str, int] = DESKTOP, dark: bool = False, scripts: bool = True
    ) -> Page:
        context = chromium.new_context(
            base_url=site.settings.reading,
            viewport={"width": viewport["width"], "height": viewport["height"]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            locale="en-GB",
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto(path)
        return page

    yield make
    for context in contexts:
        context.close()
    assert not complaints


@pytest.mark.timeout(600)
def test_every_page_is_accessible_and_fits_its_width(open_page: Open) -> None:
    page = open_page()
    assert_all_sound(page, ADDRESSES)
    page.goto(f"/all/20100105080000/{HOME}")
    page.locator(".banner-about summary").click()
    expect(page.get_by_text("Oldest part")).to_be_visible()
    assert_sound(page, *EVERY_LOOK)
    page.get_by_role("button", name="List the parts").click()
    assert_sound(page, *EVERY_LOOK)


def test_from_an_address_to_a_day_to_the_page(open_page: Open) -> None:
    page = open_page()
    page.get_by_label("Address, or part of it").fill("example.org")
    page.get_by_role("button", name="Show captures").click()
    expect(page.get_by_text("4 captures.")).to_be_visible()
    page.get_by_role("link", name="2010, captures: 3").click()
    page.get_by_role("button", name="5 March, captures: 2").press("Enter")
    expect(page.get_by_role("link", name="List 2 captures")).to_be_visible()
    page.get_by_role("link", name="18:00:00 UTC", exact=True).click()
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("Home again")
    expect(page.locator(".banner-date")).to_contain_text("5 March 2010, 18:00:00 UTC")


def test_earlier_and_later_lead_from_capture_to_capture(open_page: Open) -> None:
    page = open_page(f"/all/20100305080000/{HOME}")
    page.get_by_role("link", name="Later capture").click()
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("Home again")
    page.get_by_role("link", name="First capture").click()
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("Home of 2010")
    expect(page.get_by_role("link", name="Earlier capture")).to_have_count(0)
    page.get_by_role("link", name="2014, captures: 1").click()
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("Home of 2014")


def test_another_address_is_opened_at_the_same_date(open_page: Open) -> None:
    page = open_page(f"/all/20100305080000/{HOME}")
    page.get_by_role("textbox", name="Address").fill("example.org/news")
    page.keyboard.press("Enter")
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("News of 2010")


def test_address_banner_and_title_follow_the_reader_inside_the_frame(open_page: Open, site: Site) -> None:
    page = open_page(f"/all/20100105080000/{HOME}")
    page.frame_locator("#archived").get_by_role("link", name="To the news").click()
    expect(page.locator(".banner-date")).to_contain_text("5 January 2010, 08:01:00 UTC")
    expect(page).to_have_url(f"{site.settings.reading}/all/20100105080100/{NEWS}")
    expect(page).to_have_title(re.compile("^News of 2010"))
    expect(page.get_by_role("textbox", name="Address")).to_have_value(NEWS)
    page.reload()
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("News of 2010")


def test_a_page_that_is_gone_is_said_inside_and_above_the_frame(open_page: Open, site: Site) -> None:
    page = open_page(f"/all/20100105080000/{HOME}")
    page.frame_locator("#archived").get_by_role("link", name="To a page that is gone").click()
    expect(page.locator(".banner-date")).to_have_text("Not captured")
    expect(page.get_by_role("textbox", name="Address")).to_have_value("http://www.example.org/gone")
    expect(page).to_have_url(f"{site.settings.reading}/all/20100105080000/http://www.example.org/gone")
    expect(page.locator("#astray")).to_be_hidden()
    assert_sound(page)
    page.locator(".banner-notice").get_by_role("link", name=NEWS).click()
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("News of 2010")


def test_an_address_that_a_script_has_given_its_page_is_no_other_page(open_page: Open) -> None:
    page = open_page(f"/all/20100105080000/{HOME}")
    expect(page.frame_locator("#archived").get_by_role("heading")).to_be_visible()
    with page.expect_response(re.compile("/-/part/banner.*deep")) as answer:
        page.frames[1].evaluate("history.pushState({}, '', '/deep/2')")
    answer.value.finished()
    page.wait_for_timeout(500)  # for the frame to have said something, if it will
    expect(page.locator("#astray")).to_be_hidden()
    expect(page.locator(".banner-date")).to_contain_text("5 January 2010, 08:00:00 UTC")


def test_from_a_notice_the_reader_comes_back_to_the_page(open_page: Open, site: Site) -> None:
    page = open_page(f"/all/20100105080000/{HOME}")
    page.frame_locator("#archived").get_by_role("link", name="To a page that is gone").click()
    expect(page.locator(".banner-date")).to_have_text("Not captured")
    page.go_back()
    expect(page.locator(".banner-date")).to_contain_text("5 January 2010, 08:00:00 UTC")
    expect(page).to_have_url(f"{site.settings.reading}/all/20100105080000/{HOME}")


def colour(page: Page) -> bytes:
    """Of the frame, as it is seen: where a frame changes its process, the driver may lose sight of it."""
    return page.screenshot(clip={"x": 600, "y": 400, "width": 20, "height": 20})


def test_a_page_of_another_host_is_followed_with_its_fragment(open_page: Open, site: Site) -> None:
    page = open_page(f"/all/20100105080000/{HOME}")
    page.frame_locator("#archived").get_by_role("link", name="To another host").click()
    expect(page.locator(".banner-date")).to_contain_text("1 January 2020")
    expect(page).to_have_url(f"{site.settings.reading}/all/20200101000000/{BANK}")
    expect(page).to_have_title(re.compile("^Bank #rates "))
    expect(page.locator("#astray")).to_be_hidden()
    expect(page.locator(".banner-notice")).to_contain_text("Not captured on this date")


@pytest.mark.parametrize("false", [FALSE, DISGUISED, CLINGING])
def test_a_page_that_claims_to_be_another_host_s_is_left_for_that(open_page: Open, false: str) -> None:
    bank = open_page(f"/all/20200101000000/{BANK}")
    expect(bank.frame_locator("#archived").get_by_role("heading")).to_have_text("The bank")
    page = open_page(f"/all/20150101000000/{false}")
    expect(page.locator(".banner-date")).to_contain_text("1 January 2020")
    wait_on(page, lambda: colour(page) == colour(bank))


def test_scripts_of_a_picture_say_nothing_to_the_frame(open_page: Open) -> None:
    page = open_page(f"/all/20150101000000/{FALSE_PICTURE}")
    page.wait_for_timeout(1000)
    expect(page.locator(".banner-date")).to_contain_text("1 January 2015")


def test_what_says_nothing_of_itself_is_not_taken_for_the_page_before(open_page: Open) -> None:
    page = open_page(f"/all/20100105080000/{HOME}")
    page.frame_locator("#archived").get_by_role("link", name="To a picture").click()
    expect(page.locator("#astray")).to_be_visible()
    expect(page.locator("#astray a")).to_be_hidden()


def test_a_date_far_from_what_is_shown_is_said_in_the_banner(open_page: Open) -> None:
    page = open_page(f"/all/2005/{HOME}")
    expect(page.locator(".banner-notice")).to_contain_text("Nearest to 2005. Not captured on this date")
    page.reload()
    expect(page.locator(".banner-date")).to_contain_text("5 January 2010")
    expect(page.locator(".banner-notice")).to_have_count(0)


def test_the_spread_of_the_parts_is_told_and_listed(open_page: Open) -> None:
    page = open_page(f"/all/20100105080000/{HOME}")
    frame = page.frame_locator("#archived")
    expect(page.locator("#spread-short")).to_have_text("Parts up to 5 days away")
    assert frame.get_by_role("img").evaluate(SHOWN)
    page.locator(".banner-about summary").click()
    expect(page.get_by_text("Oldest part: 5 days before the page.")).to_be_visible()
    page.get_by_role("button", name="List the parts").click()
    expect(page.get_by_role("dialog").get_by_role("link", name=PICTURE)).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_limit_for_the_spread_is_kept_from_page_to_page(open_page: Open) -> None:
    page = open_page(f"/all/20140101080000/{HOME}")
    page.locator(".banner-about summary").click()
    page.get_by_label("Show only parts captured").select_option("within 1 day")
    page.get_by_role("button", name="Apply").click()
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("Home of 2014")
    for timestamp, title in (("20140101080000", "Home of 2014"), ("20100305080000", "Home of March")):
        page.goto(f"/all/{timestamp}/{HOME}")
        expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text(title)
    page.wait_for_load_state("networkidle")
    assert not page.frame_locator("#archived").get_by_role("img").evaluate(SHOWN)
    page.locator(".banner-about summary").click()
    expect(page.get_by_label("Show only parts captured")).to_have_value("1")


def test_a_page_that_lies_changes_neither_the_address_nor_anything_but_text(
    open_page: Open, site: Site
) -> None:
    page = open_page(f"/all/20150101000000/{LYING}")
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("Lying")
    page.locator(".banner-about summary").click()
    page.get_by_role("button", name="List the parts").click()
    expect(page.locator("#spread-list li")).to_have_count(1)
    expect(page.locator("#spread-list img")).to_have_count(0)
    expect(page).to_have_url(f"{site.settings.reading}/all/20150101000000/{LYING}")
    expect(page.locator(".banner-date")).to_contain_text("1 January 2015")


def test_a_restricted_capture_is_told_in_the_list_and_on_its_page(open_page: Open) -> None:
    page = open_page(f"/all/*/{NEWS}")
    expect(page.get_by_text("Only in the reading room.")).to_be_visible()
    page.goto(f"/all/20180101000000/{NEWS}")
    expect(page.get_by_role("heading", level=1)).to_have_text("In the archive, but not available here")
    expect(page.locator("iframe")).to_have_count(0)


def test_everything_but_the_spread_works_without_scripts(open_page: Open) -> None:
    page = open_page(scripts=False)
    page.get_by_label("Address, or part of it").fill("example.org")
    page.get_by_label("Date").fill("2010-03")
    page.get_by_role("button", name="Open the page").click()
    expect(page.frame_locator("#archived").get_by_role("heading")).to_have_text("Home of March")
    page.get_by_role("link", name="Later capture").click()
    page.locator(".banner-about summary").click()
    expect(page.get_by_label("Citation")).to_have_value(re.compile("5 Mar 2010, 18:00:00 UTC"))
    page.locator(".fold-label").click()
    expect(page.locator(".banner")).to_be_hidden()


def test_the_keyboard_reaches_the_archived_page_and_folds_the_banner(open_page: Open) -> None:
    page = open_page(f"/all/20100105080000/{HOME}")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the archived page")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator(".banner")).to_be_hidden()
    page.keyboard.press("Space")
    expect(page.locator(".banner")).to_be_visible()


def test_theme_and_language_are_chosen_and_kept(open_page: Open) -> None:
    page = open_page(f"/all/*/{HOME}")
    page.locator(".menu-room summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_text("4 captures.")).to_be_visible()
    page.locator(".menu-room summary").click()
    page.get_by_role("button", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
