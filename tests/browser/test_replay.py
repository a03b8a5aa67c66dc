"""Archived pages in a real browser: they work as they did, and ask nobody but the archive."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, Request

from tests.browser.conftest import PATIENCE
from tests.browser.steps import wait_on
from tests.chromium import chromium_as_people_have_it, need_chromium, running_chromium
from tests.integration.access.replay.serving import Served, serving
from tests.integration.access.world import Page as Captured
from tests.integration.access.world import world_of
from tests.sites.living_page import EXPECTED, SITE, living_pages, png

PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
)
FRAMESET = (
    "<html><frameset cols='50%,50%'><frame src=a.html name=a><frame src=b.html name=b></frameset></html>"
)
STORE = "http://store.example"
# What a page of an application does first. It tells on its body what came of each.
STORING = """<!doctype html><title>Store</title><body><script type=module>
const told = (name, value) => document.body.setAttribute("data-" + name, value);
const opened = indexedDB.open("shelf", 1);
opened.onupgradeneeded = () => opened.result.createObjectStore("books");
opened.onsuccess = () => told("database", "kept");
opened.onerror = () => told("database", "denied");
const cache = await caches.open("pages");
await cache.put("/page", new Response("kept"));
told("cache", await (await cache.match("/page")).text());
const shared = new SharedWorker("/shared.js");
shared.port.onmessage = (event) => told("worker", event.data);
shared.port.postMessage(20);
const modern = new SharedWorker("/shared.mjs", {type: "module"});
modern.port.onmessage = (event) => told("module", event.data);
modern.port.postMessage(30);
const worker = new Worker("/worker.mjs", {type: "module"});
worker.onmessage = (event) => told("fetched", event.data);
const sheet = await import("./sheet.css", {with: {type: "css"}});
told("sheet", sheet.default.cssRules[0].selectorText);
</script>"""
SHARED = (
    "onconnect = (event) => { const port = event.ports[0];"
    " port.onmessage = (said) => port.postMessage(said.data + 1) }"
)
LOOPBACK_ONLY = (
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1"
)
FETCHING = """import {one} from "./one.mjs";
postMessage(await (await fetch("http://store.example/data.txt")).text() + one)"""
RUNNING = "<script>document.documentElement.dataset.ran = 1</script>"
OTHERS = [
    Captured("http://old.example/", FRAMESET),
    Captured("http://old.example/a.html", "<html><body>left <a href=c.html target=b>go</a></body></html>"),
    Captured("http://old.example/b.html", "<html><body>right</body></html>"),
    Captured("http://old.example/c.html", "<html><body>third</body></html>"),
    Captured("http://spread.example/", "<!doctype html><img src=old.png><img src=new.png>", "20200101000000"),
    Captured("http://spread.example/old.png", png(1), "20150101000000", "image/png"),
    Captured("http://spread.example/new.png", png(1), "20200101000005", "image/png"),
    Captured("http://papers.example/paper.pdf", PDF, type="application/pdf"),
    Captured("http://moved.example/", "", status="301 Moved", headers=(("Location", f"{SITE}/next.html"),)),
    Captured(f"{STORE}/", STORING),
    Captured(f"{STORE}/shared.js", SHARED, type="text/javascript"),
    Captured(f"{STORE}/shared.mjs", SHARED.replace("onconnect", "self.onconnect"), type="text/javascript"),
    Captured(f"{STORE}/worker.mjs", FETCHING, type="text/javascript"),
    Captured(f"{STORE}/one.mjs", "export const one = window ? 0 : 1", type="text/javascript"),
    Captured(f"{STORE}/data.txt", "then ", type="text/plain"),
    Captured(f"{STORE}/data.txt", "later ", "20230101000000", "text/plain"),
    Captured(f"{STORE}/sheet.css", "b { color: red }", type="text/css"),
    Captured("http://links.example/", "<a id=missing href=/missing>gone</a>"),
    Captured(
        "http://svg.example/",
        f'<svg xmlns="http://www.w3.org/2000/svg">{RUNNING}</svg>',
        type="image/svg+xml",
    ),
]


@dataclass
class Room:
    """A browser before the two origins, and what it asked for elsewhere."""

    browser: Browser
    served: Served
    asked: list[str] = field(default_factory=list)

    def elsewhere(self) -> list[str]:
        ours = (self.served.reading, self.served.content, "data:", "blob:", "chrome")
        return [address for address in self.asked if not address.startswith(ours)]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    need_chromium()
    world = world_of(tmp_path_factory.mktemp("living"), [*living_pages(), *OTHERS])
    with serving(world.site) as served, running_chromium(LOOPBACK_ONLY) as browser:
        yield Room(browser, served)


@pytest.fixture
def page(room: Room) -> Iterator[Page]:
    with page_in(room.browser, room) as page:
        yield page


@contextmanager
def page_in(browser: Browser, room: Room) -> Iterator[Page]:
    context: BrowserContext = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    room.asked.clear()

    def note(request: Request) -> None:
        room.asked.append(request.url)

    context.on("request", note)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def blocking(room: Room, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The whole Chromium: the one without windows has neither such settings nor a viewer of PDF.

    Its new contexts are private windows, which deny frames of another site what is not kept apart for them.
    """
    switches = (LOOPBACK_ONLY, "--disable-features=ThirdPartyStoragePartitioning")
    with chromium_as_people_have_it(room.browser, tmp_path_factory.mktemp("profile"), *switches) as found:
        yield found


