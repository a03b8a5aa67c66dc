"""The CDX server as pywb's clients know it."""

import json
from pathlib import Path

import pytest

from armarium.access.cdxserver.internet_archive import ia_cdx
from armarium.access.cdxserver.outback import outback_cdx
from armarium.access.cdxserver.pywb import pywb_cdx
from armarium.access.cdxserver.steps import LINES_IN_BLOCK
from armarium.access.requests.site import Handler
from tests.unit.access.cdxserver.shelf import Asking, Rules, line, site_of

HOME = "http://example.org/"
PAGES = [
    line(HOME, "20140101000000", digest="A", offset=1),
    line(HOME, "20140601000000", digest="B", status="404", offset=2),
    line(HOME, "20150101000000", digest="A", mime="warc/revisit", offset=3),
    line(HOME, "20160101000000", digest="C", offset=4),
    line(HOME + "*", "20160101000000", digest="D", offset=5),
    line(HOME + "about", "20150601000000", digest="E", offset=6),
    line(HOME + "logo.png", "20150601000000", mime="image/png", digest="F", offset=7),
    line("http://news.example.org/", "20150601000000", digest="G", offset=8),
    line("http://example.com/", "20150601000000", digest="H", offset=9),
]


@pytest.fixture
def ask(tmp_path: Path) -> Asking:
    return Asking(site_of(tmp_path, PAGES), pywb_cdx)


def offsets(lines: list[str]) -> list[int]:
    return [int(json.loads(one[one.index("{") :])["offset"]) for one in lines]


def test_a_line_of_the_index_is_the_line_of_the_answer(ask: Asking) -> None:
    assert ask.lines("url=example.org") == [one.decode() for one in PAGES[:4]]


@pytest.mark.parametrize(
    ("handler", "path", "query"),
    [
        (pywb_cdx, "cdx", "url=example.org:8080/a"),
        (pywb_cdx, "cdx", "url=*.example.org:8080"),
        (pywb_cdx, "cdx", "url=example.org:8080/*"),
        (ia_cdx, "", "url=example.org:8080&matchType=host&fl=urlkey"),
        (outback_cdx, "all", "url=example.org:8080/a"),
        (outback_cdx, "all", "url=example.org:8080/&matchType=range"),
        (outback_cdx, "all", "q=type:urlquery+url:example.org:8080%252Fa"),
    ],
)
def test_a_host_with_its_port_needs_no_scheme(
    tmp_path: Path, handler: Handler, path: str, query: str
) -> None:
    key = "org,example:8080)/a"
    lines = [line("http://example.org:8080/a", "20150601000000", key=key)]
    assert key in Asking(site_of(tmp_path, lines), handler, path).text(query)


