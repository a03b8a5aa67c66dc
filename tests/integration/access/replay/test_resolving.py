"""Which capture is shown."""

import io
from pathlib import Path

import pytest
from warcio.warcwriter import WARCWriter

from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Query
from tests.integration.access.replay.asking import Asker
from tests.integration.access.world import Page, world_of

URL = "http://example.com/a"
YEARS = ("20100101000000", "20150101000000", "20200101000000")


def asker(folder: Path, *pages: Page) -> Asker:
    return Asker(world_of(folder, pages))


def three_years(folder: Path) -> Asker:
    return asker(folder, *(Page(URL, f"in {year}", year, "text/plain") for year in YEARS))


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("20100101000000", "20100101000000"),
        ("2014", "20150101000000"),
        ("20190101", "20200101000000"),
        ("1996", "20100101000000"),
        ("", "20200101000000"),
        ("20301231235959", "20200101000000"),
        ("20209999999999", "20200101000000"),
    ],
)
def test_the_nearest_capture_is_shown_and_the_newest_if_no_date_is_asked_for(
    tmp_path: Path, asked: str, shown: str
) -> None:
    assert three_years(tmp_path)(URL, asked, "id_").text == f"in {shown}"


def test_a_page_is_led_to_its_own_moment_so_that_its_parts_follow_it(tmp_path: Path) -> None:
    answer = three_years(tmp_path)(URL, "2014")
    assert answer.status == 302
    assert answer.headers["location"] == f"http://127.0.0.1:8090/all/20150101000000mp_/{URL}"


def test_a_part_comes_at_once_from_the_nearest_moment(tmp_path: Path) -> None:
    answer = three_years(tmp_path)(URL, "20140101000000", "oe_")
    assert (answer.status, answer.captured) == (200, "20150101000000")


@pytest.mark.parametrize(
    "target", ["https://example.com/a", "http://www.example.com/a", "/a/", "http://example.com/A"]
)
def test_a_redirect_to_itself_gives_way_to_the_next_capture(tmp_path: Path, target: str) -> None:
    ask = asker(
        tmp_path,
        Page(URL, "", "20200101000000", status="301 Moved", headers=(("Location", target),)),
        Page("https://example.com/a", "the page", "20200101000003", "text/plain"),
    )
    answer = ask(URL, "20200101000000")
    assert answer.headers["location"].endswith("/20200101000003mp_/http://example.com/a")
    assert ask(URL, "20200101000003").text == "the page"


def test_an_address_that_only_redirects_to_itself_says_so(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(URL, "", status="302 Found", headers=(("Location", "/a/"),)))
    answer = ask(URL)
    assert (answer.status, answer.headers["x-armarium-reason"]) == (404, "circle")
    assert "only as a redirect to itself" in answer.text


def test_a_redirect_elsewhere_is_replayed_into_the_archive(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(URL, "gone", status="302 Found", headers=(("Location", "/b?x=1"),)))
    answer = ask(URL)
    assert (answer.status, answer.body) == (302, b"")
    assert (
        answer.headers["location"] == "http://127.0.0.1:8090/all/20200101000000mp_/http://example.com/b?x=1"
    )


def test_a_revisit_shows_the_body_of_its_original_with_its_own_date(tmp_path: Path) -> None:
    ask = asker(
        tmp_path,
        Page(URL, "the content", "20100101000000", "text/plain", headers=(("Server", "first"),)),
        Page(
            URL,
            type="text/plain",
            timestamp="20200101000000",
            headers=(("Server", "second"),),
            revisit_of=(URL, "20100101000000"),
            digest_of="the content",
        ),
    )
    answer = ask(URL, "20200101000000")
    assert (answer.text, answer.captured) == ("the content", "20200101000000")
    assert answer.headers["x-archive-orig-server"] == "second"


def test_a_revisit_of_another_address_is_followed(tmp_path: Path) -> None:
    other = "http://example.org/the-same"
    ask = asker(
        tmp_path,
        Page(other, "shared", "20100101000000", "text/plain"),
        Page(URL, type="text/plain", revisit_of=(other, "20100101000000"), digest_of="shared"),
    )
    assert ask(URL).text == "shared"


def test_a_revisit_without_its_original_gives_way_to_the_next_capture(tmp_path: Path) -> None:
    ask = asker(
        tmp_path,
        Page(URL, "an older one", "20100101000000", "text/plain"),
        Page(URL, revisit_of=("http://gone.example/", "20090101000000"), digest_of="lost"),
    )
    assert ask(URL, "20200101000000", "oe_").text == "an older one"