def opened(room: Room, page: Page, url: str) -> FrameLocator:
    page.goto(room.served.frame(url))
    return page.frame_locator("#archived")


def archived_url(page: Page) -> str:
    return page.frames[1].url


def test_everything_on_a_living_page_works_and_nothing_is_asked_elsewhere(room: Room, page: Page) -> None:
    frame = opened(room, page, f"{SITE}/")
    frame.locator("#styled").wait_for()
    archived = page.frames[1]
    try:
        archived.wait_for_function(f"Object.values(seen).filter(Boolean).length >= {len(EXPECTED)}")
    finally:
        seen = archived.evaluate("seen")
        assert {name for name, worked in seen.items() if worked} == EXPECTED
    style = archived.evaluate(
        "(() => { const s = getComputedStyle(document.getElementById('styled'));"
        " return [s.color, s.borderTopColor, s.outlineColor] })()"
    )
    assert style == ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "rgb(7, 8, 9)"]
    assert room.elsewhere() == []


@pytest.mark.parametrize(
    ("click", "shown", "url"),
    [
        ("#next", "#next", f"{SITE}/next.html"),
        ("#blank", "#next", f"{SITE}/next.html"),
        ("#upwards", "#next", f"{SITE}/next.html"),
        ("#get button", "#found", f"{SITE}/search?q=owl"),
        ("#post button", "#sent", f"{SITE}/send"),
    ],
)
def test_links_and_forms_lead_on_inside_the_frame(
    room: Room, page: Page, click: str, shown: str, url: str
) -> None:
    frame = opened(room, page, f"{SITE}/")
    page.frames[1].wait_for_load_state()
    frame.locator(click).click()
    frame.locator(f"p{shown}").wait_for()
    assert archived_url(page) == room.served.archived(url)
    page.wait_for_function(f"told.some((said) => said.armarium === 'page' && said.url === '{url}')")
    assert room.elsewhere() == []
    assert len(page.context.pages) == 1


STORED = {"cache": "kept", "worker": "21", "module": "31", "fetched": "then 1", "sheet": "b"}


def stored(page: Page, *names: str) -> dict[str, str]:
    frame = page.frames[1]
    frame.wait_for_function(f"{list(names)}.every((name) => name in document.body.dataset)")
    return dict(frame.evaluate("({...document.body.dataset})"))


def test_caches_shared_workers_and_sheets_as_modules_work_without_storage(
    room: Room, blocking: Browser
) -> None:
    with page_in(blocking, room) as page:
        opened(room, page, f"{STORE}/")
        found = stored(page, *STORED, "database")
        assert found.items() == {**STORED, "database": "denied"}.items()
        assert room.elsewhere() == []


def test_a_database_works_in_frames_of_another_site(room: Room, tmp_path: Path) -> None:
    """Browsers keep it apart for each site around the frame, unless their users have blocked it."""
    with chromium_as_people_have_it(room.browser, tmp_path, LOOPBACK_ONLY) as browser:
        page = browser.contexts[0].new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(room.served.frame(f"{STORE}/"))
        assert stored(page, *STORED, "database").items() == {**STORED, "database": "kept"}.items()
        assert page.evaluate("indexedDB.databases().then((all) => all.length)") == 0


