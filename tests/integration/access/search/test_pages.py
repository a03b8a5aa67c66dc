"""The readers' pages: what they answer, in which status, and what they never tell."""

import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest
from starlette.responses import Response

from armarium.access.model import OPEN, Decision, Effect, Reader
from armarium.access.requests.site import Visit
from armarium.access.search import shell
from armarium.access.view import View
from armarium.accounts.model import Role
from armarium.formats.cdx import CdxLine
from tests.integration.access.search.room import CONTENT, LINES, URL, Room
from tests.unit.access.search.shelves import HIDDEN, RESTRICTED, line


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path, LINES, attic=[line("http://attic.example/", "20150101000000")])


def test_the_first_page_asks_for_an_address_and_names_the_collections(room: Room) -> None:
    page = room.get("/")
    assert page.status_code == 200
    assert 'name="url"' in page.text
    assert "The attic" in page.text


@pytest.mark.parametrize(
    ("asked", "target"),
    [
        ({"url": "www.example.org/news"}, "/all/*/http://www.example.org/news"),
        ({"url": "a.example", "collection": "attic"}, "/attic/*/http://a.example"),
        ({"url": "a.example", "collection": "not-there"}, "/all/*/http://a.example"),
        ({"url": "a.example", "collection": "viewing-7"}, "/viewing-7/*/http://a.example"),
        ({"url": "a.example", "do": "open", "date": "2010-03"}, "/all/20100301000000/http://a.example"),
        ({"url": "*.a.example"}, "/all/search?url=http%3A%2F%2Fa.example&match=domain"),
        ({"url": "a.example", "date": "2010"}, "/all/search?url=http%3A%2F%2Fa.example&date=2010"),
    ],
)
def test_the_form_leads_to_an_address_worth_keeping(room: Room, asked: dict[str, str], target: str) -> None:
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    answer = room.get(f"/?{query}")
    assert (answer.status_code, answer.headers["location"]) == (303, target)


def test_without_a_date_the_newest_capture_is_opened(room: Room) -> None:
    answer = room.get("/?url=www.example.org/news&do=open")
    newest = room.get(answer.headers["location"])
    assert newest.headers["location"] == f"/all/20120301120000/{URL}"


def test_the_frame_leads_memento_clients_on_and_is_no_memento_itself(room: Room) -> None:
    page = room.get(f"/all/20110301120000/{URL}")
    assert f'<{CONTENT}/all/20110301120000mp_/{URL}>; rel="memento"' in page.headers["link"]
    assert 'rel="timegate"' in page.headers["link"]
    assert "memento-datetime" not in page.headers


def test_what_is_no_address_is_said_at_its_field(room: Room) -> None:
    page = room.get("/?url=two+words&collection=attic")
    assert page.status_code == 422
    assert "has spaces" in page.text
    assert 'value="attic" checked' in page.text
    assert room.get("/all/search?url=a.example&from=never").status_code == 422


def test_an_address_has_its_years_its_days_and_its_list(room: Room) -> None:
    page = room.get(f"/all/*/{URL}")
    assert page.status_code == 200
    assert "4 captures" in page.text
    assert f'href="/all/2010*/{URL}#by-day"' in page.text
    assert page.text.count("unchanged") == 1
    assert f'href="/all/20120301120000/{URL}"' in page.text
    assert room.figures.noted == [("search", "shown", "example.org")]


def test_http_https_and_www_are_the_same_address(room: Room) -> None:
    for url in ("example.org/news", "https://example.org/news", "HTTP://WWW.EXAMPLE.ORG/news/"):
        assert "4 captures" in room.get(f"/all/*/{url}").text


def test_a_year_a_month_a_day_and_a_span_narrow_the_list(room: Room) -> None:
    for dates, count in (
        ("2010*", 2),
        ("201001*", 2),
        ("20100101*", 1),
        ("2011-2012", 2),
        ("2013*", 0),
        ("201*", 4),
        ("2-2*", 4),
        ("20100231*", 0),
        ("99999999999999*", 0),
    ):
        page = room.get(f"/all/{dates}/{URL}")
        assert page.status_code == 200
        assert page.text.count('<th scope="row">') == count, dates


def test_a_date_without_a_capture_leads_to_the_nearest(room: Room) -> None:
    page = room.get("/all/search?url=www.example.org/news&date=2011-12-31")
    assert "Nearest to 31 December 2011" in page.text
    assert "Not captured on this date" in page.text
    assert "1 March 2012, 12:00:00 UTC" in page.text


