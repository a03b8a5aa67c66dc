"""The CDX server as clients of OutbackCDX and OpenWayback know it."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from armarium.access.cdxserver.outback import outback_cdx
from tests.unit.access.cdxserver.shelf import Asking, Rules, line, site_of

HOME = "http://nla.example/"
KEY = "example,nla)/"
POST = "example,nla)/form?__wb_method=post&a=1&hello=world"
PAGES = [
    line(HOME, "20050614070159", digest="A", offset=1),
    line(
        HOME,
        "20060614070159",
        digest="B",
        offset=2,
        status="301",
        more={"redirect": "https://www.nla.example"},
    ),
    line(
        HOME,
        "20070614070159",
        digest="B",
        offset=3,
        status="302",
        more={"redirect": "http://nla.example/new"},
    ),
    line(HOME, "20080614070159", digest="C", offset=4, mime="warc/revisit"),
    line(HOME + "form?a=1", "20080614070159", key=POST, digest="D", offset=5),
    line(HOME + "x&y", "20080614070159", digest="E", offset=6),
    line("http://other.example/", "20080614070159", digest="F", offset=7),
]


@pytest.fixture
def ask(tmp_path: Path) -> Asking:
    return Asking(site_of(tmp_path, PAGES), outback_cdx, path="all")


def offsets(ask: Asking, query: str) -> list[int]:
    return [int(one.split()[9]) for one in ask.lines(query)]


def test_a_line_is_cdx_of_eleven_columns(ask: Asking) -> None:
    assert ask.lines("url=nla.example")[0] == (
        f"{KEY} 20050614070159 {HOME} text/html 200 A - - 1000 1 one.warc.gz"
    )


def test_the_key_that_was_looked_for_is_in_a_header(ask: Asking) -> None:
    assert ask("url=http://www.nla.example").headers["outbackcdx-urlkey"] == KEY


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("url=nla.example", [1, 2, 3, 4]),
        ("urlkey=example,nla)/", [1, 2, 3, 4]),
        ("url=nla.example/&matchType=prefix", [1, 2, 3, 4, 5, 6]),
        ("url=nla.example/*", [1, 2, 3, 4, 5, 6]),
        ("url=*.example", [1, 2, 3, 4, 5, 6, 7]),
        ("url=nla.example/x&matchType=range", [6, 7]),
        ("url=nla.example/*&matchType=exact", []),
        ("url=nla.example&sort=reverse", [4, 3, 2, 1]),
        ("url=nla.example&sort=closest&closest=20060701000000", [2, 3, 1, 4]),
        ("url=nla.example&sort=closest&closest=20060701000000&from=2007", [3, 4]),
        ("url=nla.example&from=2006&to=2007", [2, 3]),
        ("url=nla.example&limit=2", [1, 2]),
        ("url=nla.example&filter=status:30.", [2, 3]),
        ("url=nla.example&filter=!mimetype:warc/revisit", [1, 2, 3]),
        ("url=nla.example&filter=~status:3", [2, 3]),
        ("url=nla.example&filter=~!status:3", [1, 4]),
        ("url=nla.example&collapse=digest", [1, 2, 4]),
        ("url=nla.example&collapseToFirst=digest", [1, 2, 4]),
        ("url=nla.example&collapseToLast=digest", [1, 3, 4]),
        ("url=nla.example&collapseToLast=timestamp:2", [4]),
        ("url=nla.example&omitSelfRedirects=true", [1, 3, 4]),
        ("url=http://nla.example/form?a=1%26b&method=GET", []),
        ("url=http%3A%2F%2Fnla.example%2Fform%3Fa%3D1&method=POST&requestBody=hello%3Dworld", [5]),
    ],
)
def test_which_captures_an_answer_has(ask: Asking, query: str, found: list[int]) -> None:
    assert offsets(ask, query) == found


def test_json_has_a_header_and_numbers(ask: Asking) -> None:
    found = json.loads(ask.text("url=nla.example&output=json&limit=1"))
    assert found[0][:6] == ["urlkey", "timestamp", "url", "mime", "status", "digest"]
    assert found[1] == [KEY, 20050614070159, HOME, "text/html", 200, "A", "-", "-", 1000, 1, "one.warc.gz"]


def test_objects_leave_out_what_is_not_known(ask: Asking) -> None:
    found = json.loads(ask.text("url=nla.example&output=jsondict&limit=1"))
    assert found == [
        {
            "urlkey": KEY,
            "timestamp": 20050614070159,
            "url": HOME,
            "mime": "text/html",
            "status": 200,
            "digest": "A",
            "length": 1000,
            "offset": 1,
            "filename": "one.warc.gz",
        }
    ]
    chosen = json.loads(
        ask.text("url=nla.example&output=jsondict&limit=1&fl=original,statuscode,redirecturl")
    )
    assert chosen == [{"original": HOME, "statuscode": 200}]


def test_cdxj_is_the_line_of_the_index(ask: Asking) -> None:
    assert ask.text("url=nla.example&output=cdxj&limit=1").encode() == PAGES[0] + b"\n"


def test_fields_can_be_chosen(ask: Asking) -> None:
    assert ask.text("url=nla.example&fl=timestamp,original&limit=1") == f"20050614070159 {HOME}\n"


def test_an_access_point_in_the_path_is_borne(ask: Asking) -> None:
    assert len(ask.at("all/ap/public").lines("url=nla.example")) == 4
    assert ask.at("all/stats")("url=nla.example").status_code == 404
    assert ask.at("nowhere")("url=nla.example").status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        "",
        "url=a&urlkey=b",
        "urlkey=a+b",
        "url=a&output=xml",
        "url=a&limit=x",
        "q=type:unknown+url:a",
        "q=type:urlquery",
    ],
)
def test_what_cannot_be_answered_is_said_in_words(ask: Asking, query: str) -> None:
    response = ask(query)
    assert response.status_code == 400
    assert response.headers["content-type"].startswith("text/plain")


def document(ask: Asking, query: str) -> ElementTree.Element:
    return ElementTree.fromstring(ask.text(query))


def test_openwayback_gets_xml(ask: Asking) -> None:
    found = document(ask, "q=type:urlquery+url:http%253A%252F%252Fnla.example%252F")
    assert found.findtext("request/numreturned") == "4"
    assert found.findtext("request/numresults") == "4"
    result = found.find("results/result")
    assert result is not None
    assert {one.tag: one.text for one in result} == {
        "compressedoffset": "1",
        "compressedendoffset": "1000",
        "mimetype": "text/html",
        "file": "one.warc.gz",
        "redirecturl": "-",
        "urlkey": KEY,
        "digest": "A",
        "httpresponsecode": "200",
        "robotflags": "-",
        "url": HOME,
        "capturedate": "20050614070159",
    }


def test_openwayback_pages_and_asks_for_the_nearest(ask: Asking) -> None:
    asked = "q=type:urlquery+url:nla.example"
    found = document(ask, f"{asked}+limit:2+offset:1")
    assert (found.findtext("request/numreturned"), found.findtext("request/numresults")) == ("2", "4")
    assert found.findtext("results/result/capturedate") == "20060614070159"
    found = document(ask, f"{asked}&count=3&start_page=2")
    assert [one.text for one in found.iter("capturedate")] == ["20080614070159"]
    assert document(ask, f"{asked}+limit:100000").findtext("request/resultsrequested") == "10000"
    found = document(ask, f"{asked}+date:20060614070000")
    nearest = [one.findtext("capturedate") for one in found.iter("result") if one.find("closest") is not None]
    assert nearest == ["20060614070159"]


def test_openwayback_asks_which_addresses_there_are_below_one(ask: Asking) -> None:
    found = document(ask, "q=type:prefixquery+url:http%253A%252F%252Fnla.example%252F")
    assert found.findtext("request/resultstype") == "resultstypeurl"
    assert found.findtext("request/numresults") == "3"
    first, *_, last = found.iter("result")
    assert {one.tag: one.text for one in first} == {
        "urlkey": KEY,
        "originalurl": HOME,
        "numversions": "3",
        "numcaptures": "4",
        "firstcapturets": "20050614070159",
        "lastcapturets": "20080614070159",
    }
    assert last.findtext("originalurl") == HOME + "x&y"


def test_openwayback_is_told_in_its_own_words_that_there_is_nothing(ask: Asking) -> None:
    for kind in ("urlquery", "prefixquery"):
        found = document(ask, f"q=type:{kind}+url:nowhere.example")
        assert found.findtext("error/title") == "Resource Not In Archive"


def test_what_is_restricted_does_not_count_as_a_version(tmp_path: Path) -> None:
    ask = Asking(site_of(tmp_path, PAGES, Rules(restricted=(KEY,))), outback_cdx, path="all")
    found = document(ask, "q=type:prefixquery+url:nla.example")
    assert (found.findtext(".//numversions"), found.findtext(".//numcaptures")) == ("1", "4")


def test_numbers_of_results_do_not_tell_of_what_is_hidden(tmp_path: Path) -> None:
    ask = Asking(site_of(tmp_path, PAGES, Rules(hidden=(KEY,), until="2007")), outback_cdx, path="all")
    assert document(ask, "q=type:urlquery+url:nla.example").findtext("request/numresults") == "2"


def test_of_what_is_restricted_only_address_and_time_are_told(tmp_path: Path) -> None:
    ask = Asking(site_of(tmp_path, PAGES, Rules(restricted=(KEY,), until="2006")), outback_cdx, path="all")
    asked = "url=nla.example&limit=1"
    assert ask.text(asked) == f"{KEY} 20050614070159 {HOME} - - - - - - - -\n"
    assert json.loads(ask.text(f"{asked}&output=jsondict")) == [
        {"urlkey": KEY, "timestamp": 20050614070159, "url": HOME, "access": "restricted"}
    ]
    found = document(ask, "q=type:urlquery+url:nla.example+limit:1").find("results/result")
    assert found is not None
    assert found.findtext("file") == found.findtext("digest") == found.findtext("compressedoffset") == "-"