def test_an_address_without_captures_has_an_empty_answer(ask: Asking) -> None:
    response = ask("url=nowhere.example")
    assert (response.status_code, response.body) == (200, b"")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("url=example.org/*", [1, 2, 3, 4, 5, 6, 7]),
        ("url=example.org/&matchType=prefix", [1, 2, 3, 4, 5, 6, 7]),
        ("url=example.org/ab&matchType=prefix", [6]),
        ("url=example.org/anything&matchType=host", [1, 2, 3, 4, 5, 6, 7]),
        ("url=*.example.org", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("url=example.org&matchType=domain", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("url=http%3A%2F%2Fexample.org%2F*&matchType=exact", [5]),
    ],
)
def test_how_much_is_meant_by_an_address(ask: Asking, query: str, found: list[int]) -> None:
    assert offsets(ask.lines(query)) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("from=2015", [3, 4]),
        ("to=2014", [1, 2]),
        ("from=201406&to=2015", [2, 3]),
        ("from=20140601000000&to=20140601000000", [2]),
        ("from=2020", []),
        ("sort=reverse", [4, 3, 2, 1]),
        ("sort=reverse&from=2014&to=2014", [2, 1]),
        ("sort=reverse&limit=1", [4]),
        ("reverse=1&limit=1", [4]),
        ("reverse=0&limit=1", [1]),
        ("closest=20150201&sort=closest", [3, 2, 4, 1]),
        ("closest=20150201", [3, 2, 4, 1]),
        ("closest=2010&limit=1", [1]),
        ("closest=20140231&limit=1", [1]),
        ("closest=99999999999999&limit=1", [4]),
        ("closest=&sort=closest", [1, 2, 3, 4]),
        ("closest=now&limit=1", [4]),
        ("closest=20160601&to=2014", [2, 1]),
        ("closest=2014&from=2016", [4]),
        ("limit=2", [1, 2]),
        ("collapseTime=4", [1, 2, 3, 4]),
        ("collapseTime=1&filter==status:200", [1]),
    ],
)
def test_which_captures_and_in_which_order(ask: Asking, query: str, found: list[int]) -> None:
    assert offsets(ask.lines(f"url=example.org&{query}")) == found


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("mime:html", [1, 2, 4, 5, 6]),
        ("!mime:html", [3, 7]),
        ("=status:404", [2]),
        ("!=status:200", [2]),
        ("~status:4", [2]),
        ("~url:.*about$", [6]),
        ("!~mime:text", [3, 7]),
        ("=mimetype:image/png", [7]),
        ("image/png", [7]),
        ("!image/png", [1, 2, 3, 4, 5, 6]),
        ("=redirect:-", [1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_what_filters_leave(ask: Asking, condition: str, found: list[int]) -> None:
    assert offsets(ask.lines(f"url=example.org/*&filter={condition}")) == found


def test_several_filters_hold_together(ask: Asking) -> None:
    assert offsets(ask.lines("url=example.org/*&filter=mime:html&filter=!=status:200")) == [2]


def test_json_is_one_object_on_each_line(ask: Asking) -> None:
    found = [json.loads(one) for one in ask.lines("url=example.org&output=json&limit=2")]
    assert found[0] == {
        "urlkey": "org,example)/",
        "timestamp": "20140101000000",
        "url": HOME,
        "mime": "text/html",
        "status": "200",
        "digest": "sha1:A",
        "length": "1000",
        "offset": "1",
        "filename": "one.warc.gz",
    }


def test_fields_can_be_chosen_in_every_form(ask: Asking) -> None:
    asked = "url=example.org&limit=1"
    assert ask.text(f"{asked}&fl=timestamp,status&output=json") == (
        '{"timestamp": "20140101000000", "status": "200"}\n'
    )
    assert ask.text(f"{asked}&fields=urlkey,timestamp,status") == (
        'org,example)/ 20140101000000 {"status": "200"}\n'
    )
    assert ask.text(f"{asked}&fields=status,redirect,statuscode&output=text") == "200 - 200\n"


def test_text_is_in_columns(ask: Asking) -> None:
    assert ask.text("url=example.org&limit=1&output=text") == (
        f"org,example)/ 20140101000000 {HOME} text/html 200 sha1:A 1000 1 one.warc.gz\n"
    )


def test_links_lead_to_the_content(ask: Asking) -> None:
    assert ask.text("url=example.org&limit=1&output=link") == (
        f'<{ask.site.settings.content}/all/20140101000000mp_/http://example.org/>; rel="memento"; '
        'datetime="Wed, 01 Jan 2014 00:00:00 GMT",\n'
    )


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        ("", "text/x-cdxj"),
        ("cdxj", "text/x-cdxj"),
        ("json", "text/x-ndjson"),
        ("text", "text/plain"),
        ("link", "application/link-format"),
    ],
)
def test_the_type_of_an_answer(ask: Asking, output: str, kind: str) -> None:
    assert ask(f"url=example.org&output={output}").headers["content-type"].partition(";")[0] == kind


def test_revisits_tell_where_their_content_lies(ask: Asking) -> None:
    found = [json.loads(one) for one in ask.lines("url=example.org&output=json&resolveRevisits=true")]
    assert [one["orig.offset"] for one in found] == ["-", "-", "1", "-"]
    assert (found[2]["orig.filename"], found[2]["mime"]) == ("one.warc.gz", "text/html")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "url=",
        "url=example.org&output=foo",
        "url=example.org&matchType=foo",
        "url=example.org&sort=foo",
        "url=example.org&sort=closest",
        "url=example.org&closest=yesterday",
        "url=example.org/*&closest=2014",
        "url=example.org&from=x",
        "url=example.org&limit=0",
        "url=example.org&limit=-1",
        "url=example.org&limit=many",
        "url=example.org&filter=~mime:(",
        "url=example.org&page=-1",
        "url=example.org&pageSize=0",
        "url=example.org&showNumPages=true&closest=2014",
        "url=" + "a" * 20_000,
        "&".join(f"a{number}=1" for number in range(200)),
    ],
)
def test_what_cannot_be_answered_is_a_message(ask: Asking, query: str) -> None:
    response = ask(query)
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/json"
    assert json.loads(bytes(response.body))["message"]


def test_addresses_that_are_none_are_no_error(ask: Asking) -> None:
    for url in ("%00", "%FF%FE", "http://[::1", "*", "http://a%20b/", "mailto:a@b"):
        assert ask(f"url={url}").status_code == 200, url


def many(count: int) -> list[bytes]:
    return [line(f"{HOME}{number:05}", "20150601000000", offset=number) for number in range(count)]


def test_pages_are_of_whole_blocks_and_do_not_overlap(tmp_path: Path) -> None:
    count = 2 * LINES_IN_BLOCK + 10
    ask = Asking(site_of(tmp_path, many(count)), pywb_cdx)
    pages = json.loads(ask.text("url=example.org/*&showNumPages=true&pageSize=1"))
    assert pages == {"pages": 3, "pageSize": 1, "blocks": 3}
    found = [offsets(ask.lines(f"url=example.org/*&page={page}&pageSize=1")) for page in range(4)]
    assert [len(page) for page in found] == [LINES_IN_BLOCK, LINES_IN_BLOCK, 10, 0]
    assert [number for page in found for number in page] == list(range(count))


def test_what_is_hidden_is_not_there(tmp_path: Path) -> None:
    ask = Asking(site_of(tmp_path, PAGES, Rules(hidden=("org,example)/ab",))), pywb_cdx)
    assert offsets(ask.lines("url=example.org/*")) == [1, 2, 3, 4, 5, 7]
    assert ask.text("url=example.org/about") == ""