def test_an_address_without_captures_offers_what_there_is(room: Room) -> None:
    page = room.get("/all/*/http://www.example.org/news/two")
    assert page.status_code == 404
    assert "http://www.example.org/news/one?a=1" in page.text
    assert "example.org" in room.get("/all/*/http://www.exmaple.org/").text
    assert room.figures.noted[0] == ("search", "missing", "example.org")


def test_a_collection_that_lacks_it_tells_that_the_archive_has_it(room: Room) -> None:
    page = room.get(f"/attic/*/{URL}")
    assert page.status_code == 404
    assert f'href="/all/*/{URL}"' in page.text


def test_filters_that_nothing_passes_lead_back(room: Room) -> None:
    page = room.get("/all/search?url=www.example.org/news&status=5")
    assert page.status_code == 404
    assert "Show its 4 captures" in page.text


def test_a_prefix_lists_addresses(room: Room) -> None:
    page = room.get("/all/*/http://www.example.org/*")
    assert page.status_code == 200
    assert page.text.count('<th scope="row">') == 2
    assert room.get("/all/search?url=nothing.example&match=domain").status_code == 404


def test_a_moment_between_captures_leads_to_the_nearest(room: Room) -> None:
    for asked in ("20111231", "2012", "20120301120001"):
        answer = room.get(f"/all/{asked}/{URL}")
        assert (answer.status_code, answer.headers["location"]) == (302, f"/all/20120301120000/{URL}")


def test_an_address_keeps_its_query_and_its_escapes_through_every_link(room: Room) -> None:
    url = "http://www.example.org/news/one?a=1&b=%41"
    answer = room.get(f"/all/2012/{url}")
    assert answer.headers["location"] == f"/all/20120301120000/{url}"
    page = room.get(answer.headers["location"])
    escaped = url.replace("&", "&amp;")
    assert f'src="{CONTENT}/all/20120301120000mp_/{escaped}"' in page.text


def test_the_frame_shows_only_the_other_origin(room: Room) -> None:
    page = room.get(f"/all/20120301120000/{URL}")
    assert page.status_code == 200
    frame = re.search(r"<iframe[^>]*>", page.text)
    assert frame is not None
    assert f'src="{CONTENT}/all/20120301120000mp_/{URL}"' in frame[0]
    policy = page.headers["content-security-policy"]
    assert f"frame-src {CONTENT};" in policy
    assert "unsafe" not in policy


def test_the_banner_tells_date_neighbours_and_how_to_cite(room: Room) -> None:
    page = room.get(f"/all/20110301120000/{URL}").text
    assert '1 March 2011<span class="banner-time">, 12:00:00 UTC' in page
    assert f'href="/all/20100102120000/{URL}"' in page
    assert f'href="/all/20120301120000/{URL}"' in page
    assert f"urn:pwid:reading.example:2011-03-01T12:00:00Z:page:{URL}" in page
    assert "4 captures" in page


def test_readers_learn_the_harvest_and_only_staff_the_job_and_the_file(tmp_path: Path, room: Room) -> None:
    address = f"/all/20110301120000/{URL}"
    seen = room.get(address).text
    assert "Elections" in seen
    assert "201103.warc.gz" not in seen
    assert "/harvesting/jobs/17" not in seen
    (tmp_path / "staff").mkdir()
    staff = Room(tmp_path / "staff", LINES, reader=Reader(roles=frozenset({Role.CURATOR})))
    told = staff.get(address).text
    assert "/harvesting/jobs/17" in told
    assert "201103.warc.gz" in told


def test_a_restricted_capture_is_not_framed_and_says_until_when(tmp_path: Path) -> None:
    embargo = Decision(Effect.RESTRICTED, until=date(2031, 1, 1))
    room = Room(tmp_path, LINES, lambda line: embargo)
    page = room.get(f"/all/20110301120000/{URL}")
    assert page.status_code == 451
    assert "2031-01-01" in page.text
    assert "<iframe" not in page.text
    assert "201103.warc.gz" not in page.text
    part = f"/-/part/banner?collection=all&timestamp=20110301120000&url={URL}"
    assert room.get(part).status_code == 404
    notice = room.get(f"{part}&notice=notice")
    assert (notice.status_code, "2031-01-01" in notice.text) == (451, True)
    assert "201103.warc.gz" not in notice.text


def test_hidden_captures_leave_no_trace(tmp_path: Path) -> None:
    def decide(line: CdxLine) -> Decision:
        return HIDDEN if line.timestamp < "2011" else OPEN

    room = Room(tmp_path, LINES, decide)
    page = room.get(f"/all/*/{URL}").text
    assert "2 captures" in page
    assert "/all/2010*/" not in page
    assert room.get(f"/all/20100101120000/{URL}").headers["location"] == f"/all/20110301120000/{URL}"
    banner = room.get(f"/all/20110301120000/{URL}").text
    assert "2010" not in banner.replace("2010/", "")
    (tmp_path / "none").mkdir()
    nothing = Room(tmp_path / "none", LINES, lambda line: HIDDEN)
    assert nothing.get(f"/all/20110301120000/{URL}").status_code == 404
    assert "news/one" not in nothing.get(f"/all/*/{URL}").text


