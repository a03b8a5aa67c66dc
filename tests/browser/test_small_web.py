"""The small web of the demonstration, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from armarium.demo.web import SITES, Edition, Web, running, write_edition

PLAY = """async (video) => {
  const ended = new Promise((resolve, reject) => {
    video.onended = () => resolve(null);
    video.onerror = () => reject(new Error(video.error.message));
  });
  video.muted = true;
  video.currentTime = 0;
  await video.play();
  await ended;
  const frames = video.getVideoPlaybackQuality().totalVideoFrames;
  return [video.videoWidth, video.videoHeight, video.duration, frames];
}"""


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with running(0, tmp_path) as found:
        yield found


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    yield context.new_page()
    context.close()


def test_the_films_play_to_their_end(web: Web, page: Page) -> None:
    page.goto(f"http://kanal.localhost:{web.port}/films/comet.html")
    width, height, seconds, frames = page.locator("video").evaluate(PLAY)

    assert (width, height, seconds) == (256, 160, 4)
    assert frames > 10


def test_the_font_of_the_foundry_is_a_font(web: Web, page: Page) -> None:
    page.goto(f"http://foundry.localhost:{web.port}/")

    assert page.evaluate("document.fonts.load('20px Tidewrack').then((found) => found.length)") == 1


def test_pages_put_together_by_script_show_their_data(web: Web, page: Page) -> None:
    page.goto(f"http://lanterns.localhost:{web.port}/search.html")
    expect(page.get_by_role("link", name="Lamp that nobody has seen lit")).to_be_visible()
    page.goto(f"http://weather.localhost:{web.port}/")
    expect(page.locator("#now")).to_contain_text("12 °C")
    page.goto(f"http://library.localhost:{web.port}/search.html")
    page.get_by_label("Words").fill("knots")
    expect(page.locator("#books li")).to_have_count(1)


@pytest.mark.timeout(300)
def test_every_first_page_fits_a_phone_and_shows_all_its_pictures(
    web: Web, page: Page, tmp_path: Path
) -> None:
    write_edition(tmp_path, Edition.SECOND)
    for site in SITES:
        if not site.lives(Edition.SECOND):
            continue
        page.goto(f"http://{site.name}:{web.port}/", wait_until="load")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, site.word
        page.wait_for_function("[...document.images].every((i) => i.complete)")
        missing = page.evaluate("[...document.images].filter((i) => !i.naturalWidth).map((i) => i.src)")
        assert {address.partition(str(web.port))[2] for address in missing} <= site.broken, site.word


def test_the_month_passes_at_the_press_of_a_button(web: Web, page: Page) -> None:
    page.goto(f"http://localhost:{web.port}/")
    page.get_by_role("button", name="Let a month pass").click()
    expect(page.get_by_text("as it is today")).to_be_visible()
    page.get_by_role("button", name="Go back a month").click()
    expect(page.get_by_text("as it was a month ago")).to_be_visible()
