"""The page of a running job, while it changes under the hands of its reader."""

from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.planning.jobs import page_queries, queries
from armarium.planning.model import JobState
from tests.browser.conftest import PHONE, NewPage
from tests.browser.soundness import assert_sound
from tests.browser.steps import enter
from tests.integration.planning.jobs.world import NOON, STATUS, world_in
from tests.site import RunningSite

LINE = (
    "2026-05-01T12:00:00.000Z   200       1299 http://www.example.fr/" + "a-long-name" * 12 + " L "
    'http://www.example.fr/ text/html #001 20260501120000000+12 sha1:ABC - - {"contentSize":1299}'
)


def job_with_a_preview(database: Database) -> int:
    """One that asks whether its filter is to be added, and has a log."""
    with database.transaction() as connection:
        world = world_in(connection)
        number = world.job(JobState.STARTED, reported_at=NOON)
        world.holds(number, world.domain("example.fr"))
        asked = {"job": number, "attempt": 1, "by": "ada", "created_at": NOON}
        answered = {"sent_at": NOON, "answered_at": NOON, "accepted": True}
        preview = {
            "verb": "filter",
            "arguments": {"pattern": "/cal/", "preview": True},
            "answer": {"queued": 0},
        }
        page_queries.add_command(connection, {**asked, **answered, **preview})
        search = {"verb": "log", "arguments": {"pattern": "x", "most": 9}, "answer": {"lines": [LINE] * 3}}
        page_queries.add_command(connection, {**asked, **answered, **search})
    beat(database, number, 1300)
    return number


def beat(database: Database, number: int, objects: int) -> None:
    with database.transaction() as connection:
        report = {"phase": "crawling", "report": {**STATUS, "objects": objects}, "tail": [LINE] * 4}
        queries.change(connection, number, report=report)
        announce(connection, f"job_{number}")


def test_what_is_chosen_on_a_live_page_stays_chosen(
    page: Page, site: RunningSite, database: Database
) -> None:
    number = job_with_a_preview(database)
    site.account("ada", Role.ADMINISTRATOR)
    enter(page, site, "ada")
    page.goto(f"/harvesting/jobs/{number}")
    expect(page.get_by_text("Live")).to_be_visible()
    kept = page.locator("#job-more").get_by_label("Use for")
    kept.focus()
    kept.select_option("domain")
    for objects in (1301, 1302):
        beat(database, number, objects)
        expect(page.get_by_text(f"{objects:,}")).to_be_visible()
        expect(kept).to_have_value("domain")
    expect(kept).to_be_focused()


def test_the_buttons_of_a_job_follow_its_state(page: Page, site: RunningSite, database: Database) -> None:
    with database.transaction() as connection:
        number = world_in(connection).job(JobState.NEW)
    site.account("ada", Role.ADMINISTRATOR)
    enter(page, site, "ada")
    page.goto(f"/harvesting/jobs/{number}")
    expect(page.get_by_text("Live")).to_be_visible()
    cancel, resubmit = (page.get_by_role("button", name=name) for name in ("Cancel job", "With the "))
    expect(cancel).to_be_visible()
    state = page.locator(".badge > span:not(.unseen)").first  # "new" in a sentence, "New" on a badge
    assert state.evaluate("one => getComputedStyle(one, '::first-letter').textTransform") == "uppercase"
    expect(resubmit).to_have_count(0)
    with database.transaction() as connection:
        queries.change(connection, number, state=JobState.FAILED, error="No space is left.")
        announce(connection, f"job_{number}")
    page.get_by_text("Resubmit", exact=True).click()
    expect(resubmit).to_have_count(2)
    expect(cancel).to_have_count(0)
    expect(page.get_by_text("No space is left.")).to_be_visible()


def test_the_log_of_a_job_can_be_read_on_a_phone(
    new_page: NewPage, site: RunningSite, database: Database
) -> None:
    number = job_with_a_preview(database)
    site.account("ada", Role.ADMINISTRATOR)
    page = new_page(viewport=PHONE)
    enter(page, site, "ada")
    page.goto(f"/harvesting/jobs/{number}")
    assert_sound(page)
    page.get_by_text("Last lines of the log").click()
    lines = page.locator(".log-lines")
    assert [lines.nth(place).evaluate("one => one.scrollWidth - one.clientWidth") for place in (0, 1)] == [
        0,
        0,
    ]
    expect(page.locator("#log-tail")).not_to_contain_text("contentSize")