def test_a_revisit_of_a_redirect_leads_on_without_its_original(tmp_path: Path) -> None:
    lost = ("http://gone.example/", "20090101000000")
    moved = (("Location", "/new"), ("Content-Length", "5"))
    ask = asker(
        tmp_path,
        Page(URL, status="301 Moved", headers=moved, revisit_of=lost, digest_of="lost"),
        Page(URL + "b"),
    )
    answer = ask(URL, "20200101000000")
    assert (answer.status, answer.body) == (301, b"")
    assert answer.headers["location"].endswith("/http://example.com/new")
    raw = ask(URL, "20200101000000", "id_")
    assert (raw.status, raw.headers["location"], raw.headers["content-length"]) == (301, "/new", "0")


@pytest.mark.parametrize(
    ("status", "headers", "digest_of", "shown"),
    [
        ("200 OK", (("Content-Length", "0"),), "", 200),
        ("200 OK", (("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")), "", 200),
        ("204 No Content", (), "", 204),
        ("404 Not Found", (), "", 404),
        ("200 OK", (("Content-Length", "0"),), "something", None),
        ("304 Not Modified", (("Content-Length", "0"),), "", None),
    ],
)
def test_a_revisit_of_nothing_is_whole_without_its_original(
    tmp_path: Path, status: str, headers: tuple[tuple[str, str], ...], digest_of: str, shown: int | None
) -> None:
    lost = ("http://gone.example/", "20090101000000")
    page = Page(URL, status=status, headers=headers, revisit_of=lost, digest_of=digest_of)
    ask = asker(tmp_path, page)
    for mod in ("mp_", "id_"):
        answer = ask(URL, "20200101000000", mod)
        assert answer.reply.found == (shown is not None)
        if shown is not None:
            assert (answer.status, answer.headers["content-type"]) == (shown, page.type)
            assert mod == "mp_" or answer.body == b""


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("2", "2020"),
        ("19", "2000"),
        ("201", "2020"),
        ("20101", "2010"),
        ("20100231", "2010"),
        ("9" * 14, "2020"),
    ],
)
def test_whatever_digits_are_written_lead_to_the_nearest(tmp_path: Path, asked: str, shown: str) -> None:
    ask = asker(
        tmp_path, *(Page(URL, year, f"{year}0101000000", "text/plain") for year in ("2000", "2010", "2020"))
    )
    assert ask(URL, asked, "oe_").text == shown


def test_a_record_that_cannot_be_read_gives_way_to_the_next_capture(tmp_path: Path) -> None:
    ask = three_years(tmp_path)
    lines = list(ask.world.view().captures.raw(Query(URL)))
    newest = next(line for line in lines if b" 20200101000000 " in line)
    offset = int(newest.split(b'"offset": "')[1].split(b'"')[0])
    file = tmp_path / "pages.warc.gz"
    data = bytearray(file.read_bytes())
    data[offset : offset + 60] = b"\0" * 60
    file.write_bytes(data)
    assert ask(URL, "20200101000000", "oe_").text == "in 20150101000000"


def test_a_file_that_is_away_is_said_to_be_away_for_the_moment(tmp_path: Path) -> None:
    ask = three_years(tmp_path)
    (tmp_path / "pages.warc.gz").unlink()
    answer = ask(URL)
    assert (answer.status, answer.headers["retry-after"]) == (503, "30")


@pytest.mark.parametrize(
    ("sent", "shown"), [(b"q=one", "answer one"), (b"q=two", "answer two"), (b"q=none", "404")]
)
def test_the_answer_to_a_form_depends_on_what_was_sent(tmp_path: Path, sent: bytes, shown: str) -> None:
    ask = asker(
        tmp_path,
        Page(URL, "a form"),
        Page(URL, "answer one", type="text/plain", method="POST", sent=b"q=one"),
        Page(URL, "answer two", type="text/plain", method="POST", sent=b"q=two"),
    )
    answer = ask(URL, method="POST", body=sent, content_type="application/x-www-form-urlencoded")
    assert (answer.text if answer.status == 200 else "404") == shown


def test_data_sent_as_json_is_found_by_its_content(tmp_path: Path) -> None:
    kind = "application/json"
    ask = asker(tmp_path, Page(URL, "{}", type=kind, method="POST", sent=b'{"q":"one"}', sent_type=kind))
    answer = ask(URL, mod="mp_", method="POST", body=b'{"q": "one"}', content_type="application/json")
    assert answer.text == "{}"


