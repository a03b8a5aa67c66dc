"""Real Chromium on the real pages."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from armarium.db.database import Database
from tests.browser import soundness
from tests.browser.soundness import DESKTOP as DESKTOP
from tests.browser.soundness import PHONE as PHONE
from tests.chromium import running_chromium
from tests.site import RunningSite, running_site

PATIENCE = 60_000  # milliseconds
expect.set_options(timeout=PATIENCE)

NewPage = Callable[..., Page]


@pytest.fixture(scope="module")  # not longer: Playwright keeps an event loop running in this thread
def chromium(request: pytest.FixtureRequest) -> Iterator[Browser]:
    soundness.every_look_of_each = request.config.getoption("--all")
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path) as running:
        yield running


@pytest.fixture
def new_page(chromium: Browser, site: RunningSite) -> Iterator[NewPage]:
    """Make a page with cookies of its own; fails the test for script errors and blocked content."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def make(*, viewport: dict[str, int] = DESKTOP, dark: bool = False, scripts: bool = True) -> Page:
        context = chromium.new_context(
            base_url=site.address,
            viewport={"width": viewport["width"], "height": viewport["height"]},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",  # nothing fades while it is looked at
            java_script_enabled=scripts,
            locale="en-GB",
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert not complaints


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()
