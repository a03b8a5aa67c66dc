"""Every page of the staff site that links lead to, in a house in which something happens in every room."""

import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Page

from armarium.accounts.model import Role
from armarium.db.database import Database
from tests.browser import soundness
from tests.browser.soundness import EVERY_LOOK, assert_all_sound
from tests.browser.steps import enter
from tests.busy import fill
from tests.site import RunningSite

MORE = Path(__file__).parents[1] / "integration" / "web" / "walking.sql"
LINKS = "all => all.map(one => one.getAttribute('href').split('#')[0])"
#: What is no page: files, pictures, parts, other sites.
NO_PAGE = re.compile(
    r"\.\w+$|/(content|file|picture|record|named/.+/records/\d+)$|/panels/|"
    r"^/(access/(go|pictures|panels)|static|live|metrics|healthz|readyz|sign-in/openid)"
)


def kind(address: str) -> str:
    """Of pages that differ in what they are about, one stands for all."""
    path = address.partition("?")[0]
    path = re.sub(r"^/help/.+", "/help/…", path)
    path = re.sub(r"(/panels|/named|/refused|/targets/\d+|/configurations|/seed-lists)/[^/]+$", r"\1/…", path)
    return re.sub(r"/\d[\d-]*(?=/|$)", "/…", path)


@pytest.fixture
def busy(site: RunningSite, database: Database) -> RunningSite:
    site.account("ada", *Role)
    fill(database)
    with psycopg.connect(database.url) as connection:
        connection.execute(MORE.read_bytes())
    return site


def walk(page: Page) -> Iterator[str]:
    """From the menu on; with --all from there to wherever links lead, else no further."""
    seen, found = {"/"}, ["/"]
    for address in found:
        yield address
        links = "a[href^='/']" if soundness.every_look_of_each else "nav.places a[href^='/']"
        for link in page.locator(links).evaluate_all(LINKS):
            if kind(link) not in seen and not NO_PAGE.search(link.partition("?")[0]):
                seen.add(kind(link))
                found.append(link)


@pytest.mark.timeout(600)
def test_every_page_is_sound(page: Page, busy: RunningSite) -> None:
    enter(page, busy, "ada")
    looks = cycle(EVERY_LOOK)
    for address in walk(page):
        assert_all_sound(page, [address], *(EVERY_LOOK if soundness.every_look_of_each else [next(looks)]))
