"""Pages of a crawl look in the archive as they looked on the web: screenshots, compared pixel by pixel."""

import base64
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.acceptance.crawl.web import served
from tests.browser.readers import readers_site
from tests.chromium import need_chromium, running_chromium

COMPARE = """async ([one, other]) => {
  const pixels = async (data) => {
    const picture = new Image();
    picture.src = "data:image/png;base64," + data;
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const drawn = canvas.getContext("2d");
    drawn.drawImage(picture, 0, 0);
    return drawn.getImageData(0, 0, picture.width, picture.height).data;
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.length !== b.length) return 1;
  let different = 0;
  const apart = (i) => Math.abs(a[i] - b[i]);
  for (let i = 0; i < a.length; i += 4) if (apart(i) + apart(i + 1) + apart(i + 2) > 24) different++;
  return different / (a.length / 4);
}"""
VIEWPORT: ViewportSize = {"width": 1000, "height": 800}
PAGES = 6  # that are compared
MOST_DIFFERENT = 0.001  # of the pixels


@dataclass(frozen=True)
class Harvested:
    browser: Browser
    live: list[str]  # addresses of pages, still served
    archive: str  # the content's origin
    reading: str


@pytest.fixture(scope="module")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harvested]:
    need_chromium()
    folder = tmp_path_factory.mktemp("looks")
    with served(folder, "--sites", "2", "--pages", "12", "--seed", "3") as web:
        crawl = [sys.executable, "-m", "armarium", "crawl", *web.seeds, "--out", str(folder / "crawl")]
        subprocess.run([*crawl, "--delay", "0"], check=True, capture_output=True, timeout=100)
        warcs = sorted((folder / "crawl" / "warcs").glob("*.warc.gz"))
        (folder / "index of it").mkdir()
        with readers_site(folder / "index of it", [], files=warcs) as site, running_chromium() as browser:
            live = [*web.seeds, *_links(browser, web.seeds[0])][:PAGES]
            yield Harvested(browser, live, site.settings.content, site.settings.reading)


def _links(browser: Browser, url: str) -> list[str]:
    page = browser.new_page()
    page.goto(url)
    host = url.split("/")[2]
    found = page.eval_on_selector_all("a[href]", "links => links.map((link) => link.href)")
    page.close()
    return [link for link in dict.fromkeys(found) if link.split("/")[2] == host and link.endswith(".html")]


def noted_requests(page: Page) -> list[str]:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


def test_pages_of_a_crawl_look_as_they_did(harvested: Harvested) -> None:
    assert len(harvested.live) >= 3
    ours = (harvested.archive, harvested.reading, "data:", "blob:")
    for url in harvested.live:
        context = harvested.browser.new_context(viewport=VIEWPORT)
        live, archived = context.new_page(), context.new_page()
        asked = noted_requests(archived)
        archived.goto(f"{harvested.reading}/all/20301231235959/{url}", wait_until="networkidle")
        frame = archived.locator("iframe").first
        after = frame.screenshot()
        box = frame.bounding_box()
        assert box is not None
        live.set_viewport_size({"width": round(box["width"]), "height": round(box["height"])})
        live.goto(url, wait_until="networkidle")
        pictures = [base64.b64encode(one).decode() for one in (live.screenshot(), after)]
        different = live.evaluate(COMPARE, pictures)
        assert different < MOST_DIFFERENT, f"{url}: {different:.1%} of the pixels"
        assert [address for address in asked if not address.startswith(ours)] == []
        context.close()
