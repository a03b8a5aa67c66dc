"""A curator's harvest from nothing: defined, previewed, activated, watched, steered, and looked back on."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from armarium.accounts.model import Profile, Role
from armarium.core.actor import SYSTEM
from armarium.formats.cdx.query import Query
from tests.acceptance.planning.archive import Archive, archive
from tests.acceptance.planning.machines import Machine
from tests.acceptance.planning.small_web import SmallWeb, host_of, small_web
from tests.acceptance.planning.wires import wires
from tests.browser.conftest import chromium  # noqa: F401
from tests.browser.steps import sign_in
from tests.site import PASSWORD
from tests.sites.serving import page as page_of

DOMAIN = "diary.example"
ARTICLES = 12
PATIENCE = 60_000  # milliseconds


def diary(request: bytes) -> bytes:
    """Some articles, and a calendar that has no end."""
    path = request.split(b" ")[1].decode()
    if path == "/robots.txt":
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    links = [f"/article/{number}" for number in range(ARTICLES)] if path == "/" else []
    if path == "/" or path.startswith("/calendar/"):
        day = int(path.rpartition("/")[2] or 0)
        links += [f"/calendar/{day + step}" for step in (1, 2)]
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return page_of(f"<title>{host_of(request)}{path}</title>{anchors}".encode())


@pytest.fixture
def web() -> Iterator[SmallWeb]:
    with small_web(diary) as web:
        yield web


@pytest.fixture
def there(tmp_path: Path, web: SmallWeb) -> Iterator[Archive]:
    """An archive with one collector, a profile without patience, and a curator."""
    with archive(tmp_path) as there, wires(1, 0) as [wire]:
        there.begin()
        wire.lead_to(there.port)
        there.furnish(web, [])
        with there.visit() as house:
            account = house.accounts.create(
                SYSTEM, Profile("grace", "Grace Hopper", "", "", frozenset({Role.CURATOR}))
            )
            link = house.accounts.password_link(SYSTEM, account.id)
            house.accounts.use_link(link.key, PASSWORD, "127.0.0.1")
        machine = Machine("crawler", tmp_path, wire, {}, there.enrolment())
        machine.start()
        try:
            yield there
        finally:
            machine.end()


@pytest.fixture
def page(chromium: Browser, there: Archive) -> Iterator[Page]:  # noqa: F811
    context = chromium.new_context(base_url=f"http://127.0.0.1:{there.port}", locale="en-GB")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, "grace")
    yield page
    context.close()


@pytest.mark.timeout(400)
def test_a_curator_harvests_a_site_from_nothing(page: Page, there: Archive, web: SmallWeb) -> None:
    _define(page, web)
    _preview_and_activate(page)
    _watch(page)
    _filter_the_calendar(page)
    _look_back(page, there)
    _harvest_again(there, web)


def _define(page: Page, web: SmallWeb) -> None:
    page.goto("/planning/domains/new")
    page.get_by_label("Name or address").fill(web.seed(DOMAIN))
    page.get_by_label("Seeds").fill(web.seed(DOMAIN))
    page.get_by_role("button", name="Create the domain").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(DOMAIN)
    page.get_by_role("link", name="Configurations").click()
    page.get_by_role("link", name="default", exact=True).first.click()
    page.get_by_label("Profile").select_option(label="small")
    page.get_by_role("button", name="Save").click()

    page.goto("/planning/harvests")
    page.get_by_role("link", name="New selective harvest").click()
    page.get_by_label("Name").fill("Diaries")
    page.get_by_label("Schedule").select_option(label="once")
    page.get_by_role("button", name="Create the harvest").click()
    page.get_by_label("Domains", exact=True).fill(DOMAIN)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("rowheader", name=DOMAIN)).to_be_visible()


def _preview_and_activate(page: Page) -> None:
    page.get_by_role("link", name="Overview").click()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Preview of the jobs").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview")
    expect(page.get_by_text(DOMAIN).first).to_be_visible()
    page.get_by_role("link", name="Diaries").first.click()
    page.get_by_role("button", name="Activate").click()


def _watch(page: Page) -> None:
    page.goto("/harvesting/running")
    row = page.get_by_role("link", name="Diaries")
    expect(row.first).to_be_visible(timeout=PATIENCE)  # it comes by itself, when the collector has it
    page.goto("/harvesting/jobs/1")
    page.get_by_text("Last lines of the log").click(timeout=PATIENCE)
    expect(page.get_by_text("/calendar/").first).to_be_visible(timeout=PATIENCE)


def _filter_the_calendar(page: Page) -> None:
    page.get_by_text("Add filter …").click()
    form = page.locator("form", has=page.get_by_role("button", name="Add filter"))
    form.get_by_label("Regular expression").fill("/calendar/")
    form.get_by_label("Only for the domain").fill(DOMAIN)
    form.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("button", name="Add this filter now")).to_be_visible(timeout=PATIENCE)
    answered = page.locator("form", has=page.get_by_role("button", name="Add this filter now"))
    answered.get_by_label("Use for").select_option(label="This job, and later ones for the domain")
    answered.get_by_role("button", name="Add this filter now").click()


def _look_back(page: Page, there: Archive) -> None:
    """Without its calendar the site has an end."""
    there.house.wait(lambda: there.states() == {"done": 1})
    page.goto("/harvesting/jobs/1")
    expect(page.get_by_text("Done").first).to_be_visible()
    page.goto("/planning/domains/1/history")
    expect(page.get_by_role("link", name="Diaries").first).to_be_visible()
    expect(page.get_by_text("Complete").first).to_be_visible()
    assert there.ask("SELECT traps FROM domain") == [{"traps": ["/calendar/"]}]
    [file] = [one for one in there.ask("SELECT * FROM arrival") if one["kind"] == "data"]
    assert file["state"] == "stored"
    for copy in there.copies(file["name"]):
        assert sha256(copy.read_bytes()).hexdigest() == file["sha256"]
    [result] = there.ask("SELECT objects, stop_reason FROM job_configuration")
    assert result["objects"] >= ARTICLES + 1
    assert result["stop_reason"] == "complete"


def _harvest_again(there: Archive, web: SmallWeb) -> None:
    """What has not changed is not stored again, and is found in both harvests."""
    there.house.wait(there.is_settled)
    there.begin_selective("Diaries again", [DOMAIN])
    there.house.wait(lambda: there.states() == {"done": 2})
    there.house.wait(there.is_settled)
    with there.visit() as house:
        lookup = house.storage.chain.lookup()
        for number in range(ARTICLES):
            first, second = lookup.search(Query(f"{web.seed(DOMAIN)}article/{number}")).lines
            assert (first.is_revisit, second.is_revisit) == (False, True)
            assert lookup.resolve(second) == first
            assert first.filename
            assert first.offset is not None
            record = house.storage.reader.record(first.filename, first.offset)
            assert record.target_uri == first.url
