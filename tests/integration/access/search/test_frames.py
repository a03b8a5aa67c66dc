"""The frame and its banner, and the pages where there is nothing to frame: what they say, and when."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from armarium.access.model import Collection, Reader
from armarium.access.search import home
from tests.integration.access.search.room import LINES, URL, Room
from tests.unit.access.search.shelves import RESTRICTED, line


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path, LINES)


def test_a_date_far_from_the_nearest_capture_is_said_once_above_the_page(room: Room) -> None:
    led = room.get(f"/all/2005/{URL}")
    kept = led.headers["set-cookie"].partition(";")[0]
    page = room.get(led.headers["location"], cookie=kept)
    assert "Nearest to 2005" in page.text
    assert "Not captured on this date. This is the nearest, 5 years away." in page.text
    assert "Max-Age=0" in page.headers["set-cookie"]
    assert "Nearest to" not in room.get(f"/all/20120301120000/{URL}", cookie=kept).text


def test_a_date_that_was_met_and_the_newest_are_shown_without_a_word(room: Room) -> None:
    for asked in ("2010", "201001", "20100101130000", "20100102000000"):
        assert "set-cookie" not in room.get(f"/all/{asked}/{URL}").headers, asked
    newest = room.get("/?url=www.example.org/news&do=open").headers["location"]
    assert "set-cookie" not in room.get(newest).headers


def test_a_capture_whose_date_goes_to_the_millisecond_is_framed_too(tmp_path: Path) -> None:
    room = Room(tmp_path, [line(URL, "20100101120000123", "A")])
    assert room.get(f"/all/2010/{URL}").headers["location"] == f"/all/20100101120000/{URL}"
    part = f"/-/part/banner?collection=all&timestamp=20100101120000&url={URL}"
    for address in (f"/all/20100101120000/{URL}", f"/all/20100101120000123/{URL}", part):
        assert 'data-timestamp="20100101120000"' in room.get(address).text


def test_who_goes_on_inside_the_frame_is_told_if_it_leads_far_away(room: Room) -> None:
    part = f"/-/part/banner?collection=all&timestamp=20120301120000&url={URL}"
    assert "Nearest to" in room.get(f"{part}&from=20100101000000").text
    assert "Nearest to" not in room.get(f"{part}&from=20120229180000").text


def test_the_banner_above_a_page_that_is_missing_says_so_and_offers_others(room: Room) -> None:
    asked = "collection=all&timestamp=20110301120000&notice=notice&url=http://www.example.org/news/two"
    part = room.get(f"/-/part/banner?{asked}")
    assert part.status_code == 404
    assert "Not captured" in part.text
    assert "http://www.example.org/news/one?a=1" in part.text
    assert "data-missing" in part.text
    there = room.get(f"/-/part/banner?{asked.replace('/two', '')}")
    assert "data-missing" not in there.text


def test_people_who_come_by_an_address_alone_get_the_page_that_helps(tmp_path: Path, room: Room) -> None:
    page = room.get("/all/http://www.example.org/news/two")
    assert page.status_code == 404
    assert "http://www.example.org/news/one?a=1" in page.text
    assert 'name="url"' in page.text
    told = room.get("/all/http://www.example.org/news/two", accept="*/*")
    assert told.headers["content-type"] == "application/problem+json"
    (tmp_path / "closed").mkdir()
    closed = Room(tmp_path / "closed", LINES, lambda line: RESTRICTED).get(f"/all/{URL}")
    assert closed.status_code == 451
    assert "Only in the reading room." in closed.text
    assert f'href="/all/*/{URL}"' in closed.text
    assert "1 March 2012" in closed.text


def test_about_a_capture_is_told_of_the_one_that_is_shown(tmp_path: Path) -> None:
    lines = [
        line("http://example.org", "20140127171238", "A", status="302"),
        line("http://www.example.org/", "20140127171238", "B"),
    ]
    page = Room(tmp_path, lines).get("/all/20140127171238/http://www.example.org/").text
    assert re.search(r"Server response</dt><dd>200", page)


def test_the_first_page_over_files_lists_hosts_and_a_page_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "MOST_COUNTED", 3)
    lines = [
        *LINES,
        line("http://b.example:8080/", "20100101000000"),
        line("http://c.example/", "20100101000000"),
    ]
    page = Room(tmp_path, lines).get("/").text
    assert re.findall(r'match=host">([^<]*)</a>', page) == ["example.org", "b.example:8080", "c.example"]
    assert "more than 3 captures" in page
    assert f'href="/all/20100101120000/{URL}"' in page


@dataclass
class OneViewing:
    """Of the attic; keeps what is missing in it."""

    noted: list[tuple[int, str]] = field(default_factory=list)

    def collection(self, number: int, reader: Reader) -> Collection:
        return Collection("attic", "Viewing", viewing=number)

    def note_missing(self, number: int, url: str, key: str, referrer: str) -> None:
        self.noted.append((number, url))


@pytest.mark.parametrize("beginning", ["", "2012/"])
def test_a_page_that_a_viewing_lacks_is_noted_however_it_is_asked_for(tmp_path: Path, beginning: str) -> None:
    viewings = OneViewing()
    room = Room(tmp_path, LINES, attic=[line("http://attic.example/", "20150101000000")], viewings=viewings)
    assert room.get(f"/viewing-7/{beginning}{URL}").status_code == 404
    assert viewings.noted == [(7, URL)]


def test_a_year_without_captures_leads_to_the_nearest(room: Room) -> None:
    page = room.get(f"/all/2005*/{URL}").text
    assert "Nearest to 2005" in page
    assert f'class="nearest-link" href="/all/20100101120000/{URL}"' in page
    assert "Nearest to" not in room.get(f"/all/2010*/{URL}").text


def test_how_much_was_asked_for_stays_in_sight(room: Room) -> None:
    assert '<details class="seek-more" open>' in room.get("/all/search?url=example.org&match=host").text
    assert '<details class="seek-more">' in room.get(f"/all/*/{URL}").text
