"""Archived pages in Firefox: they work, and the banner knows them."""

from collections.abc import Iterator

import pytest

from armarium.access.requests.site import Site
from tests.browser.firefox import FIREFOX, Firefox, firefox
from tests.browser.readers import readers_site
from tests.integration.access.world import Page as Captured
from tests.sites.living_page import EXPECTED, SITE, living_pages

PLAIN = "http://plain.example/"
PAGES = [
    Captured(PLAIN, "<!doctype html><title>First</title><h1>First</h1><a id=on href=/second>on</a>"),
    Captured(f"{PLAIN}second", "<!doctype html><title>Second</title><h1>Second</h1>"),
]
SEEN = "Object.entries(window.seen || {}).filter((one) => one[1]).map((one) => one[0])"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if FIREFOX is None:
        pytest.skip("There is no Firefox on this machine: apt-get install firefox-esr")
    with readers_site(tmp_path_factory.mktemp("archive"), [*living_pages(), *PAGES]) as site:
        yield site


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox")) as browser:
        yield browser


def test_a_living_page_does_all_that_it_did(site: Site, browser: Firefox) -> None:
    browser.go(f"{site.settings.reading}/all/20200101000000/{SITE}/")
    browser.enter_frame()
    try:
        browser.wait(f"{SEEN}.length >= {len(EXPECTED)}")
    finally:
        seen = browser.run(f"return {SEEN}")
        browser.leave_frame()
        assert set(seen) == EXPECTED


def test_the_banner_follows_the_reader(site: Site, browser: Firefox) -> None:
    browser.go(f"{site.settings.reading}/all/20200101000000/{PLAIN}")
    browser.enter_frame()
    browser.run("document.getElementById('on').click()")
    browser.leave_frame()
    browser.wait(f"location.href.endsWith({f'/{PLAIN}second'!r})")
    browser.enter_frame()
    assert (
        browser.wait("document.querySelector('h1') && document.querySelector('h1').textContent") == "Second"
    )
    browser.leave_frame()