def test_downloads_are_not_offered_where_they_are_not_allowed(tmp_path: Path, room: Room) -> None:
    address = f"/all/20110301120000/{URL}"
    assert "/record/" in room.get(address).text
    (tmp_path / "kept").mkdir()
    kept = Room(tmp_path / "kept", LINES, lambda line: Decision(Effect.ALLOWED, no_downloads=True))
    page = kept.get(address).text
    assert "id_/" not in page
    assert "/record/" not in page


def test_a_list_with_restricted_captures_gives_the_library_s_message(tmp_path: Path) -> None:
    room = Room(tmp_path, LINES, lambda line: RESTRICTED)
    page = room.get(f"/all/*/{URL}").text
    assert page.count("Only in the reading room.") == 4
    assert "404" not in page


def test_the_banner_is_given_alone_for_a_capture_that_is_there(room: Room) -> None:
    asked = f"collection=all&timestamp=20110301120000&url={URL}"
    part = room.get(f"/-/part/banner?{asked}")
    assert part.status_code == 200
    assert "<html" not in part.text
    for wrong in (asked.replace("2011", "2019"), asked.replace("all", "none"), "", "url=x&timestamp=x"):
        assert room.get(f"/-/part/banner?{wrong}").status_code == 404


def test_a_reader_s_limit_for_parts_is_told_to_the_other_origin(room: Room) -> None:
    address = f"/all/20110301120000/{URL}"
    kept = room.get(f"/-/spread?days=30&back={address}")
    assert kept.headers["location"] == address
    assert kept.headers["set-cookie"].startswith("armarium_spread=30;")
    page = room.get(address, cookie="armarium_spread=30")
    assert f'src="{CONTENT}/-/spread?days=30&amp;to=' in page.text
    assert '<option value="30" selected>' in page.text
    assert f'src="{CONTENT}/all/' in room.get(address).text


@pytest.mark.parametrize("back", ["//evil.example", "/\\evil.example", "https://evil.example", "x"])
def test_no_form_leads_to_another_site(room: Room, back: str) -> None:
    assert room.get(f"/-/spread?days=1&back={back}").headers["location"] == "/"
    answer = room.ask("POST", "/-/language", data={"language": "fr", "back": back})
    assert answer.headers["location"] == "/"


def test_language_and_appearance_are_kept(room: Room) -> None:
    answer = room.ask("POST", "/-/language", data={"language": "fr", "theme": "dark", "back": "/all/"})
    assert answer.headers["location"] == "/all/"
    kept = answer.headers.get_list("set-cookie")
    assert kept[0].startswith("armarium_language=fr;")
    assert kept[1].startswith("armarium_theme=dark;")
    assert 'data-theme="dark"' in room.get("/", cookie="armarium_theme=dark").text


def test_errors_are_pages_for_people_and_json_for_programs(room: Room) -> None:
    page = room.get("/-/nothing")
    assert (page.status_code, "Not found" in page.text) == (404, True)
    told = room.get("/-/nothing", accept="*/*")
    assert told.headers["content-type"] == "application/problem+json"
    assert told.json()["status"] == 404


def test_static_files_are_kept_long_under_the_address_of_their_content(room: Room) -> None:
    kept = room.get(shell.static_address("frame.js"))
    assert "immutable" in kept.headers["cache-control"]
    assert kept.headers["content-type"].startswith("text/javascript")
    assert "immutable" not in room.get("/-/static/frame.js?v=old").headers["cache-control"]
    assert room.get("/-/static/tokens.css").status_code == 200
    for name in ("../settings.py", "%2e%2e/settings.py", "nothing.css", "frame.py"):
        assert room.get(f"/-/static/{name}").status_code == 404


def test_markup_in_what_was_typed_stays_text(room: Room) -> None:
    hostile = "http://www.example.org/%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    for path in (
        f"/all/*/{hostile}",
        f"/?url={hostile}+x",
        f"/all/search?url={hostile}&match=host&words={hostile}",
    ):
        assert "<script>alert" not in room.get(path).text


