"""Reading through the proxy in a real browser that trusts its authority."""

import base64
import socket
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser, BrowserContext, Page, ProxySettings, ViewportSize, expect

from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.access.proxy.authority import Authority
from armarium.formats.cdx import CdxLine
from tests.browser.conftest import DESKTOP, PATIENCE
from tests.browser.soundness import EVERY_LOOK, assert_sound
from tests.chromium import running_chromium
from tests.integration.access.proxy.world import OneWord, Proxied, Strangers, proxied
from tests.integration.access.world import Page as Capture
from tests.integration.access.world import World, world_of

DOT = base64.b64decode("R0lGODlhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs=")
HTTPS = """<!doctype html><html><head><title>Safe</title>
<link rel=stylesheet href="https://cdn.example/style.css">
<script src="https://cdn.example/own.js"></script></head>
<body><h1>Safe page of {year}</h1><img id=dot src="/dot.gif"><img id=lost src="/lost.png">
<p id=fetched></p><a href="http://plain.example/">to plain</a>
<form action="/answer" method=post><input name=a value=1><button>Send</button></form>
<script type=module>
const found = await fetch("https://api.example/data.json", {{headers: {{"x-own": "1"}}}});
document.getElementById("fetched").textContent = (await found.json()).said;
</script></body></html>"""
HOSTILE = """<!doctype html><title>Hostile</title><p id=said></p><script>
const said = {{}};
(async () => {{
  said.rtc = typeof RTCPeerConnection;
  const frame = document.createElement("iframe");
  document.documentElement.append(frame);
  said.framed = typeof frame.contentWindow.RTCPeerConnection;
  try {{ await navigator.serviceWorker.register("/worker.js"); said.worker = "stays"; }}
  catch (error) {{ said.worker = "refused"; }}
  try {{ said.home = await (await fetch("https://armarium.invalid/")).text(); }}
  catch (error) {{ said.home = "unread"; }}
  try {{ await fetch("http://127.0.0.1:{port}/", {{mode: "no-cors"}}); said.outside = "asked"; }}
  catch (error) {{ said.outside = "failed"; }}
  new WebSocket("wss://hostile.example/").onerror = () => {{
    said.socket = "refused";
    document.getElementById("said").textContent = JSON.stringify(said);
  }};
}})();
</script>"""


class Rules:
    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        if "closed" in line.key and reader.account is None:
            return Decision(Effect.RESTRICTED, message="For Lea only.")
        return OPEN


def _captures(outside: int) -> list[Capture]:
    return [
        Capture("http://plain.example/", "<!doctype html><title>Plain</title><h1>Plain page</h1>"),
        Capture("https://safe.example/", HTTPS.format(year=2010), "20100101000000"),
        Capture("https://safe.example/", HTTPS.format(year=2020), "20200101000000"),
        Capture("https://safe.example/dot.gif", DOT, type="image/gif"),
        Capture("https://safe.example/answer", "<h1>Answered</h1>", method="POST", sent=b"a=1"),
        Capture("https://cdn.example/style.css", "h1 { color: rgb(200, 0, 0) }", type="text/css"),
        Capture("https://cdn.example/own.js", "window.ran = location.href", type="text/javascript"),
        Capture("https://api.example/data.json", '{"said": "Fetched"}', type="application/json"),
        Capture("https://hostile.example/", HOSTILE.format(port=outside)),
        Capture("https://hostile.example/worker.js", "1", type="text/javascript"),
        Capture("http://closed.example/", "<h1>Secret</h1>"),
    ]


