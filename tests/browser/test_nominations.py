"""Nominations, the legal scope and digests in a browser: every width, both themes, by keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.selection.collections.model import Choices
from armarium.selection.legal.model import Criterion
from armarium.selection.legal.service import LegalScope
from armarium.selection.nominations.model import Proposal
from armarium.selection.nominations.service import Nominations
from tests.browser.conftest import PHONE, NewPage
from tests.browser.soundness import EVERY_LOOK, assert_all_sound, assert_sound
from tests.browser.steps import enter
from tests.integration.selection.world import World, world
from tests.site import RunningSite, running_site

LONG = "https://press.example/" + "a-very-long-name-of-a-folder/" * 8
OF_STAFF = (
    "/selection/nominations",
    "/selection/nominations?state=declined",
    "/selection/nominations/1",
    "/selection/nominations/2",
    "/selection/records/1/scope",
    "/selection/digest",
)


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    library = world(database)
    choices = Choices("Press", "Newspapers and journals.", open_to_nominations=True)
    library.collections.change(SYSTEM, library.press.id, choices)
    with running_site(database, tmp_path / "home") as running:
        running.account("carl", Role.CURATOR)
        furnish(library, running)
        yield running


def furnish(library: World, running: RunningSite) -> None:
    services: Services = running.app.state.services
    made = library.record("https://choir.example/", title="Choir")
    scope = services.get(LegalScope)
    scope.note(library.cora, made.id, Criterion.POSTAL, True, "Lyon, on the page of contacts.\nSeen twice.")
    nominations = services.get(Nominations)
    reader = Actor("a reader", Via.PAGE, address="192.0.2.1")
    nominations.nominate(
        reader, Proposal("https://choir.example/", "Choir", "It sings.", "Nora"), language="en"
    )
    nominations.nominate(reader, Proposal(LONG, mail="n@home.example"), language="en")
    nominations.decline(library.cora, 2, "Out of scope.")


def test_the_pages_are_sound(page: Page, site: RunningSite) -> None:
    page.goto("/nominate")
    assert_sound(page, *EVERY_LOOK)
    enter(page, site, "carl")
    assert_all_sound(page, OF_STAFF)


def test_a_reader_nominates_and_a_curator_accepts_by_keyboard(new_page: NewPage, site: RunningSite) -> None:
    reader = new_page(viewport=PHONE)
    reader.goto("/nominate")
    reader.get_by_label("Address of the site").focus()
    reader.keyboard.type("opera.example")
    reader.keyboard.press("Tab")
    reader.keyboard.type("Opera")
    reader.keyboard.press("Enter")
    expect(reader.get_by_role("heading", level=1)).to_have_text("Thank you")
    curator = new_page()
    enter(curator, site, "carl")
    curator.goto("/selection/nominations")
    curator.get_by_role("link", name="Opera").focus()
    curator.keyboard.press("Enter")
    curator.get_by_label("Collection").select_option(label="Press")
    curator.get_by_role("button", name="Create record").focus()
    curator.keyboard.press("Enter")
    expect(curator.get_by_text("The nomination is now a record.")).to_be_visible()


def test_programs_see_the_trap_and_people_do_not(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/nominate")
    expect(page.locator("#homepage")).not_to_be_in_viewport()
    for _ in range(20):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") != "homepage"