@pytest.mark.parametrize(
    "path",
    [
        "/all/9999*/http://a.example",
        "/all/99999999999999/http://a.example",
        "/all/0000*/x.y",
        "/all/search",
        "/all/search?url=%00",
        "/all/search?url=%FF%FE",
        "/all/*/http://[::/",
        "/all/%20",
        "/nowhere/",
        "/all/search?url=example.org/news&resume=nonsense",
        "/all/search?url=example.org&match=domain&resume=~nonsense",
        f"/all/20100101/http://{'a.' * 3000}",
    ],
)
def test_impossible_questions_are_answered_in_words(room: Room, path: str) -> None:
    assert room.get(path).status_code in {400, 404, 422}


class Ticketed:
    """Leads to the content by way of a ticket, as for readers who have signed in."""

    def src(self, visit: Visit, path: str, *, one_reader: bool = False) -> str:
        return f"{CONTENT}/-/enter?ticket=x&to={path}"

    def dress(self, visit: Visit, response: Response) -> None: ...


def test_who_shows_a_ticket_on_the_way_tells_the_limit_aside(tmp_path: Path) -> None:
    room = Room(tmp_path, LINES, entering=Ticketed())
    page = room.get(f"/all/20110301120000/{URL}", cookie="armarium_spread=30")
    assert f'id="archived" name="___wb_replay_top_frame" src="{CONTENT}/-/enter?ticket=x' in page.text
    assert f'<iframe src="{CONTENT}/-/spread?days=30" hidden' in page.text


def test_a_list_of_captures_or_addresses_leaves_as_csv_without_what_is_hidden(tmp_path: Path) -> None:
    def decide(line: CdxLine) -> Decision:
        return {"2010": HIDDEN, "2011": RESTRICTED}.get(line.timestamp[:4], OPEN)

    room = Room(tmp_path, [*LINES, line("http://www.example.org/=1+1", "20120301120000")], decide)
    listed = room.get(f"/all/search?url={URL}&export=csv")
    assert listed.headers["content-type"].startswith("text/csv")
    assert "2010" not in listed.text
    told = next(row for row in listed.text.splitlines() if "20110301" in row)
    assert told.endswith(",,,,Only in the reading room.")
    found = room.get("/all/search?url=www.example.org&match=host&export=csv").text
    assert "news/one" in found
    assert "2010" not in found


def test_the_files_of_a_site_are_counted_by_type_and_year(tmp_path: Path) -> None:
    def decide(line: CdxLine) -> Decision:
        return HIDDEN if line.timestamp < "2011" else OPEN

    lines = [*LINES, line("http://www.example.org/a.png", "20120301120000", mime="image/png")]
    room = Room(tmp_path, lines, decide)
    page = room.get("/all/files?url=www.example.org").text
    assert "4 captures" in page
    assert "2010" not in page
    table = room.get("/all/files?url=www.example.org&export=csv").text.splitlines()[1:]
    assert table == ["Pages,2011,1,100", "Pages,2012,2,200", "Pictures,2012,1,100"]
    assert 'match=host&amp;from=2012&amp;to=2012&amp;type=image"' in page
    only = room.get("/all/search?url=http://www.example.org&match=host&from=2012&to=2012&type=image").text
    assert only.count('<th scope="row">') == 1
    assert room.get("/all/files?url=nothing.example").status_code == 404


class HasAll:
    """A picture of whatever may be shown; keeps of which captures it was asked, and how often."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def newest(self, view: View, pages: Iterable[CdxLine]) -> dict[str, str]:
        lines = list(pages)
        self.asked.append([f"{one.key} {one.timestamp}" for one in lines])
        return {one.key: one.timestamp for one in lines}


def test_addresses_have_pictures_of_pages_that_their_reader_may_see(tmp_path: Path) -> None:
    def decide(line: CdxLine) -> Decision:
        return {"2010": HIDDEN, "2011": RESTRICTED}.get(line.timestamp[:4], OPEN)

    lines = [
        line(URL, "20100101000000"),
        line(URL, "20110101000000"),
        line(URL, "20120101000000"),
        line(URL, "20120115000000"),  # of the same month
        line(f"{URL}/gone", "20120101000000", status="404"),
        line(f"{URL}/logo.png", "20120101000000", mime="image/png"),
    ]
    pictures = HasAll()
    page = Room(tmp_path, lines, decide, pictures=pictures).get("/all/search?url=example.org&match=domain")
    assert pictures.asked == [["org,example)/news 20120101000000"]]
    (shown,) = re.findall(r'<td class="list-picture"><img src="([^"]+)"', page.text)
    assert shown == "/-/pictures/one?key=org%2Cexample%29%2Fnews&amp;at=20120101000000"
    assert page.text.count('<td class="list-picture"></td>') == 3  # of the head, and of two without