def test_a_similar_address_answers_where_only_a_cache_buster_differs(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(f"{URL}.json?_=1600000000000", '{"a":1}', type="application/json"))
    assert ask(f"{URL}.json?_=1700000000000", mod="oe_").text == '{"a":1}'


def test_jsonp_answers_with_the_name_that_was_asked_for(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(f"{URL}?callback=jq_1", 'jq_1({"a":1})', type="text/javascript"))
    assert ask(f"{URL}?callback=jq_2", mod="js_").text.endswith('jq_2({"a":1})')


class _Restricting:
    """Everything of one moment is restricted, or hidden."""

    def __init__(self, timestamp: str, effect: Effect = Effect.RESTRICTED) -> None:
        self._timestamp = timestamp
        self._effect = effect

    def decide(self, _reader: Reader, _collection: Collection, line: CdxLine) -> Decision:
        return Decision(self._effect, message="Not yet.") if line.timestamp == self._timestamp else OPEN


def test_who_asks_for_a_restricted_moment_is_told_so(tmp_path: Path) -> None:
    ask = three_years(tmp_path)
    ask = Asker(ask.world.under(_Restricting("20200101000000")))
    answer = ask(URL, "20200101000000")
    assert (answer.status, answer.headers["x-armarium-reason"]) == (451, "restricted")
    assert "Not yet." in answer.text


def test_who_asks_for_about_that_time_gets_what_may_be_seen(tmp_path: Path) -> None:
    ask = Asker(three_years(tmp_path).world.under(_Restricting("20200101000000")))
    assert ask(URL, "", "id_").text == "in 20150101000000"


def test_the_original_of_a_revisit_must_be_allowed_too(tmp_path: Path) -> None:
    pages = [
        Page(URL, "the content", "20100101000000", "text/plain"),
        Page(URL, revisit_of=(URL, "20100101000000"), digest_of="the content"),
    ]
    ask = Asker(asker(tmp_path, *pages).world.under(_Restricting("20100101000000")))
    assert ask(URL, "20200101000000").status == 451


def test_a_redirect_whose_original_is_hidden_leads_nowhere(tmp_path: Path) -> None:
    moved = (("Location", "/secret"),)
    pages = [
        Page(URL, "moved", "20100101000000", status="301 Moved", headers=moved),
        Page(URL, status="301 Moved", headers=moved, revisit_of=(URL, "20100101000000"), digest_of="moved"),
    ]
    ask = Asker(asker(tmp_path, *pages).world.under(_Restricting("20100101000000", Effect.HIDDEN)))
    answer = ask(URL, "20200101000000")
    assert (answer.status, "location" in answer.headers) == (404, False)


def test_no_similar_address_answers_for_one_that_is_restricted(tmp_path: Path) -> None:
    ask = asker(tmp_path, Page(f"{URL}.css?v=1", "one", YEARS[0]), Page(f"{URL}.css?v=2", "two", YEARS[1]))
    ask = Asker(ask.world.under(_Restricting(YEARS[0])))
    assert ask(f"{URL}.css?v=1", "2011", "cs_").status == 451


def test_parts_that_are_too_far_from_the_page_are_not_shown(tmp_path: Path) -> None:
    ask = three_years(tmp_path)
    near = ask(URL, "20200110000000", "im_", spread_days=30)
    far = ask(URL, "20180101000000", "im_", spread_days=30)
    assert near.status == 200
    assert (far.status, far.headers["x-armarium-reason"]) == (404, "spread")


def test_the_limit_is_for_parts_and_not_for_pages(tmp_path: Path) -> None:
    assert three_years(tmp_path)(URL, "20180101000000", spread_days=1).status == 302


def test_a_page_is_shown_and_not_what_a_crawler_noted_about_it(tmp_path: Path) -> None:
    notes = tmp_path / "notes.warc.gz"
    with notes.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for kind, type_ in (("metadata", "text/anvl"), ("resource", "text/plain")):
            noted = writer.create_warc_record(
                URL,
                kind,
                payload=io.BytesIO(b"seed: fetchTimeMs: 47"),
                warc_content_type=type_,
                warc_headers_dict={"WARC-Date": "2020-01-01T00:00:00Z"},
            )
            writer.write_record(noted)
    ask = Asker(world_of(tmp_path, [Page(URL, "the page", type="text/plain")], files=[notes]))
    for asked in ("20200101000000", "2030", ""):
        assert ask(URL, asked, "id_").text == "the page"