def test_of_what_is_restricted_only_address_and_time_are_told(tmp_path: Path) -> None:
    ask = Asking(site_of(tmp_path, PAGES, Rules(restricted=("org,example)/ab",))), pywb_cdx)
    asked = "url=example.org/about"
    assert ask.text(asked) == (
        'org,example)/about 20150601000000 {"url": "http://example.org/about", "access": "restricted"}\n'
    )
    assert json.loads(ask.text(f"{asked}&output=json"))["access"] == "restricted"
    assert ask.text(f"{asked}&output=text") == (
        "org,example)/about 20150601000000 http://example.org/about - - - - - -\n"
    )
    assert ask.text(f"{asked}&output=link") == ""
    assert ask.text(f"{asked}&fl=filename,offset,digest&output=json") == "{}\n"
    assert "one.warc" not in ask.text(f"{asked}&resolveRevisits=true")


def test_filters_do_not_betray_what_is_restricted(tmp_path: Path) -> None:
    ask = Asking(site_of(tmp_path, PAGES, Rules(restricted=("org,example)/ab",))), pywb_cdx)
    for condition in ("digest:E", "=status:200", "~offset:6", "filename:one", "E 1000"):
        assert ask.text(f"url=example.org/about&filter={condition}") == "", condition


def test_a_hidden_capture_does_not_swallow_the_next_when_collapsing(tmp_path: Path) -> None:
    ask = Asking(site_of(tmp_path, PAGES, Rules(hidden=("org,example)/",), until="2014010102")), pywb_cdx)
    assert offsets(ask.lines("url=example.org&collapseTime=4&filter=!=status:404&from=2014&to=2015")) == [3]
    assert offsets(ask.lines("url=example.org&collapseTime=2&filter=!mime:revisit")) == [2, 4]


def test_pages_are_counted_without_what_is_hidden(tmp_path: Path) -> None:
    hidden = Rules(hidden=tuple(f"org,example)/{number:05}" for number in range(20)))
    ask = Asking(site_of(tmp_path, many(LINES_IN_BLOCK + 10), hidden), pywb_cdx)
    assert json.loads(ask.text("url=example.org/*&showNumPages=true"))["blocks"] == 1


def test_a_revisit_does_not_tell_where_a_hidden_original_lies(tmp_path: Path) -> None:
    rules = Rules(restricted=("org,example)/",), until="2014010102")
    ask = Asking(site_of(tmp_path, PAGES, rules), pywb_cdx)
    found = [json.loads(one) for one in ask.lines("url=example.org&output=json&resolveRevisits=true")]
    assert {one["orig.offset"] for one in found} == {"-"}


def test_a_similar_address_is_found_where_it_is_asked_for(tmp_path: Path) -> None:
    pages = [line(HOME + "data.json?_=1111111", "20150601000000", offset=1), *PAGES]
    ask = Asking(site_of(tmp_path, pages), pywb_cdx)
    asked = "url=http%3A%2F%2Fexample.org%2Fdata.json%3F_%3D2222222"
    assert ask.text(asked) == ""
    (found,) = ask.lines(f"{asked}&allowFuzzy=1&output=json")
    assert json.loads(found)["is_fuzzy"] == "1"
    assert offsets(ask.lines("url=example.org&allowFuzzy=1")) == [1, 2, 3, 4]
    assert ask.text("url=nowhere.example/x&allowFuzzy=true") == ""


def test_a_similar_address_that_is_hidden_is_not_found(tmp_path: Path) -> None:
    pages = [line(HOME + "data.json?_=1111111", "20150601000000"), *PAGES]
    ask = Asking(site_of(tmp_path, pages, Rules(hidden=("org,example)/data",))), pywb_cdx)
    assert ask.text("url=http%3A%2F%2Fexample.org%2Fdata.json%3F_%3D2222222&allowFuzzy=1") == ""


def test_no_similar_address_stands_for_one_that_is_hidden(tmp_path: Path) -> None:
    pages = [line(HOME + f"data.json?_={number}", "20150601000000") for number in ("1111111", "2222222")]
    ask = Asking(site_of(tmp_path, pages, Rules(hidden=("org,example)/data.json?_=2",))), pywb_cdx)
    assert ask.text("url=http%3A%2F%2Fexample.org%2Fdata.json%3F_%3D2222222&allowFuzzy=1") == ""
    assert ask.lines("url=http%3A%2F%2Fexample.org%2Fdata.json%3F_%3D3333333&allowFuzzy=1")


def test_a_line_that_others_wrote_otherwise_is_spelt_as_ours(tmp_path: Path) -> None:
    odd = [b'org,example)/a b 20150601000000 {"offset":9,"url":"http://example.org/a b"}']
    ask = Asking(site_of(tmp_path, odd), pywb_cdx)
    (found,) = ask.lines("url=example.org/*&output=json")
    assert json.loads(found)["url"] == "http://example.org/a b"
    assert ask.lines("url=example.org/*")[0].startswith("org,example)/a%20b 20150601000000 {")