def test_a_database_works_where_both_names_belong_to_one_site(room: Room, tmp_path: Path) -> None:
    """Also where it is blocked in frames of another site; and it is none of the readers' origin."""
    world = world_of(tmp_path, [page for page in OTHERS if page.url.startswith(STORE)])
    names = ("read.archive.localhost", "content.archive.localhost")
    with serving(world.site, names=names) as served, room.browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(served.frame(f"{STORE}/"))
        assert stored(page, *STORED, "database").items() == {**STORED, "database": "kept"}.items()
        assert page.evaluate("indexedDB.databases().then((all) => all.length)") == 0


def test_a_link_out_of_an_inner_frame_leads_on_in_the_frame(room: Room, page: Page) -> None:
    frame = opened(room, page, f"{SITE}/")
    page.frames[1].wait_for_load_state()
    frame.frame_locator("#inner").locator("#out").click()
    frame.locator("p#next").wait_for()


def test_old_pages_with_frames_lead_from_one_into_the_other(room: Room, page: Page) -> None:
    opened(room, page, "http://old.example/")
    page.wait_for_function("told.length > 0")
    left = next(frame for frame in page.frames if frame.url.endswith("a.html"))
    left.locator("a").click()
    page.frames[1].wait_for_load_state()
    wait_on(page, lambda: any(frame.url.endswith("c.html") for frame in page.frames))


def test_the_frame_is_told_when_each_part_was_captured(room: Room, page: Page) -> None:
    opened(room, page, "http://spread.example/")
    page.wait_for_function("told.filter((said) => said.armarium === 'part').length >= 2")
    told = page.evaluate("told")
    parts = {said["url"]: said["timestamp"] for said in told if said.get("armarium") == "part"}
    assert parts["http://spread.example/old.png"] == "20150101000000"
    assert parts["http://spread.example/new.png"] == "20200101000005"
    assert {
        "armarium": "page",
        "url": "http://spread.example/",
        "loaded": "http://spread.example/",
        "timestamp": "20200101000000",
        "title": "",
    } in told


def test_a_limit_for_the_spread_leaves_old_parts_out(room: Room, page: Page) -> None:
    page.goto(room.served.frame("http://spread.example/"))
    src = f"{room.served.content}/-/spread?days=30&to=/all/20200101000000mp_/http://spread.example/"
    page.evaluate(f"document.getElementById('archived').src = '{src}'")
    frame = page.frame_locator("#archived")
    frame.locator("img").first.wait_for(state="attached")
    page.frames[1].wait_for_load_state()
    widths = page.frames[1].evaluate("[...document.images].map((one) => one.naturalWidth)")
    assert widths == [0, 1]


def test_a_missing_page_says_so_in_the_frame_and_to_it(room: Room, page: Page) -> None:
    frame = opened(room, page, "http://links.example/")
    frame.locator("#missing").click()
    frame.get_by_role("heading", name="Not captured").wait_for()
    page.wait_for_function("told.some((said) => said.reason === 'missing')")
    calendar = frame.get_by_role("link", name="New search")
    calendar.click()
    page.wait_for_url(f"{room.served.reading}/all/*/http://links.example/missing", wait_until="commit")


def test_a_redirect_is_followed_inside_the_archive(room: Room, page: Page) -> None:
    frame = opened(room, page, "http://moved.example/")
    frame.locator("p#next").wait_for()
    assert room.elsewhere() == []


def test_a_window_of_its_own_is_led_back_into_the_frame(room: Room, page: Page) -> None:
    page.goto(room.served.archived(f"{SITE}/next.html"))
    assert page.url == room.served.frame(f"{SITE}/next.html")


def test_scripts_in_a_picture_do_not_run(room: Room, page: Page) -> None:
    opened(room, page, "http://svg.example/")
    assert page.frames[1].evaluate("document.documentElement.dataset.ran") is None
    policy = page.request.get(room.served.archived("http://svg.example/")).headers["content-security-policy"]
    assert "sandbox" in policy


def test_a_pdf_is_not_blocked(room: Room, blocking: Browser) -> None:
    blocked: list[str] = []
    with page_in(blocking, room) as page:
        page.on("console", lambda said: blocked.append(said.text))
        page.on("requestfailed", lambda request: blocked.append(f"{request.url} {request.failure}"))
        opened(room, page, "http://papers.example/paper.pdf")
        # The viewer stands in a frame of the frame, and in it the document.
        wait_on(page, lambda: [one.url for one in page.frames].count(archived_url(page)) == 2)
    # Chromium ends the request itself where it hands what comes to its viewer.
    blocked = [one for one in blocked if not one.endswith(" net::ERR_ABORTED")]
    assert not [one for one in blocked if re.search("paper|sandbox|blocked", one)]
