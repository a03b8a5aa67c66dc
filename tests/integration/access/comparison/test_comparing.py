"""Two captures beside each other: what changed, and that no rule is passed by."""

import re
from collections.abc import Callable

import pytest
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.comparison.page import Comparisons
from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.access.requests.site import PlainContentAddresses, Visit
from armarium.formats.cdx import CdxLine
from tests.integration.access.world import Page, World, world_of
from tests.unit.access.search.shelves import HIDDEN, RESTRICTED

URL = "http://example.org/news"
OLD = "<title>T</title><h1>News</h1><p>All is <b>well</b>.</p><p>Gone</p><script>var x='secret'</script>"
NEW = "<h1>News</h1><p>All is <i>well</i>.</p><p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"
PAGES = [
    Page(URL, OLD, "20100101000000"),
    Page(URL, NEW, "20120101000000"),
    Page(URL, "", "20140101000000", revisit_of=(URL, "20100101000000"), digest_of=OLD),
    Page(URL, b"%PDF-", "20160101000000", type="application/pdf"),
]


class ByMoment:
    """A policy for which only the date of a capture counts."""

    def __init__(self, decide: Callable[[str], Decision]) -> None:
        self._decide = decide

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        return self._decide(line.timestamp[:4])


def compared(world: World, one: str, other: str) -> Response:
    query = f"url={URL}&one={one}&other={other}".encode()
    scope = {"type": "http", "method": "GET", "path": "/all/compare", "query_string": query, "headers": []}
    visit = Visit(world.site, world.site.readers.of(None), world.view(), "", Request(scope))  # type: ignore[arg-type]
    return Comparisons(PlainContentAddresses(world.site.settings)).page(visit)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return world_of(tmp_path_factory.mktemp("compared"), PAGES)


def text(answer: Response) -> str:
    return bytes(answer.body).decode()


def test_lines_that_came_and_went_are_listed_and_both_pages_are_framed(world: World) -> None:
    page = text(compared(world, "20100101000000", "20120101000000"))
    assert re.findall(r"<ins>(.*)</ins>", page) == ["&lt;script&gt;alert(1)&lt;/script&gt;"]
    assert re.findall(r"<del>(.*)</del>", page) == ["Gone"]
    assert "All is well." in page
    assert "secret" not in page
    assert re.findall(r'<iframe src="[^"]*/all/(\d+)mp_/', page) == ["20100101000000", "20120101000000"]


def test_dates_lead_to_the_nearest_captures_in_their_order(world: World) -> None:
    answer = compared(world, "2012-06", "2010")
    assert answer.headers["location"].endswith("one=20100101000000&other=20120101000000")
    assert compared(world, "never", "2010").status_code == 422


def test_a_revisit_has_the_text_that_it_refers_to_and_a_pdf_has_none(world: World) -> None:
    assert "is the same in both" in text(compared(world, "20100101000000", "20140101000000"))
    assert "Only pages of text" in text(compared(world, "20140101000000", "20160101000000"))


def test_a_hidden_capture_cannot_be_compared_and_a_restricted_one_says_so(world: World) -> None:
    hidden = world.under(ByMoment(lambda year: HIDDEN if year == "2010" else OPEN))
    answer = compared(hidden, "20100101000000", "20120101000000")
    assert answer.headers["location"].endswith("one=20120101000000&other=20120101000000")
    closed = world.under(ByMoment(lambda year: RESTRICTED if year == "2010" else OPEN))
    answer = compared(closed, "20100101000000", "20120101000000")
    assert (answer.status_code, "Gone" in text(answer)) == (451, False)
    assert "Only in the reading room." in text(answer)


def test_the_original_of_a_revisit_stays_as_closed_as_it_is(world: World) -> None:
    closed = world.under(ByMoment(lambda year: RESTRICTED if year == "2010" else OPEN))
    page = text(compared(closed, "20120101000000", "20140101000000"))
    assert "Gone" not in page
    assert "Only in the reading room." in page


def test_a_page_for_one_reader_at_a_time_is_not_shown_twice(world: World) -> None:
    alone = world.under(ByMoment(lambda _: Decision(Effect.ALLOWED, one_reader=True)))
    page = text(compared(alone, "20100101000000", "20120101000000"))
    assert "Only one reader at a time" in page
    assert "<iframe" not in page
