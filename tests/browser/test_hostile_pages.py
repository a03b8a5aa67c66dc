"""Archived pages that mean harm, in a real browser: nothing leaves the origin of the content."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.outside import Outside, outside
from tests.integration.access.replay.serving import Served, serving
from tests.integration.access.world import Page as Captured
from tests.integration.access.world import world_of
from tests.sites.hostile_pages import ATTEMPTS, OUTSIDE, hostile

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
    if CHROMIUM is None:
        pytest.skip("There is no Chromium on this machine: apt-get install chromium")
    folder: Path = tmp_path_factory.mktemp("hostile")
    with outside() as world, outside() as staff:
        address = f"http://127.0.0.1:{staff.port}"
        pages = [
            Captured(f"http://hostile.example/{number}", hostile(name, staff=address, stun=world.port))
            for number, name in enumerate(ATTEMPTS)
        ]
        with serving(world_of(folder, pages).site) as served, sync_playwright() as playwright:
            # The name of the outside leads to it. All others but our own are unknown: browsers ask for some.
            rules = (
                f"MAP {OUTSIDE} 127.0.0.1:{world.port}, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
            )
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=[*ARGUMENTS, f"--host-resolver-rules={rules}"]
            )
            yield Stage(browser, served, world, staff)
            browser.close()


@pytest.fixture
def context(stage: Stage) -> Iterator[BrowserContext]:
    context = stage.browser.new_context()
    context.set_default_timeout(20_000)
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