@pytest.fixture(scope="module")
def outside() -> Iterator[socket.socket]:
    """Something beyond the archive that nobody may reach."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.1)
        yield listening


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, outside: socket.socket) -> Iterator[Proxied]:
    folder: Path = tmp_path_factory.mktemp("proxy")
    made = world_of(folder, _captures(outside.getsockname()[1]), policy=Rules())
    world = World(replace(made.site, readers=Strangers()))
    with proxied(world, folder, words=OneWord()) as running:
        yield running


def _trusting(authority: Authority) -> str:
    """Chromium takes an authority as trusted by the digest of its public key."""
    key = authority.certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "--ignore-certificate-errors-spki-list=" + base64.b64encode(sha256(key).digest()).decode()


@pytest.fixture(scope="module")
def reading(proxy: Proxied) -> Iterator[Browser]:
    through: ProxySettings = {"server": proxy.address}
    arguments = (_trusting(proxy.authority), "--proxy-bypass-list=<-loopback>")
    with running_chromium(*arguments, proxy=through) as browser:
        yield browser


@pytest.fixture
def new(reading: Browser, proxy: Proxied) -> Iterator["Contexts"]:
    contexts = Contexts(reading, proxy)
    yield contexts
    contexts.close()


class Contexts:
    def __init__(self, browser: Browser, proxy: Proxied) -> None:
        self._browser = browser
        self._proxy = proxy
        self._open: list[BrowserContext] = []

    def page(self, user: str = "", word: str = "") -> Page:
        """Of a browser of its own, with these credentials for the proxy."""
        proxy: ProxySettings = {"server": self._proxy.address, "bypass": "<-loopback>"}
        if user:
            proxy |= {"username": user, "password": word}
        viewport: ViewportSize = {"width": DESKTOP["width"], "height": DESKTOP["height"]}
        context = self._browser.new_context(proxy=proxy, viewport=viewport, locale="en-GB")
        context.set_default_timeout(PATIENCE)
        self._open.append(context)
        return context.new_page()

    def close(self) -> None:
        for context in self._open:
            context.close()


def test_an_archived_https_site_works_with_all_its_parts(new: Contexts) -> None:
    page = new.page()
    page.goto("https://safe.example/")
    expect(page.get_by_role("heading", name="Safe page of 2020")).to_be_visible()
    expect(page.locator("#fetched")).to_have_text("Fetched")
    assert page.evaluate("window.ran") == "https://safe.example/"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(200, 0, 0)"
    assert page.evaluate("document.getElementById('dot').naturalWidth") == 1
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("heading", name="Answered")).to_be_visible()


def test_the_banner_tells_the_date_and_can_be_closed(new: Contexts) -> None:
    page = new.page()
    page.goto("http://plain.example/")
    hosts = page.locator("html > div")
    expect(hosts).to_have_count(1)
    box = hosts.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 20, box["y"] + box["height"] / 2)
    expect(hosts).to_have_count(0)


def test_links_lead_on_inside_the_archive(new: Contexts) -> None:
    page = new.page()
    page.goto("https://safe.example/")
    page.get_by_role("link", name="to plain").click()
    expect(page.get_by_role("heading", name="Plain page")).to_be_visible()
    assert page.url == "http://plain.example/"


def test_two_browsers_see_two_dates_at_the_same_time(new: Contexts) -> None:
    pages = [new.page("all@2010", "right"), new.page("all@2020", "right")]
    for page in pages:
        page.goto("http://armarium.invalid/sign-in")  # the browser learns that the proxy wants to know
        page.goto("https://safe.example/")
    for page, year in zip(pages, (2010, 2020), strict=True):
        expect(page.get_by_role("heading", name=f"Safe page of {year}")).to_be_visible()


def test_a_closed_page_makes_the_browser_say_who_it_is(new: Contexts) -> None:
    known = new.page("all", "right")
    known.goto("http://closed.example/")
    expect(known.get_by_role("heading", name="Secret")).to_be_visible()


def test_a_hostile_page_gets_nowhere(new: Contexts, outside: socket.socket) -> None:
    page = new.page()
    page.goto("https://hostile.example/")
    expect(page.locator("#said")).not_to_be_empty()
    said = page.evaluate("JSON.parse(document.getElementById('said').textContent)")
    assert said["rtc"] == said["framed"] == "undefined"
    assert said["worker"] == "refused"
    assert said["home"] == "unread"
    assert said["socket"] == "refused"
    with pytest.raises(TimeoutError):
        outside.accept()


def test_the_proxys_own_pages_are_accessible(new: Contexts) -> None:
    page = new.page()
    for address in ("http://armarium.invalid/", "http://missing.example/"):
        page.goto(address)
        assert_sound(page, *EVERY_LOOK)


def test_another_date_is_chosen_with_the_keyboard(new: Contexts) -> None:
    page = new.page()
    page.goto("http://armarium.invalid/")
    page.get_by_role("textbox").fill("2010")
    page.get_by_role("textbox").press("Enter")
    expect(page.get_by_role("definition").filter(has_text="2010")).to_be_visible()
    page.goto("https://safe.example/")
    expect(page.get_by_role("heading", name="Safe page of 2010")).to_be_visible()
    page.goto("http://armarium.invalid/")
    page.get_by_role("textbox").fill("")
    page.get_by_role("button", name="Choose").click()
    expect(page.get_by_text("the newest captures", exact=True)).to_be_visible()
